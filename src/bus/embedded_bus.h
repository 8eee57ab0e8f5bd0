// The EmbeddedBus is a bus inside this process: the mock broker of librdkafka, which speaks the
// real protocol on loopback, and a small Schema Registry. Other processes can use it. Everything is
// in memory and is lost with the process: for evaluation and tests.
//
// start() and stop() are called on the thread of the loop that serves the registry; the rest on any
// thread once it is started.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "async/thread_pool.h"
#include "bus/registry_server.h"
#include "net/http/server/server.h"
#include "net/io/loop.h"

namespace patchbay::bus {

class EmbeddedBus {
 public:
  EmbeddedBus();
  ~EmbeddedBus();  // REQUIRES: stop() has yielded, or it never started.

  // `brokers` from 1 up.
  Result<void> start(int brokers = 1);
  Task<void> stop();

  const std::string& bootstrap() const { return bootstrap_; }        // host:port[,host:port…]
  const std::string& registry_url() const { return registry_url_; }  // http://host:port

  // {"kind":"embedded","bootstrap":…,"schema_registry":…,"durable":false}
  std::string describe() const;

  // Creates a topic, which clients cannot do: the broker has no such request. An existing topic
  // stays as it is.
  void create_topic(const std::string& topic, int partitions);

  // Faults, for tests. Brokers are numbered from 1.
  void set_down(int broker, bool down);
  void set_leader(const std::string& topic, int partition, int broker);
  void set_delay(int broker, int milliseconds);
  // The next requests of that API key fail with these errors.
  void fail_requests(std::int16_t kind, const std::vector<int>& errors);
  void set_coordinator(const std::string& group, int broker);

 private:
  struct Cluster;

  Result<void> start_registry();

  std::unique_ptr<Cluster> cluster_;
  metrics::Registry metrics_;  // Its HTTP server counts for itself.
  net::HttpCounters counters_{metrics_};
  net::AnonymousGuard authenticator_;
  RegistryServer registry_;
  std::unique_ptr<net::HttpServer> server_;
  ThreadPool ending_{1, 1};
  std::string bootstrap_;
  std::string registry_url_;
};

}  // namespace patchbay::bus
