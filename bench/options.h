// Options: the command line of a bench tool, pairs of `--name value` and nothing else.
//
// Parsed once, on the main thread, before anything runs. A tool that cannot parse its flags exits
// with a message and status 2, because a benchmark of something else is worse than none.

#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace patchbay::bench {

[[noreturn]] inline void fail(std::string_view sentence) {
  fmt::print(stderr, "{}\n", sentence);
  std::exit(2);
}

class Options {
 public:
  // Ends the program when `argv` is not pairs, names a flag that is not in `known`, or asks --help.
  Options(int argc, char** argv, std::string_view usage, std::vector<std::string_view> known) {
    std::vector<std::string_view> args(argv + 1, argv + argc);
    for (std::size_t i = 0; i < args.size(); i += 2) {
      if (args[i] == "--help") {
        fmt::print("{}\n", usage);
        std::exit(0);
      }
      bool is_known = false;
      for (auto name : known) is_known = is_known || args[i] == name;
      if (!is_known) fail(fmt::format("unknown flag {}\n{}", args[i], usage));
      if (i + 1 == args.size()) fail(fmt::format("{} needs a value", args[i]));
      pairs_.emplace_back(args[i], args[i + 1]);
    }
  }

  // Every value given for `name`, in order.
  std::vector<std::string> all(std::string_view name) const {
    std::vector<std::string> values;
    for (const auto& [key, value] : pairs_) {
      if (key == name) values.emplace_back(value);
    }
    return values;
  }

  std::string text(std::string_view name, std::string_view fallback = "") const {
    auto values = all(name);
    return values.empty() ? std::string(fallback) : values.back();
  }

  std::int64_t number(std::string_view name, std::int64_t fallback) const {
    auto value = text(name);
    if (value.empty()) return fallback;
    std::int64_t parsed = 0;
    auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
    if (error != std::errc() || end != value.data() + value.size() || parsed < 0) {
      fail(fmt::format("{} takes a whole number, not '{}'", name, value));
    }
    return parsed;
  }

  double seconds(std::string_view name, double fallback) const {
    auto value = text(name);
    if (value.empty()) return fallback;
    char* end = nullptr;
    double parsed = std::strtod(value.c_str(), &end);
    if (*end != '\0' || !(parsed >= 0)) {
      fail(fmt::format("{} takes seconds, not '{}'", name, value));
    }
    return parsed;
  }

 private:
  std::vector<std::pair<std::string_view, std::string_view>> pairs_;
};

}  // namespace patchbay::bench
