#include "bus/queue_watch.h"

namespace patchbay::bus {

QueueWatch::QueueWatch(rd_kafka_queue_t* queue, Executor& owner, Serve serve)
    : queue_(queue), state_(std::make_shared<State>(owner, std::move(serve))) {
  rd_kafka_queue_cb_event_enable(
      queue_, [](rd_kafka_t*, void* state) { static_cast<State*>(state)->notify(); }, state_.get());
  state_->notify();  // For what arrived before.
}

// librdkafka holds the lock of the queue while it notifies, so no notification follows.
QueueWatch::~QueueWatch() {
  rd_kafka_queue_cb_event_enable(queue_, nullptr, nullptr);
  state_->serve = nullptr;
}

void QueueWatch::State::notify() {
  if (posted.exchange(true)) return;
  owner.post([self = shared_from_this()] { self->run(); });
}

void QueueWatch::State::run() {
  posted = false;
  const Serve now = serve;  // Serving may end the watch.
  if (now && now()) notify();
}

}  // namespace patchbay::bus
