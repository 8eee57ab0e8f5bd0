// kafka_pair: a bare request/reply pair on librdkafka: what a call over the bus costs without a
// gateway.
//
// `--mode agent` answers each record of a topic with the same key and value in another. `--mode
// client` keeps --in-flight requests on their way to such an agent and prints one JSON object.

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <string>
#include <unordered_map>

#include "latency.h"
#include "options.h"

namespace {

using namespace patchbay::bench;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kUsage =
    "kafka_pair --mode agent|client --broker ADDR --from TOPIC --to TOPIC\n"
    "           [--in-flight N] [--seconds S] [--warmup S] [--fetch-wait MS] [--size BYTES] "
    "[--linger MS]";

rd_kafka_t* new_client(rd_kafka_type_t type,
                       std::initializer_list<std::pair<const char*, std::string>> settings) {
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  std::array<char, 512> why{};
  for (const auto& [name, value] : settings) {
    if (rd_kafka_conf_set(conf, name, value.c_str(), why.data(), why.size()) != RD_KAFKA_CONF_OK) {
      fail(why.data());
    }
  }
  rd_kafka_t* const client = rd_kafka_new(type, conf, why.data(), why.size());
  if (!client) fail(why.data());
  return client;
}

// Reads all partitions of a topic, from their ends as they are now, in no group.
class Source {
 public:
  Source(const Options& options, const std::string& topic)
      : client_(new_client(RD_KAFKA_CONSUMER,
                           {{"bootstrap.servers", options.text("--broker")},
                            {"socket.nagle.disable", "true"},
                            {"allow.auto.create.topics", "true"},
                            {"fetch.wait.max.ms", options.text("--fetch-wait", "100")}})),
        topic_(rd_kafka_topic_new(client_, topic.c_str(), nullptr)),
        queue_(rd_kafka_queue_new(client_)) {
    const struct rd_kafka_metadata* data = nullptr;
    for (int tries = 0; tries < 100; ++tries) {
      if (data) rd_kafka_metadata_destroy(data);
      data = nullptr;
      if (rd_kafka_metadata(client_, 0, topic_, &data, 10'000)) fail("no broker answers");
      if (!data->topics[0].err && data->topics[0].partition_cnt > 0) break;
    }
    for (int i = 0; i < data->topics[0].partition_cnt; ++i) {
      const auto partition = data->topics[0].partitions[i].id;
      std::int64_t first = 0;
      std::int64_t end = 0;
      rd_kafka_query_watermark_offsets(client_, topic.c_str(), partition, &first, &end, 10'000);
      rd_kafka_consume_start_queue(topic_, partition, end, queue_);
    }
    rd_kafka_metadata_destroy(data);
  }

  // Handles the records that have arrived, for at most `milliseconds` if there are none. A batch
  // would wait until it is full, so the first record is waited for alone.
  template <class Take>
  void take(int milliseconds, Take take_one) {
    std::array<rd_kafka_message_t*, 256> messages{};
    messages[0] = rd_kafka_consume_queue(queue_, milliseconds);
    if (!messages[0]) return;
    const auto more =
        rd_kafka_consume_batch_queue(queue_, 0, messages.data() + 1, messages.size() - 1);
    for (std::size_t i = 0; i < 1 + static_cast<std::size_t>(std::max<ssize_t>(more, 0)); ++i) {
      if (!messages[i]->err) take_one(*messages[i]);
      rd_kafka_message_destroy(messages[i]);
    }
  }

 private:
  rd_kafka_t* const client_;
  rd_kafka_topic_t* const topic_;
  rd_kafka_queue_t* const queue_;
};

// One request at a time, as the gateway does: with several, both are slower.
rd_kafka_t* new_producer(const Options& options) {
  return new_client(RD_KAFKA_PRODUCER, {{"bootstrap.servers", options.text("--broker")},
                                        {"socket.nagle.disable", "true"},
                                        {"enable.idempotence", "true"},
                                        {"max.in.flight", "1"},
                                        {"linger.ms", options.text("--linger", "0")}});
}

void send(rd_kafka_t* producer, const std::string& topic, const void* key, std::size_t key_size,
          const void* value, std::size_t value_size) {
  for (;;) {
    const auto failed =
        rd_kafka_producev(producer, RD_KAFKA_V_TOPIC(topic.c_str()),
                          RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_KEY(key, key_size),
                          RD_KAFKA_V_VALUE(const_cast<void*>(value), value_size), RD_KAFKA_V_END);
    if (failed != RD_KAFKA_RESP_ERR__QUEUE_FULL) return;
    rd_kafka_poll(producer, 1);
  }
}

int run_agent(const Options& options) {
  Source source(options, options.text("--from"));
  rd_kafka_t* const producer = new_producer(options);
  const std::string to = options.text("--to");
  fmt::print("ready\n");
  std::fflush(stdout);
  for (;;) {
    source.take(100, [&](const rd_kafka_message_t& request) {
      send(producer, to, request.key, request.key_len, request.payload, request.len);
    });
    rd_kafka_poll(producer, 0);
  }
}

// What all threads of this process have used.
double cpu_microseconds() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e6 + static_cast<double>(used.tv_nsec) / 1e3;
}

int run_client(const Options& options) {
  Source source(options, options.text("--to"));
  rd_kafka_t* const producer = new_producer(options);
  const std::string from = options.text("--from");
  const std::string value =
      "{\"text\":\"" + std::string(static_cast<std::size_t>(options.number("--size", 200)), 't') +
      "\"}";
  std::unordered_map<std::string, Clock::time_point> waiting;
  std::uint64_t next = static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
  const auto ask = [&] {
    const std::string key = fmt::format("{{\"correlationId\":\"{:032x}\"}}", ++next);
    waiting[key] = Clock::now();
    send(producer, from, key.data(), key.size(), value.data(), value.size());
  };
  for (std::int64_t i = 0; i < options.number("--in-flight", 64); ++i) ask();
  const auto seconds = [&](std::string_view name, std::string_view fallback) {
    const double given = std::stod(options.text(name, fallback));
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(given));
  };
  const auto begin = Clock::now() + seconds("--warmup", "0.3");
  const auto end = begin + seconds("--seconds", "2");
  Latency latency;
  std::uint64_t calls = 0;
  double cpu = 0;
  for (auto now = Clock::now(); now < end; now = Clock::now()) {
    source.take(10, [&](const rd_kafka_message_t& reply) {
      const std::string key(static_cast<const char*>(reply.key), reply.key_len);
      const auto found = waiting.find(key);
      if (found == waiting.end()) return;
      const auto done = Clock::now();
      if (done >= begin) {
        if (calls++ == 0) cpu = -cpu_microseconds();
        latency.add(static_cast<std::uint64_t>((done - found->second).count()));
      }
      waiting.erase(found);
      ask();
    });
    rd_kafka_poll(producer, 0);
  }
  cpu += cpu_microseconds();
  const double time = std::chrono::duration<double>(end - begin).count();
  fmt::print(R"({{"calls_per_s":{:.1f},"p50_us":{:.1f},"p99_us":{:.1f},"cpu_us":{:.2f}}})"
             "\n",
             static_cast<double>(calls) / time, latency.microseconds_at(0.5),
             latency.microseconds_at(0.99), cpu / static_cast<double>(std::max(calls, 1ul)));
  std::fflush(stdout);
  std::_Exit(0);  // Records in flight are not waited for.
}

}  // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv, kUsage,
                        {"--mode", "--broker", "--from", "--to", "--in-flight", "--seconds",
                         "--warmup", "--fetch-wait", "--size", "--linger"});
  return options.text("--mode") == "agent" ? run_agent(options) : run_client(options);
}
