// The parameters of a request, by name or by position, and whether they are what the method takes.
// After the first fault the rest is still read; check() reports the first:
//
//   const std::string path = params.text("path");
//   const bool append = params.flag("append");
//   if (auto good = params.check(); !good) return good.error();
//
// Values only; the raw text outlives them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace patchbay::agent {

class Params {
 public:
  // `raw` is an object, an array whose elements have the names of `positions`, null or empty.
  Params(std::string_view raw, std::span<const std::string_view> positions);

  bool has(std::string_view name) const { return !find(name).empty(); }

  // Required. Without NUL, which no path and no argument may have.
  std::string text(std::string_view name);
  // Required. Any text.
  std::string content(std::string_view name);
  std::uint64_t number(std::string_view name);

  // Absent or null: `usual`.
  std::string text(std::string_view name, std::string_view usual);
  std::string content(std::string_view name, std::string_view usual);
  std::uint64_t number(std::string_view name, std::uint64_t usual);
  double seconds(std::string_view name, double usual);
  bool flag(std::string_view name, bool usual = false);
  std::vector<std::string> texts(std::string_view name);
  // Names and values; a value is empty if it is null.
  using Pairs = std::vector<std::pair<std::string, std::optional<std::string>>>;
  Pairs pairs(std::string_view name);

  // A fault that only the method can detect.
  void refuse(std::string why);

  // Code::invalid_params if anything was wrong.
  Result<void> check() const;

 private:
  std::string_view find(std::string_view name) const;
  std::string wrong(std::string_view name, std::string_view must);

  std::vector<std::pair<std::string, std::string_view>> members_;
  std::string fault_;
};

}  // namespace patchbay::agent
