#include "cli/chat.h"

#include <fmt/format.h>

#include <cstdio>
#include <future>
#include <thread>

#include "app/registry.h"
#include "cli/terminal.h"
#include "core/discard.h"
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

class Chat {
 public:
  // REQUIRES: all that `context` refers to outlives the chat.
  explicit Chat(const SingleSession::Context& context)
      : worker_(context.worker),
        goal_context_{context.worker.server(), context.worker.catalog(), context.operations},
        table_(std::make_shared<const frontends::SkillTable>(skills(), context.settings.goals)),
        prompt_("You: ", kMostLine) {}

  // Until the person leaves, the input ends or interrupt() is called. On the prompt's thread.
  void run();

  // Ends run() and cancels the goal in progress. Callable on any thread.
  void interrupt();

  // Waits for goals that were cancelled. Called on the worker, after run().
  Task<void> drain() { co_return co_await goals_.drain(kNever); }

 private:
  void answer(const std::string& goal);
  Task<frontends::GoalTrace> attempt(const std::string& goal);
  Task<void> fulfil(std::string goal, std::shared_ptr<std::promise<Outcome>> promise);

  Worker& worker_;
  const frontends::GoalContext goal_context_;
  const std::shared_ptr<const frontends::SkillTable> table_;
  Prompt prompt_;
  Scope goals_;  // Used on the worker only.
};

Task<frontends::GoalTrace> Chat::attempt(const std::string& goal) {
  if (!json::is_utf8(goal)) co_return Error{Code::invalid_request, "this is not UTF-8"};
  auto good = frontends::check_goal(goal, table_->settings());
  if (!good) co_return good.error();
  frontends::GoalRun run(goal_context_, table_, {"chat", local_caller()});
  co_return co_await run.run(goal);
}

// On the worker. It owns its parameters, since the prompt's thread continues at once.
Task<void> Chat::fulfil(std::string goal, std::shared_ptr<std::promise<Outcome>> promise) {
  promise->set_value(co_await attempt(goal));
  co_return ok();
}

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
  worker_.loop().post([this] { goals_.cancel(); });
}

// Blocks the prompt's thread while the worker runs the goal.
void Chat::answer(const std::string& goal) {
  auto promise = std::make_shared<std::promise<Outcome>>();
  auto answered = promise->get_future();
  worker_.loop().post([this, goal, promise = std::move(promise)]() mutable {
    goals_.spawn(fulfil(std::move(goal), std::move(promise)));
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

}  // namespace

Task<void> ChatSession::run(Context context) {
  auto synced = co_await context.synced.wait();
  discard(synced, "it is only ever delivered without an error");
  Chat chat(context);
  OneShot<void> left;
  on_end([&chat] { chat.interrupt(); });
  std::thread person([&context, &chat, &left] {
    chat.run();
    context.control.post([&left] { left.deliver(ok()); });
  });
  auto gone = co_await left.wait();
  discard(gone, "the thread is joined in any case");
  person.join();
  on_end(nullptr);
  auto drain = [&chat] { return chat.drain(); };
  co_return co_await hop<void>(context.worker.loop(), drain);
}

}  // namespace patchbay::app
