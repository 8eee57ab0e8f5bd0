#include "bus/embedded_bus.h"

#include <fmt/format.h>

#include "bus/conf.h"
#include "core/discard.h"
#include "json/text.h"
#include "net/io/socket.h"

#include <librdkafka/rdkafka_mock.h>

namespace patchbay::bus {

// The broker, and the client that librdkafka ties it to.
struct EmbeddedBus::Cluster {
  explicit Cluster(rd_kafka_t* of) : client(of) {}
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster() {
    if (brokers) rd_kafka_mock_cluster_destroy(brokers);
    rd_kafka_destroy(client);
  }

  rd_kafka_t* const client;
  rd_kafka_mock_cluster_t* brokers = nullptr;
};

EmbeddedBus::EmbeddedBus() = default;
EmbeddedBus::~EmbeddedBus() = default;

Result<void> EmbeddedBus::start(int brokers) {
  const Connection nowhere{.properties = {}, .name = "patchbay-embedded-bus"};
  auto client = make_client(RD_KAFKA_PRODUCER, nowhere, 0, {}, {});
  if (!client) return Error{Code::internal, "no embedded bus: " + client.error().message};
  cluster_ = std::make_unique<Cluster>(*client);
  cluster_->brokers = rd_kafka_mock_cluster_new(*client, brokers);
  if (!cluster_->brokers) return Error{Code::internal, "no embedded bus: it cannot listen"};
  bootstrap_ = rd_kafka_mock_cluster_bootstraps(cluster_->brokers);
  return start_registry();
}

Result<void> EmbeddedBus::start_registry() {
  auto address = net::parse_address("127.0.0.1:0");
  if (!address) return address.error();
  auto listener = net::listen_on(*address, false);
  if (!listener) return listener.error();
  auto bound = net::local_address(listener->get());
  if (!bound) return bound.error();
  registry_url_ = "http://" + bound->text();
  server_ = std::make_unique<net::HttpServer>(
      std::vector<net::HttpRoute>{{"/*", "*", &registry_}, {"/", "*", &registry_}},
      std::make_shared<const net::HttpSettings>(), authenticator_, counters_);
  server_->start(*std::move(listener));
  return ok();
}

Task<void> EmbeddedBus::stop() {
  if (server_) {
    server_->close();
    auto stopped = co_await server_->stop(here().now());
    discard(stopped, "connections that are still open are closed");
    server_.reset();
  }
  if (!cluster_) co_return ok();
  std::function<Result<void>()> end = [cluster = std::shared_ptr<Cluster>(std::move(cluster_))] {
    return ok();  // The destructor ends it, on a thread that may block.
  };
  co_return co_await ending_.run<void>(std::move(end));
}

std::string EmbeddedBus::describe() const {
  return fmt::format(R"({{"kind":"embedded","bootstrap":{},"schema_registry":{},"durable":false}})",
                     json::quote(bootstrap_), json::quote(registry_url_));
}

void EmbeddedBus::create_topic(const std::string& topic, int partitions) {
  rd_kafka_mock_topic_create(cluster_->brokers, topic.c_str(), partitions, 1);
}

void EmbeddedBus::set_down(int broker, bool down) {
  if (down) {
    rd_kafka_mock_broker_set_down(cluster_->brokers, broker);
  } else {
    rd_kafka_mock_broker_set_up(cluster_->brokers, broker);
  }
}

void EmbeddedBus::set_leader(const std::string& topic, int partition, int broker) {
  rd_kafka_mock_partition_set_leader(cluster_->brokers, topic.c_str(), partition, broker);
}

void EmbeddedBus::set_delay(int broker, int milliseconds) {
  rd_kafka_mock_broker_set_rtt(cluster_->brokers, broker, milliseconds);
}

void EmbeddedBus::fail_requests(std::int16_t kind, const std::vector<int>& errors) {
  std::vector<rd_kafka_resp_err_t> codes;
  for (const int error : errors) codes.push_back(static_cast<rd_kafka_resp_err_t>(error));
  rd_kafka_mock_push_request_errors_array(cluster_->brokers, kind, codes.size(), codes.data());
}

void EmbeddedBus::set_coordinator(const std::string& group, int broker) {
  rd_kafka_mock_coordinator_set(cluster_->brokers, "group", group.c_str(), broker);
}

}  // namespace patchbay::bus
