#include "frontends/admin/call_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/units.h"
#include "core/glob.h"
#include "core/text.h"

namespace patchbay::frontends {
namespace {

constexpr std::int64_t kNanosecondsPerMillisecond = 1'000'000;
constexpr std::size_t kMostPattern = 256;  // It is compared with every call that is looked at.

bool fits(std::string_view glob, std::string_view text) {
  return glob.empty() || matches_glob(glob, text);
}

struct TextFilter {
  std::string_view name;
  std::string CallFilter::* value;
};
constexpr std::array kTextFilters{
    TextFilter{"tool", &CallFilter::tool},     TextFilter{"upstream", &CallFilter::upstream},
    TextFilter{"caller", &CallFilter::caller}, TextFilter{"client", &CallFilter::client},
    TextFilter{"method", &CallFilter::method}, TextFilter{"outcome", &CallFilter::outcome},
};

std::string take(QueryParameters& query, std::string_view name) {
  auto node = query.extract(std::string(name));
  return node ? std::move(node.mapped()) : std::string();
}

}  // namespace

bool CallFilter::wants(const trace::CallRecord& call) const {
  if (owner && call.caller_id != *owner) return false;
  if (call.took_ns < slower_than_ns) return false;
  if (!trace.empty() && !has_prefix(call.context.trace, trace)) return false;
  if (outcome == "!ok" ? call.outcome == "ok" : !fits(outcome, call.outcome)) return false;
  if (!fits(tool, call.tool) && !fits(tool, call.target)) return false;
  if (!fits(caller, call.caller) && !fits(caller, call.caller_id)) return false;
  return fits(upstream, call.upstream) && fits(client, call.client) && fits(method, call.method);
}

Result<CallFilter> take_filter(QueryParameters& query) {
  CallFilter filter;
  for (const auto& one : kTextFilters) {
    filter.*one.value = take(query, one.name);
    if ((filter.*one.value).size() <= kMostPattern) continue;
    return Error{Code::invalid_params,
                 fmt::format("{}: at most {} characters", one.name, kMostPattern)};
  }
  if (const auto text = take(query, "trace"); !text.empty()) {
    auto prefix = trace_prefix(text);
    if (!prefix) return prefix.error();
    filter.trace = *std::move(prefix);
  }
  if (const auto text = take(query, "slower_than"); !text.empty()) {
    const auto duration = config::parse_duration(text);
    if (!duration) {
      return Error{Code::invalid_params, fmt::format("slower_than: {}", duration.error().message)};
    }
    filter.slower_than_ns = duration->count() * kNanosecondsPerMillisecond;
  }
  return filter;
}

Result<void> check_taken(const QueryParameters& rest, std::string_view known) {
  if (rest.empty()) return ok();
  return Error{Code::invalid_params, fmt::format("there is no parameter '{}'; there are: {}",
                                                 rest.begin()->first, known)};
}

Result<std::string> trace_prefix(std::string_view text) {
  const std::string lower = ascii_lower(text);
  const bool hex = std::ranges::all_of(
      lower, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  const std::size_t most = 2 * trace::TraceId{}.size();
  if (hex && lower.size() >= kFewestTraceDigits && lower.size() <= most) return lower;
  return Error{Code::invalid_params,
               fmt::format("a trace id is {} hexadecimal digits, or at least the first {} of them",
                           most, kFewestTraceDigits)};
}

bool has_prefix(const trace::TraceId& trace, std::string_view prefix) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    const std::uint8_t byte = trace[i / 2];
    if (kDigits[i % 2 == 0 ? byte >> 4U : byte & 15U] != prefix[i]) return false;
  }
  return true;
}

}  // namespace patchbay::frontends
