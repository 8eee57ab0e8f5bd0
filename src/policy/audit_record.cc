#include "policy/audit_record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/glob.h"
#include "core/text.h"
#include "json/edit.h"
#include "json/write.h"

namespace patchbay::policy {
namespace {

constexpr std::string_view kRedacted = "\"[redacted]\"";

bool is_secret(std::string_view key, const std::vector<std::string>& globs) {
  const std::string lower = ascii_lower(key);
  return std::ranges::any_of(
      globs, [&](const std::string& glob) { return matches_glob(ascii_lower(glob), lower); });
}

// Goes over the value that comes next.
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

void add(json::Object& object, std::string& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  object.key(key);
  json::append_quoted(out, value);
}

}  // namespace

std::string time_text(std::int64_t ms) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(ms / 1000), ms % 1000);
}

std::string redacted(std::string_view raw, const std::vector<std::string>& globs) {
  json::Edit edit(raw);
  redact(edit, globs);
  return edit.changed() ? edit.result() : std::string(raw);
}

void append_line(std::string& out, const AuditRecord& record) {
  {
    json::Object object(out);
    add(object, out, "when", time_text(record.when_ms));
    add(object, out, "who", record.who);
    add(object, out, "name", record.name);
    add(object, out, "way", record.way);
    add(object, out, "from", record.from);
    add(object, out, "face", record.face);
    add(object, out, "method", record.method);
    add(object, out, "target", record.target);
    add(object, out, "upstream", record.upstream);
    add(object, out, "digest", record.digest);
    if (!record.arguments.empty()) object.raw("arguments", record.arguments);
    add(object, out, "decision", record.decision);
    add(object, out, "rule", record.rule);
    add(object, out, "outcome", record.outcome);
    add(object, out, "trace", record.trace);
    object.raw("ms", fmt::format("{:.3f}", record.ms));
    object.raw("in", fmt::format("{}", record.bytes_in));
    object.raw("out", fmt::format("{}", record.bytes_out));
  }
  out += '\n';
}

}  // namespace patchbay::policy
