// An agent in C++: replies to each request with the same key. It does not register itself.
//
// usage: agent BROKERS REQUEST-TOPIC REPLY-TOPIC
#include <librdkafka/rdkafkacpp.h>

#include <iostream>
#include <memory>
#include <string>

using Conf = std::unique_ptr<RdKafka::Conf>;

static Conf settings(std::initializer_list<std::pair<const char*, std::string>> pairs) {
  Conf conf(RdKafka::Conf::create(RdKafka::Conf::CONF_GLOBAL));
  std::string why;
  for (const auto& [name, value] : pairs) {
    if (conf->set(name, value, why) != RdKafka::Conf::CONF_OK) std::cerr << why << '\n';
  }
  return conf;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string brokers = argv[1];
  const std::string replies = argv[3];
  std::string why;
  const Conf sends = settings({{"bootstrap.servers", brokers}, {"linger.ms", "0"}});
  const std::unique_ptr<RdKafka::Producer> producer(RdKafka::Producer::create(sends.get(), why));
  const Conf reads = settings(
      {{"bootstrap.servers", brokers}, {"group.id", "count"}, {"auto.offset.reset", "earliest"}});
  const std::unique_ptr<RdKafka::KafkaConsumer> consumer(
      RdKafka::KafkaConsumer::create(reads.get(), why));
  if (!producer || !consumer) return 1;
  consumer->subscribe({argv[2]});
  for (;;) {
    const std::unique_ptr<RdKafka::Message> request(consumer->consume(1000));
    if (request->err()) continue;
    std::string reply = "{\"characters\":" + std::to_string(request->len()) + "}";
    producer->produce(replies, RdKafka::Topic::PARTITION_UA, RdKafka::Producer::RK_MSG_COPY,
                      reply.data(), reply.size(), request->key_pointer(), request->key_len(), 0,
                      nullptr);
    producer->flush(10'000);
  }
}
