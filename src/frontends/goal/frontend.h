// The front end for goals in words: POST /api/agent/execute and GET /api/agent/skills.
//
// One per worker; confined to it.
#pragma once

#include <memory>

#include "frontends/goal/run.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

class GoalFrontend {
 public:
  GoalFrontend(GoalContext place, std::shared_ptr<const SkillTable> table)
      : place_(place), table_(std::move(table)), execute_(*this), skills_(*this) {}

  void update(std::shared_ptr<const SkillTable> table) { table_ = std::move(table); }

  net::HttpHandler& execute() { return execute_; }
  net::HttpHandler& skills() { return skills_; }

  const SkillTable& table() const { return *table_; }

  // A new run of whatever the configuration says now.
  GoalRun begin(gateway::CallOrigin caller) { return GoalRun(place_, table_, std::move(caller)); }

 private:
  // Errors of goals look the same, whoever tells them.
  static net::HttpRefusal goal_refusal(std::string_view message);

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

  const GoalContext place_;
  std::shared_ptr<const SkillTable> table_;
  Execute execute_;
  Skills skills_;
};

}  // namespace patchbay::frontends
