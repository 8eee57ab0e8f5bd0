// The pages for monitoring: /health says that the process runs, /ready whether every upstream can
// answer, /metrics is for Prometheus.
//
// One per worker; confined to it.
#pragma once

#include "frontends/operations.h"
#include "net/http/server/server.h"
#include "observe/metrics.h"

namespace patchbay::frontends {

class HealthPage final : public net::HttpHandler {
 public:
  explicit HealthPage(const OperationsView& view) : view_(view) {}
  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  const OperationsView& view_;
};

class ReadinessPage final : public net::HttpHandler {
 public:
  explicit ReadinessPage(const OperationsView& view) : view_(view) {}
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
