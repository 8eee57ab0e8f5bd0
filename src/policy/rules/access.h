// Access is what the rules about one set of callers come to: what they see, and on which terms they
// may call it. It is asked when a catalog is made for them, and for URIs that no list has.
//
// Never changed once made; threads may share it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "policy/rules/rules.h"

namespace patchbay::policy {

// On which terms a tool that is there may be called: one of these must hold.
struct Terms {
  struct Term {
    bool approve = false;        // A person must approve the call.
    const Rule* rule = nullptr;  // Its conditions must all hold.
  };
  std::vector<Term> any;
  bool may_need_approval = false;

  // What becomes of a call. `refused` names the argument that is in the way, or says what is.
  struct Verdict {
    bool allowed = false;
    bool approve = false;
    std::string refused = {};
    std::string_view rule = {};  // Which decided.
  };
  Verdict evaluate(std::string_view arguments) const;
};

// Whether a tool is there.
struct ToolAccess {
  bool there = false;
  std::string_view rule = {};               // Which one says so.
  std::shared_ptr<const Terms> terms = {};  // Null: it may be called in any way.
};

class Access {
 public:
  Access(std::shared_ptr<const Rules> rules, const Rules::Set& about);

  ToolAccess tool(std::string_view upstream, std::string_view name) const;
  bool has_prompt(std::string_view upstream, std::string_view prompt) const;
  // `uri` is in the words of its upstream.
  bool has_resource(std::string_view upstream, std::string_view uri) const;
  // Whether some of what can be made from the template is there.
  bool has_template(std::string_view upstream, std::string_view uri_template) const;
  bool has_method(std::string_view method) const;

  // Whether anything of that upstream could be there.
  bool reaches(std::string_view upstream) const;

  const std::string& version() const { return rules_->version(); }

 private:
  bool denies_resource(std::string_view upstream, std::string_view uri) const;

  const std::shared_ptr<const Rules> rules_;
  std::vector<const Rule*> about_;
};

}  // namespace patchbay::policy
