// Access is the effect of the rules on one set of callers: what they see, and under which
// conditions they may call it. It is evaluated when their catalog is built, and for URIs that no
// list has.
//
// Never changed once made; threads may share it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "policy/rules/rules.h"

namespace patchbay::policy {

// The conditions under which a visible tool may be called: at least one alternative must hold.
struct CallConditions {
  struct Alternative {
    bool approve = false;        // A person must approve the call.
    const Rule* rule = nullptr;  // Its conditions must all hold.
  };
  std::vector<Alternative> any;
  bool may_need_approval = false;

  // The decision about a call. `refused` names the argument that violates a condition, or the
  // reason.
  struct Verdict {
    bool allowed = false;
    bool approve = false;
    std::string refused = {};
    std::string_view rule = {};  // The rule that decided.
  };
  Verdict evaluate(std::string_view arguments) const;
};

// Whether a tool is visible.
struct ToolAccess {
  bool there = false;
  std::string_view rule = {};                             // The rule that allows it.
  std::shared_ptr<const CallConditions> conditions = {};  // Null: unconditional.
};

class Access {
 public:
  Access(std::shared_ptr<const Rules> rules, const Rules::Set& about);

  ToolAccess tool(std::string_view upstream, std::string_view name) const;
  bool has_prompt(std::string_view upstream, std::string_view prompt) const;
  // `uri` is the upstream's own.
  bool has_resource(std::string_view upstream, std::string_view uri) const;
  // Whether any expansion of the template may be visible.
  bool has_template(std::string_view upstream, std::string_view uri_template) const;
  bool has_method(std::string_view method) const;

  // Whether anything of that upstream may be visible.
  bool reaches(std::string_view upstream) const;

  const std::string& version() const { return rules_->version(); }

 private:
  bool denies_resource(std::string_view upstream, std::string_view uri) const;

  const std::shared_ptr<const Rules> rules_;
  std::vector<const Rule*> about_;
};

}  // namespace patchbay::policy
