#include "app/chat.h"

#include <fmt/format.h>

#include <cstdio>
#include <future>

#include "app/terminal.h"
#include "core/text.h"
#include "json/text.h"

namespace patchbay::app {
namespace {

constexpr std::size_t kMostLine = 4 << 20;  // Bytes; the length of a goal has its own limit.

constexpr std::string_view kHelp =
    "Type a goal, for example  calculate: 12 / 4  or  weather in Paris.\n"
    "Steps go one after the other:  calculate: 2 + 3 then echo: it is {previous}\n"
    "history  what you have typed    help  this    exit, quit  leave\n";

using Outcome = Result<frontends::GoalTrace>;

Task<frontends::GoalTrace> attempt(frontends::GoalFrontend& frontend, const std::string& goal) {
  if (!json::is_utf8(goal)) co_return Error{Code::invalid_request, "this is not UTF-8"};
  auto good = frontends::check_goal(goal, frontend.table().settings());
  if (!good) co_return good.error();
  auto run = frontend.begin({"chat", local_caller()});
  co_return co_await run.run(goal);
}

// On the worker; everything is its own, because whoever waits goes on at once.
Task<void> fulfil(frontends::GoalFrontend& frontend, std::string goal,
                  std::shared_ptr<std::promise<Outcome>> promise) {
  promise->set_value(co_await attempt(frontend, goal));
  co_return ok();
}

}  // namespace

Chat::Chat(Worker& owner) : owner_(owner), prompt_("You: ", kMostLine) {}

void Chat::run() {
  if (prompt_.on_terminal()) print_raw(kHelp);
  while (auto line = prompt_.read()) {
    const std::string goal(trimmed(*line));
    if (goal == "exit" || goal == "quit") break;
    if (goal == "help") {
      print_raw(kHelp);
    } else if (goal == "history") {
      int number = 0;
      for (const auto& earlier : prompt_.history()) print("{:4}  {}\n", ++number, earlier);
    } else if (!goal.empty()) {
      answer(goal);
    }
    std::fflush(stdout);
  }
}

void Chat::interrupt() {
  prompt_.interrupt();
  owner_.loop().post([this] { goals_.cancel(); });
}

// Waits here while the worker does the work.
void Chat::answer(const std::string& goal) {
  auto promise = std::make_shared<std::promise<Outcome>>();
  auto answered = promise->get_future();
  owner_.loop().post([this, goal, promise = std::move(promise)]() mutable {
    goals_.spawn(fulfil(owner_.goals(), std::move(goal), std::move(promise)));
  });
  const Outcome outcome = answered.get();
  if (!outcome) {
    print("[ERROR] {}\n", outcome.error().message);
    return;
  }
  for (const auto& step : *outcome) {
    if (step.success) {
      print_text(stdout, fmt::format("[{}] {}", step.skill, step.output));
    } else {
      print_text(stdout, fmt::format("[ERROR] {}", step.output));
    }
  }
}

}  // namespace patchbay::app
