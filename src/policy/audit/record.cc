#include "policy/audit/record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/glob.h"
#include "core/text.h"
#include "json/canonical.h"
#include "json/edit.h"
#include "json/invisible.h"
#include "json/text.h"

namespace patchbay::policy {
namespace {

constexpr std::string_view kRedacted = "\"[redacted]\"";

bool is_secret(std::string_view key, const std::vector<std::string>& globs) {
  const std::string lower = ascii_lower(key);
  return std::ranges::any_of(
      globs, [&](const std::string& glob) { return matches_glob(ascii_lower(glob), lower); });
}

// Walks over the next value.
void redact(json::Edit& edit, const std::vector<std::string>& globs) {
  if (edit.peek() == json::Type::array) {
    edit.elements([&] { redact(edit, globs); });
    return;
  }
  edit.members([&](std::string_view key) {
    if (is_secret(key, globs)) {
      edit.replace(edit.take(), std::string(kRedacted));
    } else {
      redact(edit, globs);
    }
    return true;
  });
}

// Further members of one line. The keys are ours and need no escaping.
class Members {
 public:
  explicit Members(std::string& out) : out_(out) {}

  // Empty values are left out.
  void text(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    name(key);
    json::append_quoted(out_, value);
  }
  void raw(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    name(key);
    out_ += value;
  }
  void number(std::string_view key, std::uint64_t value) {
    const fmt::format_int digits(value);
    raw(key, {digits.data(), digits.size()});
  }
  // The caller appends the value.
  void name(std::string_view key) {
    out_ += ",\"";
    out_ += key;
    out_ += "\":";
  }

 private:
  std::string& out_;
};

// The part of a timestamp that changes once a second, since it is the most expensive one.
const std::string& second_text(std::int64_t second) {
  thread_local std::int64_t known = -1;
  thread_local std::string text;
  if (second != known) text = fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::gmtime(second));
  known = second;
  return text;
}

void append_three_digits(std::string& out, std::int64_t number) {
  out += static_cast<char>('0' + number / 100 % 10);
  out += static_cast<char>('0' + number / 10 % 10);
  out += static_cast<char>('0' + number % 10);
}

void append_time(std::string& out, std::int64_t ms) {
  out += second_text(ms / 1000);
  out += '.';
  append_three_digits(out, ms % 1000);
  out += 'Z';
}

// Three decimals. Whole numbers are written several times faster than a fraction.
void append_milliseconds(std::string& out, double ms) {
  const auto us = std::llround(std::max(ms, 0.0) * 1000);
  const fmt::format_int whole(us / 1000);
  out.append(whole.data(), whole.size());
  out += '.';
  append_three_digits(out, us % 1000);
}

}  // namespace

std::string time_text(std::int64_t ms) {
  std::string out;
  append_time(out, ms);
  return out;
}

AuditRecord event_record(std::string_view event, const Principal& caller) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  AuditRecord record;
  record.when_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  record.event = event;
  record.caller = caller.id;
  record.name = caller.name;
  record.auth_method = name_of(caller.auth_method);
  record.outcome = "ok";
  return record;
}

std::string audited_arguments(std::string_view raw, const std::vector<std::string>& globs) {
  json::Edit edit(raw);
  redact(edit, globs);
  const std::string redacted = edit.changed() ? edit.result() : std::string(raw);
  auto canonical = json::canonical(redacted);
  return canonical ? *std::move(canonical) : json::quote(redacted);
}

void append_line(std::string& out, const AuditRecord& record) {
  const std::size_t begin = out.size();
  out += "{\"when\":\"";
  append_time(out, record.when_ms);
  out += '"';
  Members members(out);
  members.text("event", record.event);
  members.text("who", record.caller);
  members.text("name", record.name);
  members.text("auth_method", record.auth_method);
  members.text("from", record.from);
  members.text("frontend", record.frontend);
  members.text("client", record.client);
  members.text("method", record.method);
  members.text("target", record.target);
  members.text("upstream", record.upstream);
  members.text("digest", record.digest);
  members.raw("arguments", record.arguments);
  members.text("decision", record.decision);
  members.text("rule", record.rule);
  members.text("by", record.by);
  members.text("outcome", record.outcome);
  members.text("trace", record.trace);
  if (record.skipped > 0) members.number("skipped", record.skipped);
  members.name("ms");
  append_milliseconds(out, record.ms);
  members.number("in", record.bytes_in);
  members.number("out", record.bytes_out);
  json::escape_invisible(out, begin);
  out += "}\n";
}

}  // namespace patchbay::policy
