// A Condition restricts one argument of a call, named by a JSON pointer. Never changed once made;
// threads may share it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/read_value.h"
#include "config/settings.h"
#include "json/index.h"
#include "json/schema/regex.h"

namespace patchbay::policy {

struct RangeSettings {
  config::Node min;
  config::Node max;
};

struct ConditionSettings {
  std::string pointer;
  config::Node equals;
  std::vector<config::Node> in;
  std::string matches;
  std::optional<RangeSettings> range;
  std::optional<bool> absent;
};

class Condition {
 public:
  // Adds a fault if the settings are empty or contradictory.
  Condition(const ConditionSettings& settings, int line, const config::Location& at);

  // True if the arguments satisfy it. A missing argument never does.
  bool holds(const json::Index& arguments) const;

  const std::string& pointer() const { return pointer_; }

 private:
  std::optional<json::NodeId> find(const json::Index& arguments) const;
  bool is_one_of(const json::Index& arguments, json::NodeId at) const;
  bool fits_pattern(const json::Index& arguments, json::NodeId at) const;
  bool is_in_range(const json::Index& arguments, json::NodeId at) const;

  std::string pointer_;
  std::vector<std::string> tokens_;             // Of the pointer.
  std::optional<std::vector<std::string>> in_;  // Canonical.
  std::optional<json::Regex> matches_;
  std::string min_;  // Raw numbers; empty: none.
  std::string max_;
  std::optional<bool> absent_;
};

}  // namespace patchbay::policy

namespace patchbay {

template <>
const config::Fields& config::fields<policy::RangeSettings>();

template <>
const config::Fields& config::fields<policy::ConditionSettings>();

}  // namespace patchbay
