// An OpenapiUpstream is a service that an OpenAPI document describes: its operations are tools, and
// by setting resources. A call is made on the caller's worker, over connections of that worker. The
// document is fetched on the control thread, repeatedly if so configured, and parsed on a thread of
// the pool, because a document of 16 MiB must not delay other upstreams. If it is invalid, the last
// valid one stays in use.
//
// answer() on any worker; start(), reread() and stop() on the control thread.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "async/scope.h"
#include "async/thread_pool.h"
#include "gateway/call/upstream.h"
#include "net/process/file_watch.h"
#include "oauth/access.h"
#include "observe/metrics.h"
#include "upstreams/openapi/client.h"
#include "upstreams/openapi/settings.h"
#include "upstreams/openapi/source.h"

namespace patchbay::upstreams {

// The effective settings before any document is read.
struct OpenapiPlan {
  std::string name;
  OpenapiSettings settings;
  std::optional<net::Url> document;  // Nothing for a file.
  std::string document_fields;       // Header lines for fetching it.
  OpenapiTarget target;
  std::shared_ptr<const oauth::Plan> auth;  // Null: only the security schemes of the document.
};

// The error names the setting that is wrong, and the reason.
Result<OpenapiPlan> plan_openapi(const std::string& name, const OpenapiSettings& settings);

class OpenapiUpstream final : public gateway::Upstream {
 public:
  // REQUIRES: objects that are referred to outlive the upstream. `access` is null if the plan has
  // no `auth`.
  OpenapiUpstream(OpenapiPlan plan, const std::vector<net::Loop*>& workers,
                  gateway::UpstreamWatcher& watcher, metrics::Registry& registry,
                  ThreadPool& parsers, std::shared_ptr<oauth::Access> access);

  std::string_view name() const override { return plan_.name; }
  std::string_view kind() const override { return "openapi"; }
  Task<void> start() override;
  Task<mcp::Reply> answer(const gateway::Call& call, std::string_view target) override;
  bool can_ask() const override { return false; }
  gateway::UpstreamTimeout call_timeout() const override { return {plan_.settings.timeout}; }
  gateway::UpstreamState state() const override;
  std::shared_ptr<const gateway::LeftOut> left_out() const override;
  void reread() override { again_.deliver(ok()); }
  Task<void> stop(Deadline deadline) override;

 private:
  Task<void> keep_current();
  Task<void> read_document();
  Task<OpenapiService> parse(std::string text);
  void publish(OpenapiService service);
  void set_state(bool up, std::string detail);
  OpenapiClient* client_here();
  Task<mcp::Reply> answer_on(OpenapiClient& client, const gateway::Call& call,
                             std::string_view target);

  // Constant after construction.
  const OpenapiPlan plan_;
  gateway::UpstreamWatcher& watcher_;
  ThreadPool& parsers_;
  const std::shared_ptr<oauth::Access> access_;
  const std::shared_ptr<metrics::Gauge> in_flight_;
  std::vector<std::unique_ptr<OpenapiClient>> clients_;  // Each touched on its worker only.

  // Control thread only.
  OpenapiSource source_;
  std::optional<net::FileWatch> watch_;
  Scope scope_;
  Stop stopping_;
  OneShot<void> again_;  // The document must be read now.
  OneShot<void> first_attempt_;
  bool stopped_ = false;

  // Guarded: set by the control thread, read by any.
  mutable std::mutex mutex_;
  gateway::UpstreamState state_{false, "starting"};
  std::shared_ptr<const gateway::LeftOut> left_out_;
};

}  // namespace patchbay::upstreams
