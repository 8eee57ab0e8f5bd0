// The TablePolicy decides which tables may be read. Names are compared as SQL does, ignoring case.
// Immutable; read on any thread.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "osquery/text.h"

namespace patchbay::osquery {

class TablePolicy {
 public:
  // An empty list of allowed tables allows all that are not denied.
  TablePolicy(const std::vector<std::string>& allowed, const std::vector<std::string>& denied) {
    for (const auto& name : allowed) allowed_.push_back(ascii_lower(name));
    for (const auto& name : denied) denied_.push_back(ascii_lower(name));
  }

  // Lower case.
  const std::vector<std::string>& allowed() const { return allowed_; }
  const std::vector<std::string>& denied() const { return denied_; }

  bool allows(std::string_view table) const {
    const std::string name = ascii_lower(table);
    if (std::ranges::find(denied_, name) != denied_.end()) return false;
    return allowed_.empty() || std::ranges::find(allowed_, name) != allowed_.end();
  }

 private:
  std::vector<std::string> allowed_;
  std::vector<std::string> denied_;
};

}  // namespace patchbay::osquery
