#include "gateway/call/trace.h"

#include <algorithm>

namespace patchbay::gateway {
namespace {

constexpr std::string_view kForm = "hh-hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh-hhhhhhhhhhhhhhhh-hh";
constexpr std::size_t kTraceBegin = 3;
constexpr std::size_t kTraceSize = 32;

bool is_lower_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// Later versions may add fields at the end, after a dash.
bool well_formed(std::string_view text) {
  if (text.size() < kForm.size()) return false;
  if (text.size() > kForm.size() && (text.starts_with("00") || text[kForm.size()] != '-')) {
    return false;
  }
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] == '-' ? text[i] != '-' : !is_lower_hex(text[i])) return false;
  }
  return std::ranges::any_of(text.substr(kTraceBegin, kTraceSize), [](char c) { return c != '0'; });
}

// A well-formed one needs no escapes, so what stands between the quotes is the text.
std::string_view of_meta(const mcp::Message& request) {
  const auto* const member = request.meta_member("traceparent");
  if (!member || member->raw.size() < 2 || member->raw.front() != '"') return {};
  return member->raw.substr(1, member->raw.size() - 2);
}

}  // namespace

std::string_view traceparent_of(const Call& call) {
  std::string_view found = call.trace.empty() ? of_meta(call.request) : call.trace;
  if (!well_formed(found)) return {};
  return found.substr(0, kForm.size());
}

std::string_view trace_id(std::string_view traceparent) {
  return traceparent.empty() ? traceparent : traceparent.substr(kTraceBegin, kTraceSize);
}

}  // namespace patchbay::gateway
