#include "policy/rules/approval_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "crypto/sha256.h"
#include "json/read.h"
#include "json/write.h"

namespace patchbay::policy {
namespace {

constexpr std::size_t kIdDigits = 32;

// In the order of ApprovalState.
constexpr std::array<std::string_view, 4> kStates{"waiting", "approved", "used", "refused"};

std::string milliseconds_json(store::Time time) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch());
  return fmt::format("{}", since.count());
}

store::Time time_in(std::string_view raw) {
  return store::Time(std::chrono::milliseconds(json::as_int(raw).value_or(0)));
}

std::optional<ApprovalState> state_in(std::string_view raw) {
  const auto* const found = std::ranges::find(kStates, json::as_string(raw).value_or(""));
  if (found == kStates.end()) return std::nullopt;
  return static_cast<ApprovalState>(found - kStates.begin());
}

Error unknown_text() {
  return {Code::internal, "an approval in the store is of another version of Patchbay"};
}

}  // namespace

std::string approval_id(const ApprovalSubject& subject) {
  std::string all;
  for (const std::string* part :
       {&subject.caller, &subject.tool, &subject.digest, &subject.policy}) {
    all += fmt::format("{}:{}", part->size(), *part);
  }
  return sha256(all).substr(0, kIdDigits);
}

bool is_approval_id(std::string_view text) {
  return text.size() == kIdDigits && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string approved_call_key(std::string_view tool) { return sha256(tool).substr(0, kIdDigits); }

std::string text_of(const ApprovalEntry& entry) {
  std::string text;
  json::Object object(text);
  object.raw("state", json::quote(kStates[static_cast<std::size_t>(entry.state)]));
  if (entry.open()) {
    object.raw("caller", json::quote(entry.subject.caller));
    object.raw("tool", json::quote(entry.subject.tool));
    object.raw("digest", json::quote(entry.subject.digest));
    object.raw("policy", json::quote(entry.subject.policy));
    object.raw("name", json::quote(entry.caller_name));
    object.raw("arguments", entry.arguments);
    object.raw("by", json::quote(entry.approved_by));
    object.raw("asked", milliseconds_json(entry.asked));
    object.raw("expires", milliseconds_json(entry.expires));
    object.raw("ttl", fmt::format("{}", entry.ttl.count()));
  }
  object.end();
  return text;
}

Result<ApprovalEntry> approval_entry(std::string id, std::string_view text) {
  ApprovalEntry entry{.id = std::move(id)};
  std::optional<ApprovalState> state;
  json::each_member(text, [&](std::string_view key, std::string_view raw) {
    const auto string = [&raw] { return json::as_string(raw).value_or(""); };
    if (key == "state") state = state_in(raw);
    if (key == "caller") entry.subject.caller = string();
    if (key == "tool") entry.subject.tool = string();
    if (key == "digest") entry.subject.digest = string();
    if (key == "policy") entry.subject.policy = string();
    if (key == "name") entry.caller_name = string();
    if (key == "arguments") entry.arguments = raw;
    if (key == "by") entry.approved_by = string();
    if (key == "asked") entry.asked = time_in(raw);
    if (key == "expires") entry.expires = time_in(raw);
    if (key == "ttl") entry.ttl = std::chrono::milliseconds(json::as_int(raw).value_or(0));
  });
  if (!state) return unknown_text();
  entry.state = *state;
  if (entry.open() && (entry.arguments.empty() || approval_id(entry.subject) != entry.id)) {
    return unknown_text();
  }
  return entry;
}

std::string text_of(const ApprovedCall& call) {
  std::string text;
  json::Object object(text);
  object.raw("tool", json::quote(call.tool));
  object.raw("caller", json::quote(call.caller));
  object.raw("arguments", call.arguments);
  object.raw("by", json::quote(call.by));
  object.raw("when", milliseconds_json(call.when));
  object.end();
  return text;
}

Result<ApprovedCall> approved_call(std::string_view text) {
  ApprovedCall call;
  json::each_member(text, [&](std::string_view key, std::string_view raw) {
    if (key == "tool") call.tool = json::as_string(raw).value_or("");
    if (key == "caller") call.caller = json::as_string(raw).value_or("");
    if (key == "arguments") call.arguments = raw;
    if (key == "by") call.by = json::as_string(raw).value_or("");
    if (key == "when") call.when = time_in(raw);
  });
  if (call.tool.empty() || call.arguments.empty()) return unknown_text();
  return call;
}

}  // namespace patchbay::policy
