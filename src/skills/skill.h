// A Skill is a tool compiled into the gateway that also handles goals in plain text: a goal is
// answered by the skill whose keyword precedes a colon, else by the first that can handle it. A
// skill handles a goal by calling its own tool, so a goal passes the pipeline like any call.
//
// The one list of skills is in app/registry.cc. Everything here is constant; can_handle(),
// execute() and run() are called on any worker, possibly on several at once, and do not block.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "async/task.h"
#include "core/result.h"
#include "skills/goal_settings.h"

namespace patchbay {

// A goal, or one step of it, in the form for skills.
struct GoalText {
  std::string_view whole;
  std::string_view keyword;  // The skill's keyword in front of a colon; empty if there is none.
  std::string_view text;     // What follows that colon; the whole goal if there is none.
};

// The services with which a skill handles a goal. Valid while execute() runs.
class GoalTools {
 public:
  virtual const gateway::GoalSettings& settings() const = 0;

  // Calls the skill's tool on behalf of the goal's caller. `arguments` is raw JSON of an object.
  // Yields the text of the result; a failure of the tool is an Error with its message.
  virtual Task<std::string> call(std::string arguments) = 0;

  // The definition of the skill's tool: raw JSON; empty if it is not listed.
  virtual std::string_view definition() const = 0;

  // Why the upstream of the skill's tool cannot answer; empty if it can.
  virtual std::string trouble() const = 0;

 protected:
  ~GoalTools() = default;
};

struct Skill {
  // As a tool.

  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view input_schema;  // Raw JSON, an object schema.

  // `arguments` is one raw JSON object that has been checked. Yields the text of the answer; an
  // Error's message is sent to the caller as the tool's failure. Null for a skill whose tool needs
  // a SkillState, and for one whose tool another upstream has.
  Result<std::string> (*run)(std::string_view arguments) = nullptr;

  // For goals.

  std::string_view goal_name;                  // In the trace: "CalculatorSkill".
  std::span<const std::string_view> keywords;  // In front of a colon, in lower case.

  // Whether a goal without a keyword is for this skill. `goal` is in lower case.
  bool (*can_handle)(std::string_view goal);

  // Handles the goal. The views stay valid until the task is done.
  Task<std::string> (*execute)(GoalText goal, GoalTools& tools);

  bool invented =
      false;  // The tool returns invented data. Goals use it; it is not listed by default.
  bool remote = false;  // The tool is the one that goals.osquery names.
};

// The state that the tool of a skill needs beyond one call, for example an index. Each builtin
// upstream has its own. start() and stop() are called on the control thread, run() on any worker.
class SkillState {
 public:
  virtual ~SkillState() = default;
  virtual void start() = 0;
  virtual Task<std::string> run(std::string_view arguments) = 0;
  virtual Task<void> stop() = 0;
};

// A skill as a builtin upstream offers it.
struct OfferedSkill {
  const Skill* skill;
  std::shared_ptr<SkillState> state = nullptr;  // Null: skill->run answers.
  bool listed = true;                           // False: for goals only.
};

}  // namespace patchbay
