// The pages for monitoring: /health reports that the process runs, /ready whether every upstream
// can answer, /metrics has the metrics for Prometheus.
//
// One per worker; confined to it.
#pragma once

#include "frontends/operations.h"
#include "gateway/catalog/view.h"
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
  // REQUIRES: both outlive this.
  ReadinessPage(const OperationsView& view, const gateway::CatalogView& catalog)
      : view_(view), catalog_(catalog) {}
  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  bool sees(const Caller& caller, std::string_view upstream) const;

  const OperationsView& view_;
  const gateway::CatalogView& catalog_;
};

class MetricsPage final : public net::HttpHandler {
 public:
  explicit MetricsPage(metrics::Registry& registry) : registry_(registry) {}
  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  metrics::Registry& registry_;
};

}  // namespace patchbay::frontends
