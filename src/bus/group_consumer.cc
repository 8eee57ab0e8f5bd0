#include "bus/group_consumer.h"

#include <optional>
#include <utility>

#include "bus/conf.h"
#include "bus/queue_watch.h"
#include "core/discard.h"
#include "observe/log.h"

namespace patchbay::bus {
namespace {

constexpr int kGroupEventsATurn = 64;
constexpr int kLeaveSlice = 50;  // Milliseconds.

}  // namespace

// One client of librdkafka. The last reference ends it, which blocks.
struct GroupConsumer::Handle {
  explicit Handle(rd_kafka_t* of) : client(of) {
    rd_kafka_poll_set_consumer(client);
    queue.reset(rd_kafka_queue_get_consumer(client));
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    // Both refer to the client, which must outlive them.
    assigned.reset();
    queue.reset();
    rd_kafka_destroy_flags(client, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
  }

  // Commits stored offsets and leaves the group; false if that was not confirmed in time. Blocks.
  bool leave(std::chrono::milliseconds time) {
    const Owned<rd_kafka_queue_t> last(rd_kafka_queue_new(client));
    const Owned<rd_kafka_error_t> failed(rd_kafka_consumer_close_queue(client, last.get()));
    const Deadline until = Clock::now() + time;
    while (!failed && !rd_kafka_consumer_closed(client) && Clock::now() < until) {
      const Owned<rd_kafka_event_t> event(rd_kafka_queue_poll(last.get(), kLeaveSlice));
      const bool revoked = event && rd_kafka_event_type(event.get()) == RD_KAFKA_EVENT_REBALANCE;
      if (revoked) rd_kafka_assign(client, nullptr);
    }
    return !failed && rd_kafka_consumer_closed(client);
  }

  rd_kafka_t* const client;
  Owned<rd_kafka_queue_t> queue;
  std::optional<QueueWatch> watch;                       // On the owner thread.
  Owned<rd_kafka_topic_partition_list_t> assigned = {};  // Our partitions.
};

GroupConsumer::GroupConsumer(Connection connection, Settings settings, Executor& owner,
                             ThreadPool& pool, Events& events)
    : connection_(std::move(connection)),
      settings_(std::move(settings)),
      owner_(owner),
      pool_(pool),
      events_(events) {}

GroupConsumer::~GroupConsumer() = default;

// Offsets are stored when a record is done, and committed a moment later and on leaving.
Result<void> GroupConsumer::start() {
  auto client =
      make_client(RD_KAFKA_CONSUMER, connection_,
                  RD_KAFKA_EVENT_FETCH | RD_KAFKA_EVENT_REBALANCE | RD_KAFKA_EVENT_ERROR |
                      RD_KAFKA_EVENT_OFFSET_COMMIT | RD_KAFKA_EVENT_OAUTHBEARER_TOKEN_REFRESH,
                  {{"auto.offset.reset", "earliest"},
                   {"allow.auto.create.topics", "true"},
                   {"topic.metadata.refresh.interval.ms", "5000"},
                   {"auto.commit.interval.ms", "200"},
                   {"session.timeout.ms", "6000"},
                   {"heartbeat.interval.ms", "2000"},
                   {"fetch.wait.max.ms", "100"},
                   {"queued.max.messages.kbytes", "16384"}},
                  {{"group.id", settings_.group},
                   {"enable.auto.commit", "true"},
                   {"enable.auto.offset.store", "false"},
                   {"partition.assignment.strategy", "range,roundrobin"}});
  if (!client) return client.error();
  handle_ = std::make_shared<Handle>(*client);
  handle_->watch.emplace(handle_->queue.get(), owner_, [this] { return serve(); });
  return ok();
}

Result<void> GroupConsumer::subscribe(const std::vector<std::string>& topics) {
  const Owned<rd_kafka_topic_partition_list_t> list(
      rd_kafka_topic_partition_list_new(static_cast<int>(topics.size())));
  for (const auto& topic : topics) {
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), RD_KAFKA_PARTITION_UA);
  }
  const auto failed = topics.empty() ? rd_kafka_unsubscribe(handle_->client)
                                     : rd_kafka_subscribe(handle_->client, list.get());
  if (failed) return error_of(failed, "cannot subscribe");
  return ok();
}

bool GroupConsumer::serve() {
  for (int i = 0; i < kGroupEventsATurn; ++i) {
    const Owned<rd_kafka_event_t> event(rd_kafka_queue_poll(handle_->queue.get(), 0));
    if (!event) return false;
    switch (rd_kafka_event_type(event.get())) {
      case RD_KAFKA_EVENT_FETCH:
        while (const auto* const message = rd_kafka_event_message_next(event.get())) {
          take(*message);
        }
        break;
      case RD_KAFKA_EVENT_REBALANCE:
        rebalance(rd_kafka_event_error(event.get()) == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS,
                  rd_kafka_event_topic_partition_list(event.get()));
        break;
      case RD_KAFKA_EVENT_OFFSET_COMMIT:
        note_commit(rd_kafka_event_error(event.get()));
        break;
      case RD_KAFKA_EVENT_OAUTHBEARER_TOKEN_REFRESH:
        give_token(handle_->client, connection_.bearer);
        break;
      case RD_KAFKA_EVENT_ERROR:
        events_.on_trouble(trouble_of(event.get()));
        break;
      default:
        break;
    }
  }
  return true;
}

// Another member may repeat what was not committed.
void GroupConsumer::note_commit(int error) {
  const auto code = static_cast<rd_kafka_resp_err_t>(error);
  if (!code || code == RD_KAFKA_RESP_ERR__NO_OFFSET) return;
  log::Line(log::Level::warn, "not committed")
      .add("group", settings_.group)
      .add("why", rd_kafka_err2str(code));
}

void GroupConsumer::take(const rd_kafka_message_s& message) {
  const std::string topic = message.rkt ? rd_kafka_topic_name(message.rkt) : "";
  if (message.err) {
    events_.on_trouble(error_of(message.err, "cannot read " + topic));
    return;
  }
  // Records that arrive while partitions are revoked belong to the next owner.
  if (handing_over_ || stopping_) return;
  OwnedMessage stored{topic, message.partition, message.offset, std::nullopt, std::nullopt, {}};
  if (message.key) stored.key.emplace(static_cast<const char*>(message.key), message.key_len);
  if (message.payload) stored.value.emplace(static_cast<const char*>(message.payload), message.len);
  rd_kafka_headers_t* headers = nullptr;
  if (!rd_kafka_message_headers(&message, &headers)) {
    const char* name = nullptr;
    const void* value = nullptr;
    std::size_t size = 0;
    for (std::size_t i = 0; !rd_kafka_header_get_all(headers, i, &name, &value, &size); ++i) {
      stored.headers.emplace_back(name, std::string(static_cast<const char*>(value), size));
    }
  }
  offsets_[{topic, message.partition}][message.offset] = false;
  backlog_bytes_ += stored.size();
  backlog_.push_back(std::move(stored));
  hand_out();
}

// Starts as many records as may run concurrently, and prefetches a few more, since librdkafka takes
// a second to resume a paused partition.
void GroupConsumer::hand_out() {
  if (std::exchange(handing_out_, true)) return;  // A record was done at once.
  while (running_ < settings_.at_once && !backlog_.empty()) {
    OwnedMessage next = std::move(backlog_.front());
    backlog_.pop_front();
    backlog_bytes_ -= next.size();
    ++running_;
    events_.on_record(std::move(next));
  }
  handing_out_ = false;
  const bool full =
      backlog_.size() >= settings_.backlog || backlog_bytes_ >= settings_.backlog_bytes;
  const bool low =
      backlog_.size() <= settings_.backlog / 2 && backlog_bytes_ <= settings_.backlog_bytes / 2;
  if (full) pause(true);
  if (low) pause(false);
}

void GroupConsumer::drop_backlog() {
  backlog_.clear();
  backlog_bytes_ = 0;
}

void GroupConsumer::done(const std::string& topic, std::int32_t partition, std::int64_t offset) {
  store(topic, partition, offset);
  --running_;
  hand_out();
  // Last: the waiting code may release the partition at once.
  if (running_ == 0 && idle_) idle_->deliver(ok());
}

void GroupConsumer::store(const std::string& topic, std::int32_t partition, std::int64_t offset) {
  const auto found = offsets_.find({topic, partition});
  if (found == offsets_.end()) return;  // The partition was revoked.
  auto& offsets = found->second;
  const auto at = offsets.find(offset);
  if (at == offsets.end()) return;
  at->second = true;
  // Up to the first record that is not done.
  std::int64_t next = -1;
  while (!offsets.empty() && offsets.begin()->second) {
    next = offsets.begin()->first + 1;
    offsets.erase(offsets.begin());
  }
  if (next < 0 || !handle_) return;
  const Owned<rd_kafka_topic_partition_list_t> list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset = next;
  rd_kafka_offsets_store(handle_->client, list.get());
}

void GroupConsumer::pause(bool on) {
  if (on == paused_ || !handle_ || !handle_->assigned) return;
  paused_ = on;
  log::Line(log::Level::debug, on ? "partitions paused" : "partitions resumed")
      .add("group", settings_.group)
      .add("requests", std::uint64_t{backlog_.size()})
      .add("bytes", std::uint64_t{backlog_bytes_});
  if (on) {
    rd_kafka_pause_partitions(handle_->client, handle_->assigned.get());
  } else {
    rd_kafka_resume_partitions(handle_->client, handle_->assigned.get());
  }
}

void GroupConsumer::assign(rd_kafka_topic_partition_list_s* partitions) {
  handle_->assigned.reset(partitions ? rd_kafka_topic_partition_list_copy(partitions) : nullptr);
  rd_kafka_assign(handle_->client, handle_->assigned.get());
  offsets_.clear();
  drop_backlog();
  paused_ = false;
  events_.on_assigned(partitions ? static_cast<std::size_t>(partitions->cnt) : 0);
}

void GroupConsumer::rebalance(bool assigns, rd_kafka_topic_partition_list_s* partitions) {
  if (assigns) return assign(partitions);
  if (running_ == 0) return assign(nullptr);
  if (std::exchange(handing_over_, true)) return;
  drop_backlog();
  log::Line(log::Level::info, "partitions leaving")
      .add("group", settings_.group)
      .add("requests", std::uint64_t{running_});
  scope_.spawn(hand_over());
}

// Records in progress are finished here, so that no other member repeats them.
Task<void> GroupConsumer::hand_over() {
  auto idle = co_await wait_idle(here().now() + settings_.handover);
  if (!idle) {
    log::Line(log::Level::warn, "partitions left unfinished")
        .add("group", settings_.group)
        .add("requests", std::uint64_t{running_})
        .add("waited_ms", std::uint64_t(settings_.handover.count()));
  }
  handing_over_ = false;
  if (handle_) assign(nullptr);
  co_return idle;
}

Task<void> GroupConsumer::wait_idle(Deadline deadline) {
  if (running_ == 0) co_return ok();
  OneShot<void> idle;
  OneShot<void>* const before = std::exchange(idle_, &idle);
  auto waited = co_await idle.wait(deadline);
  idle_ = before;
  if (before && running_ == 0) before->deliver(ok());
  co_return waited;
}

Task<void> GroupConsumer::stop(Deadline deadline) {
  if (!handle_) co_return ok();
  stopping_ = true;
  drop_backlog();
  auto idle = co_await wait_idle(deadline);
  discard(idle, "records that are not done go to another member");
  auto drained = co_await scope_.drain(kNever);
  handle_->watch.reset();
  std::function<Result<void>()> end = [handle = std::exchange(handle_, nullptr),
                                       settings = settings_]() mutable {
    if (!handle->leave(settings.leave_time)) {
      log::Line(log::Level::warn, "group not left")
          .add("group", settings.group)
          .add("waited_ms", std::uint64_t(settings.leave_time.count()));
    }
    handle.reset();
    return ok();
  };
  auto ended = co_await pool_.run<void>(std::move(end));
  co_return ended ? drained : ended;
}

}  // namespace patchbay::bus
