// The frontend for goals in natural language: POST /api/agent/execute and GET /api/agent/skills.
//
// See frontends/frontend.h for threads.
#pragma once

#include <memory>

#include "frontends/frontend.h"
#include "frontends/goal/run.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

class SharedGoalFrontend final : public SharedFrontend {
 public:
  using Table = std::shared_ptr<const SkillTable>;

  SharedGoalFrontend(Table table, const ProcessServices& services)
      : table_(std::move(table)), operations_(services.operations) {}

  void update(Table table) { table_ = std::move(table); }
  std::unique_ptr<Frontend> make(const WorkerServices& worker) override;
  std::vector<Entrance> entrances() const override;

  const Table& table() const { return table_; }

 private:
  Table table_;
  const OperationsView& operations_;
};

class GoalFrontend final : public Frontend {
 public:
  GoalFrontend(const SharedGoalFrontend& shared, const GoalContext& context)
      : shared_(shared),
        context_(context),
        table_(shared.table()),
        execute_(*this),
        skills_(*this) {}

  std::vector<net::HttpRoute> routes() override {
    return {{"/api/agent/execute", "POST", &execute_},
            {"/api/agent/skills", "GET, HEAD", &skills_}};
  }

  void update() override { table_ = shared_.table(); }

 private:
  // Errors of this frontend have one form, including those of the HTTP server.
  static net::HttpRefusal goal_refusal(std::string_view message);

  // A new run with the current settings. REQUIRES: the exchange outlives the run.
  GoalRun begin(net::HttpExchange& exchange);

  class Execute final : public net::HttpHandler {
   public:
    explicit Execute(GoalFrontend& frontend) : frontend_(frontend) {}
    Task<void> handle(net::HttpExchange& exchange) override;
    net::HttpRefusal refusal(const net::HttpRequest&, int,
                             std::string_view message) const override {
      return goal_refusal(message);
    }

   private:
    GoalFrontend& frontend_;
  };

  class Skills final : public net::HttpHandler {
   public:
    explicit Skills(GoalFrontend& frontend) : frontend_(frontend) {}
    Task<void> handle(net::HttpExchange& exchange) override;
    net::HttpRefusal refusal(const net::HttpRequest&, int,
                             std::string_view message) const override {
      return goal_refusal(message);
    }

   private:
    GoalFrontend& frontend_;
  };

  const SharedGoalFrontend& shared_;
  const GoalContext context_;
  std::shared_ptr<const SkillTable> table_;
  Execute execute_;
  Skills skills_;
};

}  // namespace patchbay::frontends
