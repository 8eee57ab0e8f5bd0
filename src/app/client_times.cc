#include "app/client_times.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>

#include "config/make_node.h"
#include "config/units.h"

namespace patchbay::app {
namespace {

using config::Kind;
using config::Node;

constexpr double kMostInZed = 600;  // Seconds; more is milliseconds.
// What the settings here allow, in milliseconds.
constexpr double kMostOfCall = 24 * 3'600'000;
constexpr double kMostToStart = 600'000;

class TimesTranslator {
 public:
  TimesTranslator(Node& ours, const ClientContext& context) : ours_(ours), context_(context) {}

  void add(const Node& entry, const std::string& path, std::string_view key,
           std::string_view our_key, TimeUnit unit) {
    const Node* const given = entry.find(key);
    if (!given) return;
    const std::string there = config::member_path(path, key);
    if (given->kind == Kind::map && key == "timeout") return add_each(*given, there);
    add_time(*given, there, our_key, unit);
  }

 private:
  // opencode: `startup` and `request`, in milliseconds.
  void add_each(const Node& times, const std::string& path) {
    for (const auto& [name, line, time] : times.members) {
      const std::string there = config::member_path(path, name);
      if (name == "request") {
        add_time(time, there, "timeout", TimeUnit::milliseconds);
      } else if (name == "startup") {
        add_time(time, there, "start_timeout", TimeUnit::milliseconds);
      } else {
        note(line, there, "not read: it has no counterpart here");
      }
    }
  }

  void add_time(const Node& given, const std::string& path, std::string_view our_key,
                TimeUnit unit) {
    double number = -1;
    const char* const end = given.text.data() + given.text.size();
    const auto read = std::from_chars(given.text.data(), end, number);
    if (read.ptr != end || read.ec != std::errc() || !(number >= 0)) {
      context_.faults.push_back(
          {context_.file, given.line, path, "is not a number of seconds or milliseconds"});
      return;
    }
    const bool seconds =
        unit == TimeUnit::seconds || (unit == TimeUnit::zed && number <= kMostInZed);
    double ms = std::ceil(seconds ? number * 1'000 : number);
    const double most = our_key == "start_timeout" ? kMostToStart : kMostOfCall;
    if (ms > most) {
      const config::Duration used(static_cast<std::int64_t>(most));
      note(given.line, path, fmt::format("is more than {0}; {0} is used", config::print(used)));
      ms = most;
    }
    Node time = config::bare_node(fmt::format("{:.0f}ms", ms));
    time.line = given.line;
    ours_.members.push_back({std::string(our_key), given.line, std::move(time)});
  }

  void note(int line, const std::string& path, std::string message) {
    context_.notes.push_back({context_.file, line, path, std::move(message)});
  }

  Node& ours_;
  const ClientContext& context_;
};

}  // namespace

void add_client_times(Node& ours, const Node& entry, const std::string& path,
                      const ClientContext& context) {
  TimesTranslator times(ours, context);
  times.add(entry, path, "timeout", "timeout", context.timeout_unit);
  times.add(entry, path, "tool_timeout_sec", "timeout", TimeUnit::seconds);
  times.add(entry, path, "startup_timeout_sec", "start_timeout", TimeUnit::seconds);
  times.add(entry, path, "startup_timeout_ms", "start_timeout", TimeUnit::milliseconds);
}

}  // namespace patchbay::app
