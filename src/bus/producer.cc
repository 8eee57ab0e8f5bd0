#include "bus/producer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "bus/conf.h"
#include "bus/lookup.h"
#include "bus/queue_watch.h"
#include "observe/log.h"

namespace patchbay::bus {
namespace {

constexpr int kProducerEventsATurn = 64;
constexpr auto kLook = std::chrono::milliseconds(10);
constexpr auto kPurgeTime = std::chrono::seconds(2);

void* as_pointer(std::uint64_t tag) { return reinterpret_cast<void*>(tag); }
std::uint64_t as_tag(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

Result<RecordMetadata> outcome_of(const rd_kafka_message_t& message) {
  if (!message.err) return RecordMetadata{message.partition, message.offset, -1};
  Error error = error_of(message.err, "the record was not delivered");
  // It may have been delivered nevertheless.
  if (rd_kafka_message_status(&message) == RD_KAFKA_MSG_STATUS_POSSIBLY_PERSISTED) {
    error.message = fmt::format("whether the record was delivered is unknown: {}",
                                rd_kafka_err2str(message.err));
  }
  return error;
}

// The property has an alias.
bool lingers(const Properties& properties) {
  return std::ranges::any_of(std::array{"linger.ms", "queue.buffering.max.ms"},
                             [&](std::string_view name) {
                               return std::strtod(property(properties, name).c_str(), nullptr) > 0;
                             });
}

}  // namespace

// One client of librdkafka. The last reference ends it, which may block.
class Producer::Handle {
 public:
  explicit Handle(rd_kafka_t* client) : client_(client), queue_(rd_kafka_queue_get_main(client)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    queue_.reset();
    rd_kafka_destroy(client_);
  }

  rd_kafka_t* client() const { return client_; }
  rd_kafka_queue_t* queue() const { return queue_.get(); }
  void watch(Executor& owner, QueueWatch::Serve serve) {
    watch_.emplace(queue_.get(), owner, std::move(serve));
  }
  void unwatch() { watch_.reset(); }

 private:
  rd_kafka_t* const client_;
  Owned<rd_kafka_queue_t> queue_;
  std::optional<QueueWatch> watch_;  // Used only on the owner thread.
};

Producer::Producer(Connection connection, Executor& owner, Events& events, ThreadPool& pool)
    : connection_(std::move(connection)),
      gathers_(lingers(connection_.properties)),
      owner_(owner),
      events_(events),
      pool_(pool) {}

Producer::~Producer() = default;

// One request in flight, which carries everything that is queued: with several, librdkafka's
// idempotent producer spins while it waits for acknowledgements.
Result<std::shared_ptr<Producer::Handle>> Producer::make_handle() {
  auto client = make_client(
      RD_KAFKA_PRODUCER, connection_,
      RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR | RD_KAFKA_EVENT_OAUTHBEARER_TOKEN_REFRESH,
      {{"enable.idempotence", "true"},
       {"max.in.flight", "1"},
       {"linger.ms", "0"},
       {"queue.buffering.max.messages", "10000"},
       {"queue.buffering.max.kbytes", "65536"},
       {"message.timeout.ms", "10000"}},
      {});
  if (!client) return client.error();
  auto handle = std::make_shared<Handle>(*client);
  handle->watch(owner_, [this, at = handle.get()] { return serve(*at); });
  return handle;
}

Result<void> Producer::start() {
  auto made = make_handle();
  if (!made) return made.error();
  const std::lock_guard lock(mutex_);
  handle_ = *std::move(made);
  return ok();
}

std::shared_ptr<Producer::Handle> Producer::current() const {
  const std::lock_guard lock(mutex_);
  return handle_;
}

Result<void> Producer::send(const Outgoing& record, std::uint64_t tag) {
  const auto handle = current();
  if (!handle) return Error{Code::unavailable, "the bus is not connected"};
  const std::string topic(record.topic);
  thread_local std::vector<rd_kafka_vu_t> parts;  // A member so that its memory is reused.
  parts.clear();
  const auto add = [](rd_kafka_vtype_t type) -> rd_kafka_vu_t& {
    auto& part = parts.emplace_back();
    part.vtype = type;
    return part;
  };
  const auto put = [&add](rd_kafka_vtype_t type, std::optional<std::string_view> bytes) {
    if (!bytes) return;
    // An empty value is not a null one, so it needs an address.
    const char* const data = bytes->data() ? bytes->data() : "";
    auto& memory = add(type).u.mem;
    memory.ptr = const_cast<char*>(data);
    memory.size = bytes->size();
  };
  add(RD_KAFKA_VTYPE_TOPIC).u.cstr = topic.c_str();
  add(RD_KAFKA_VTYPE_PARTITION).u.i32 = record.partition;
  add(RD_KAFKA_VTYPE_MSGFLAGS).u.i = RD_KAFKA_MSG_F_COPY;
  add(RD_KAFKA_VTYPE_OPAQUE).u.ptr = as_pointer(tag);
  put(RD_KAFKA_VTYPE_KEY, record.key);
  put(RD_KAFKA_VTYPE_VALUE, record.value);
  for (const auto& header : record.headers) {
    auto& part = add(RD_KAFKA_VTYPE_HEADER).u.header;
    part.name = header.name;
    part.val = header.value.data();
    part.size = static_cast<ssize_t>(header.value.size());
  }
  const Owned<rd_kafka_error_t> failed(
      rd_kafka_produceva(handle->client(), parts.data(), parts.size()));
  if (!failed) return ok();
  return error_of(rd_kafka_error_code(failed.get()), fmt::format("cannot send to {}", topic));
}

Task<void> Producer::prepare(std::string topic, Deadline deadline) {
  const Timeout timeout{deadline, over_};
  std::function<Result<void>()> look = [handle = current(), topic, timeout]() mutable {
    if (!handle) return Result<void>(Error{Code::unavailable, "the bus is not connected"});
    auto found = find_ends(handle->client(), topic, timeout);
    handle.reset();
    return found ? ok() : Result<void>(found.error());
  };
  co_return co_await pool_.run<void>(std::move(look));
}

int Producer::waiting() const {
  const auto handle = current();
  return handle ? rd_kafka_outq_len(handle->client()) : 0;
}

bool Producer::serve(Handle& handle) {
  for (int i = 0; i < kProducerEventsATurn; ++i) {
    std::optional<Error> fatal;
    {
      const Owned<rd_kafka_event_t> event(rd_kafka_queue_poll(handle.queue(), 0));
      if (!event) return false;
      fatal = take(handle, *event);
    }
    // Called without references of our own: the client may end at once, on another thread.
    if (fatal && &handle == current().get() && rebuild(*fatal)) return false;
  }
  return true;
}

// The fatal error of the client, if the event is one.
std::optional<Error> Producer::take(Handle& handle, rd_kafka_op_s& event) {
  switch (rd_kafka_event_type(&event)) {
    case RD_KAFKA_EVENT_DR:
      while (const auto* const message = rd_kafka_event_message_next(&event)) {
        events_.on_delivered(as_tag(message->_private), outcome_of(*message));
      }
      break;
    case RD_KAFKA_EVENT_OAUTHBEARER_TOKEN_REFRESH:
      give_token(handle.client(), connection_.bearer);
      break;
    case RD_KAFKA_EVENT_ERROR: {
      const auto code = rd_kafka_event_error(&event);
      const Error error = trouble_of(&event);
      if (rd_kafka_event_error_is_fatal(&event) || code == RD_KAFKA_RESP_ERR__FATAL) return error;
      events_.on_trouble(error);
      break;
    }
    default:
      break;
  }
  return std::nullopt;
}

// True if a new client has replaced the broken one.
bool Producer::rebuild(const Error& why) {
  if (stopping_) return false;
  log::Line(log::Level::warn, "bus producer rebuilt")
      .add("client", connection_.name)
      .add("why", why.message);
  auto made = make_handle();
  if (!made) {
    events_.on_trouble(made.error());
    return false;
  }
  std::shared_ptr<Handle> old = *std::move(made);
  {
    const std::lock_guard lock(mutex_);
    std::swap(handle_, old);
  }
  retiring_.spawn(retire(std::move(old), here().now()));
  return true;
}

// Flushes until `deadline`, fails the rest, and ends the client on a thread that may block.
Task<void> Producer::retire(std::shared_ptr<Handle> old, Deadline deadline) {
  const auto empty = [&] { return rd_kafka_outq_len(old->client()) == 0; };
  while (!empty() && here().now() < deadline) {
    auto slept = co_await sleep_until(here().now() + kLook);
    if (!slept) break;
  }
  if (!empty()) rd_kafka_purge(old->client(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  // Each failed record is reported, on the owner thread.
  for (const Deadline until = here().now() + kPurgeTime; !empty() && here().now() < until;) {
    auto slept = co_await sleep_until(here().now() + kLook);
    if (!slept) break;
  }
  old->unwatch();
  std::function<Result<void>()> end = [old = std::move(old)]() mutable {
    old.reset();
    return ok();
  };
  co_return co_await pool_.run<void>(std::move(end));
}

Task<void> Producer::stop(Deadline deadline) {
  stopping_ = true;
  give_up();
  std::shared_ptr<Handle> last;
  {
    const std::lock_guard lock(mutex_);
    last = std::exchange(handle_, nullptr);
  }
  if (last) retiring_.spawn(retire(std::move(last), deadline));
  co_return co_await retiring_.drain(kNever);
}

void Producer::break_client() {
  if (const auto handle = current()) {
    rd_kafka_test_fatal_error(handle->client(), RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER,
                              "requested by a test");
  }
}

}  // namespace patchbay::bus
