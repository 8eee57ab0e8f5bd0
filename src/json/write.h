// Small objects written directly into a string. Values only.
#pragma once

#include <string>
#include <string_view>

#include "json/text.h"

namespace patchbay::json {

// Writes `{` in the constructor and `}` in the destructor or end(); the members in between.
class Object {
 public:
  explicit Object(std::string& out) : out_(out) { out_ += '{'; }
  ~Object() { end(); }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  // No more members follow.
  void end() {
    if (!ended_) out_ += '}';
    ended_ = true;
  }

  // The caller appends the value.
  void key(std::string_view name) {
    append_key(out_, name, !first_);
    first_ = false;
  }
  void raw(std::string_view name, std::string_view value) {
    key(name);
    out_ += value;
  }
  // Raw members (`"a":1,"b":2`), or nothing.
  void members(std::string_view raw_members) {
    if (raw_members.empty()) return;
    if (!first_) out_ += ',';
    first_ = false;
    out_ += raw_members;
  }

 private:
  std::string& out_;
  bool first_ = true;
  bool ended_ = false;
};

}  // namespace patchbay::json
