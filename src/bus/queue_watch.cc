#include "bus/queue_watch.h"

namespace patchbay::bus {

QueueWatch::QueueWatch(rd_kafka_queue_t* queue, Executor& owner, Serve serve)
    : queue_(queue), state_(std::make_shared<State>(owner, std::move(serve))) {
  rd_kafka_queue_cb_event_enable(
      queue_, [](rd_kafka_t*, void* state) { static_cast<State*>(state)->notify(); }, state_.get());
  state_->notify();  // For what came before.
}

// librdkafka holds the queue's lock while it notifies, so that nothing comes once this is through.
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
  const Serve now = serve;  // Whatever is served may end the watch.
  if (now && now()) notify();
}

}  // namespace patchbay::bus
