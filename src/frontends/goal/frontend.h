// The front end for goals in words: POST /api/agent/execute and GET /api/agent/skills.
//
// One per worker; confined to it.
#pragma once

#include <memory>

#include "frontends/goal/run.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

class GoalFace {
 public:
  GoalFace(GoalPlace place, std::shared_ptr<const GoalBook> book)
      : place_(place), book_(std::move(book)), execute_(*this), skills_(*this) {}

  void update(std::shared_ptr<const GoalBook> book) { book_ = std::move(book); }

  net::HttpHandler& execute() { return execute_; }
  net::HttpHandler& skills() { return skills_; }

  const GoalBook& book() const { return *book_; }

  // A new run of whatever the configuration says now.
  GoalRun begin(gateway::Asker asker) { return GoalRun(place_, book_, std::move(asker)); }

 private:
  // Errors of goals look the same, whoever tells them.
  static net::HttpRefusal goal_refusal(std::string_view message);

  class Execute final : public net::HttpHandler {
   public:
    explicit Execute(GoalFace& face) : face_(face) {}
    Task<void> handle(net::HttpExchange& exchange) override;
    net::HttpRefusal refusal(const net::HttpRequest&, int,
                             std::string_view message) const override {
      return goal_refusal(message);
    }

   private:
    GoalFace& face_;
  };

  class Skills final : public net::HttpHandler {
   public:
    explicit Skills(GoalFace& face) : face_(face) {}
    Task<void> handle(net::HttpExchange& exchange) override;
    net::HttpRefusal refusal(const net::HttpRequest&, int,
                             std::string_view message) const override {
      return goal_refusal(message);
    }

   private:
    GoalFace& face_;
  };

  const GoalPlace place_;
  std::shared_ptr<const GoalBook> book_;
  Execute execute_;
  Skills skills_;
};

}  // namespace patchbay::frontends
