// The front end for operators: /health says that the process lives, /ready whether every upstream
// can answer, /metrics how it fares.
//
// One for all workers; its handlers run on any of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gateway/call/upstream.h"
#include "net/http/server/server.h"
#include "observe/metrics.h"

namespace patchbay::frontends {

struct UpstreamLine {
  std::string name;
  std::string kind;
  gateway::UpstreamState state;
  std::size_t tools = 0;
};

// {"name":…,"kind":…,"state":"up","detail":…,"tools":…}
std::string upstream_json(const UpstreamLine& line);

// What operators may know, gathered when asked. Called on any worker.
struct OperationsView {
  std::function<std::vector<UpstreamLine>()> upstreams;
  std::function<bool()> ready;            // Started, and not stopping.
  std::function<std::string()> bus = {};  // Where the embedded bus is, raw; empty: none.
  // Changes of files that were refused, and why; none: what the files say is in force.
  std::function<std::vector<std::string>()> refused = {};
};

class Health final : public net::HttpHandler {
 public:
  explicit Health(const OperationsView& view) : view_(view) {}
  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  const OperationsView& view_;
};

class Readiness final : public net::HttpHandler {
 public:
  explicit Readiness(const OperationsView& view) : view_(view) {}
  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  const OperationsView& view_;
};

class MetricsPage final : public net::HttpHandler {
 public:
  explicit MetricsPage(metrics::Registry& registry) : registry_(registry) {}
  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  metrics::Registry& registry_;
};

}  // namespace patchbay::frontends
