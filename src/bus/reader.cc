#include "bus/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "bus/agent_lag.h"
#include "bus/conf.h"
#include "bus/last_records.h"
#include "bus/lookup.h"
#include "bus/queue_watch.h"

namespace patchbay::bus {
namespace {

// Few per turn: work on the first can start before the last is read.
constexpr std::size_t kRecordsATurn = 32;
constexpr int kReaderEventsATurn = 16;

}  // namespace

// One client of librdkafka. The last reference ends it, which blocks.
struct Consumer::Handle {
  explicit Handle(rd_kafka_t* of) : client(of), queue(rd_kafka_queue_get_main(of)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    queue.reset();
    rd_kafka_destroy(client);
  }

  rd_kafka_t* const client;
  Owned<rd_kafka_queue_t> queue;
  std::optional<QueueWatch> watch;  // On the owner thread.
};

template <class T>
Task<T> Consumer::ask(std::function<Result<T>(rd_kafka_s*)> question) {
  if (!handle_) co_return Error{Code::unavailable, "the bus is not connected"};
  // The querying thread releases it first, so that a client never ends on the owner thread.
  std::function<Result<T>()> work = [handle = handle_, question]() mutable {
    auto answer = question(handle->client);
    handle.reset();
    return answer;
  };
  auto answer = co_await pool_.run<T>(std::move(work));
  if (!handle_) co_return Error{Code::unavailable, "the bus is stopping"};
  co_return answer;
}

Consumer::Consumer(Connection connection, bool reports_ends, Executor& owner, ThreadPool& pool,
                   Trouble trouble)
    : connection_(std::move(connection)),
      reports_ends_(reports_ends),
      owner_(owner),
      pool_(pool),
      trouble_(std::move(trouble)) {}

Consumer::~Consumer() = default;

void Consumer::Positions::set(const std::string& topic, std::int32_t partition,
                              std::int64_t offset) {
  const std::lock_guard lock(mutex);
  next[topic][partition] = offset;
}

void Consumer::Positions::forget(const std::string& topic) {
  const std::lock_guard lock(mutex);
  next.erase(topic);
}

void Consumer::Positions::set_client(rd_kafka_s* used) {
  const std::lock_guard lock(mutex);
  client = used;
}

// What the client knows from its last fetches: no broker is asked.
std::int64_t Consumer::unread() const {
  const std::lock_guard lock(positions_.mutex);
  std::int64_t sum = 0;
  if (!positions_.client) return sum;
  for (const auto& [topic, partitions] : positions_.next) {
    for (const auto& [partition, next] : partitions) {
      std::int64_t first = 0;
      std::int64_t end = 0;
      const auto found =
          rd_kafka_get_watermark_offsets(positions_.client, topic.c_str(), partition, &first, &end);
      if (found == RD_KAFKA_RESP_ERR_NO_ERROR && end > next) sum += end - next;
    }
  }
  return sum;
}

Result<void> Consumer::start() {
  auto client = make_client(RD_KAFKA_CONSUMER, connection_,
                            RD_KAFKA_EVENT_ERROR | RD_KAFKA_EVENT_OAUTHBEARER_TOKEN_REFRESH,
                            {{"allow.auto.create.topics", "true"},
                             {"auto.offset.reset", "earliest"},
                             {"fetch.wait.max.ms", "100"},
                             {"fetch.error.backoff.ms", "100"},
                             {"queued.max.messages.kbytes", "16384"}},
                            {{"enable.partition.eof", reports_ends_ ? "true" : "false"}});
  if (!client) return client.error();
  handle_ = std::make_shared<Handle>(*client);
  positions_.set_client(*client);
  handle_->watch.emplace(handle_->queue.get(), owner_, [this] { return serve(); });
  return ok();
}

bool Consumer::serve() {
  for (int i = 0; i < kReaderEventsATurn; ++i) {
    const Owned<rd_kafka_event_t> event(rd_kafka_queue_poll(handle_->queue.get(), 0));
    if (!event) return false;
    if (rd_kafka_event_type(event.get()) == RD_KAFKA_EVENT_OAUTHBEARER_TOKEN_REFRESH) {
      give_token(handle_->client, connection_.bearer);
    }
    if (rd_kafka_event_type(event.get()) != RD_KAFKA_EVENT_ERROR) continue;
    trouble_(trouble_of(event.get()));
  }
  return true;
}

Task<void> Consumer::stop() {
  if (!handle_) co_return ok();
  give_up();
  positions_.set_client(nullptr);
  handle_->watch.reset();
  std::function<Result<void>()> end = [handle = std::exchange(handle_, nullptr)]() mutable {
    handle.reset();
    return ok();
  };
  co_return co_await pool_.run<void>(std::move(end));
}

Task<void> Consumer::ensure_topic(std::string topic, int partitions, bool compacted,
                                  Deadline deadline) {
  const Timeout timeout{deadline, over_};
  std::function<Result<void>(rd_kafka_s*)> make = [=](rd_kafka_s* client) {
    return bus::ensure_topic(client, {topic, partitions, compacted}, timeout);
  };
  co_return co_await ask<void>(std::move(make));
}

Task<std::vector<GroupLag>> Consumer::lag(std::vector<std::string> topics, Deadline deadline) {
  using Lines = std::vector<GroupLag>;
  const Timeout timeout{deadline, over_};
  std::function<Result<Lines>(rd_kafka_s*)> look = [=](rd_kafka_s* client) {
    return find_lag(client, topics, timeout);
  };
  co_return co_await ask<Lines>(std::move(look));
}

Task<LagReport> Consumer::agent_lag(LagQuestion question, Deadline deadline) {
  const Timeout timeout{deadline, over_};
  std::function<Result<LagReport>(rd_kafka_s*)> look = [=](rd_kafka_s* client) {
    return find_agent_lag(client, question, timeout);
  };
  co_return co_await ask<LagReport>(std::move(look));
}

Task<std::vector<StoredRecord>> Consumer::last_records(std::string topic, PeekBounds bounds,
                                                       Deadline deadline) {
  using Records = std::vector<StoredRecord>;
  const Timeout timeout{deadline, over_};
  std::function<Result<Records>(rd_kafka_s*)> look = [=](rd_kafka_s* client) {
    return bus::last_records(client, topic, bounds, timeout);
  };
  co_return co_await ask<Records>(std::move(look));
}

// A topic that is being read.
struct Reader::Followed {
  explicit Followed(rd_kafka_topic_t* of) : topic(of) {}

  Owned<rd_kafka_topic_t> topic;
  std::map<std::int32_t, bool> partitions = {};  // Whether each has caught up.
  bool caught_up = false;                        // And whether that was reported.
};

struct Reader::Queue {
  Queue(rd_kafka_t* client, Executor& owner, QueueWatch::Serve serve)
      : queue(rd_kafka_queue_new(client)), watch(queue.get(), owner, std::move(serve)) {}

  Owned<rd_kafka_queue_t> queue;
  QueueWatch watch;
};

Reader::Reader(Consumer& consumer, Events& events) : consumer_(consumer), events_(events) {}
Reader::~Reader() = default;

Task<void> Reader::follow(std::string topic, From from, Deadline deadline) {
  using Ends = std::vector<PartitionEnds>;
  const Timeout timeout{deadline, consumer_.over_};
  std::function<Result<Ends>(rd_kafka_s*)> look = [topic, timeout](rd_kafka_s* client) {
    return find_ends(client, topic, timeout);
  };
  auto ends = co_await consumer_.ask<Ends>(std::move(look));
  if (!ends) {
    if (ends.error().code == Code::not_found) absent_.insert(topic);
    co_return ends.error();
  }
  auto left = co_await wait_left(topic, deadline);
  if (!left) co_return left;
  if (!consumer_.handle_) co_return Error{Code::unavailable, "the bus is stopping"};
  rd_kafka_t* const client = consumer_.handle_->client;
  if (!queue_) {
    queue_ = std::make_unique<Queue>(client, consumer_.owner_, [this] { return serve(); });
  }
  auto& followed = topics_[topic];
  const bool known = followed != nullptr;
  if (!known) {
    followed = std::make_shared<Followed>(rd_kafka_topic_new(client, topic.c_str(), nullptr));
  }
  const bool whole = known || from == From::beginning || absent_.contains(topic);
  absent_.erase(topic);
  for (const auto& [partition, first, end] : *ends) {
    if (followed->partitions.contains(partition)) continue;
    const auto offset = whole ? first : end;
    if (rd_kafka_consume_start_queue(followed->topic.get(), partition, offset,
                                     queue_->queue.get())) {
      co_return error_of(rd_kafka_last_error(), fmt::format("cannot read {}", topic));
    }
    followed->partitions[partition] = false;
    consumer_.positions_.set(topic, partition, offset);
  }
  co_return ok();
}

// The end of an old subscription to a topic must not end the new one.
Task<void> Reader::wait_left(std::string topic, Deadline deadline) {
  while (leaving_.contains(topic)) {
    OneShot<void> left;
    leaving_[topic].insert(&left);
    auto reported = co_await left.wait(deadline);
    if (const auto still = leaving_.find(topic); still != leaving_.end())
      still->second.erase(&left);
    if (reported) continue;
    if (reported.error().code != Code::timeout) co_return reported;
    co_return Error{Code::timeout, topic + " is still being unsubscribed"};
  }
  co_return ok();
}

bool Reader::serve() {
  std::array<rd_kafka_message_t*, kRecordsATurn> messages{};
  const auto got =
      rd_kafka_consume_batch_queue(queue_->queue.get(), 0, messages.data(), messages.size());
  std::vector<Record> records;
  records.reserve(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  for (ssize_t i = 0; i < got; ++i) {
    rd_kafka_message_t* const message = messages[static_cast<std::size_t>(i)];
    Record record(message);
    const auto found = topics_.find(record.topic());
    if (found == topics_.end()) continue;
    if (!message->err || message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      const auto next = message->offset + (message->err ? 0 : 1);
      consumer_.positions_.set(found->first, message->partition, next);
    }
    if (!message->err) {
      records.push_back(std::move(record));
      continue;
    }
    // Records before an end are reported before it.
    if (!records.empty()) events_.on_records(std::exchange(records, {}));
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      note_end(*found->second, message->partition);
    } else {
      events_.on_unreadable(found->first, error_of(message->err, "cannot read " + found->first));
    }
  }
  if (!records.empty()) events_.on_records(std::move(records));
  return got == static_cast<ssize_t>(messages.size());
}

void Reader::note_end(Followed& topic, std::int32_t partition) {
  topic.partitions[partition] = true;
  if (topic.caught_up) return;
  for (const auto& [number, caught_up] : topic.partitions) {
    if (!caught_up) return;
  }
  topic.caught_up = true;
  events_.on_caught_up(rd_kafka_topic_name(topic.topic.get()));
}

Task<void> Reader::leave(std::string topic) {
  absent_.erase(topic);
  const auto found = topics_.find(topic);
  if (found == topics_.end()) co_return ok();
  const auto followed = found->second;
  topics_.erase(found);
  consumer_.positions_.forget(topic);
  leaving_[topic];
  std::function<Result<void>(rd_kafka_s*)> end = [followed](rd_kafka_s*) {
    for (const auto& [partition, caught_up] : followed->partitions) {
      rd_kafka_consume_stop(followed->topic.get(), partition);
    }
    followed->topic.reset();
    return ok();
  };
  auto ended = co_await consumer_.ask<void>(std::move(end));
  const auto left = leaving_.extract(topic);
  for (OneShot<void>* const waiting : left.mapped()) waiting->deliver(ok());
  co_return ended;
}

Task<void> Reader::stop() {
  while (!topics_.empty()) {
    const std::string topic = topics_.begin()->first;
    auto left = co_await leave(topic);
    if (!left) co_return left;
  }
  queue_.reset();
  co_return ok();
}

}  // namespace patchbay::bus
