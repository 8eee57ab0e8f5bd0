// CallerTemplates are named texts of the configuration, headers or environment variables, in which
// `${caller.name}`, `${caller.id}`, `${caller.auth_method}` and `${caller.claims.NAME}` are
// replaced by facts about the caller. NAME is a member of the claims, or a path to one with dots
// between.
//
// Constant once parsed; usable from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "core/principal.h"
#include "core/result.h"

namespace patchbay::upstreams {

class CallerTemplates {
 public:
  CallerTemplates() = default;

  // The error names the text and the part that cannot be parsed.
  static Result<CallerTemplates> parse(const config::Dict<std::string>& texts);

  // True if some text differs between callers.
  bool depend() const { return depend_; }

  // The texts for `caller`, in their order. Code::forbidden if a value is unknown for the caller.
  // The gateway itself has no claims: texts that need one are left out for it.
  Result<config::Dict<std::string>> fill(const Principal& caller) const;

  // Distinguishes callers whose texts differ.
  Result<std::string> mark(const Principal& caller) const;

 private:
  // A piece of a text: literal, or a placeholder.
  struct Piece {
    std::string text;
    bool about_caller = false;
  };
  struct Text {
    std::string name;
    std::vector<Piece> pieces;
  };

  static Result<Text> parse_one(const std::string& name, std::string_view text);

  std::vector<Text> texts_;
  bool depend_ = false;
};

}  // namespace patchbay::upstreams
