#include "transport/wire/envelope.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/http_token.h"
#include "core/ids.h"
#include "json/read.h"
#include "json/write.h"

namespace patchbay::wire {
namespace {

using json::Cursor;
using json::Type;

constexpr std::string_view kBearer = "Bearer ";

enum Field : unsigned {
  kId = 1,
  kTimestamp = 2,
  kSource = 4,
  kNamespace = 8,
  kAuth = 16,
  kCorrelation = 32,
  kMetadata = 64,
  kPayload = 128,
  kError = 256,
};

struct KnownField {
  std::string_view name;
  Field field;
};
constexpr std::array kFields{
    KnownField{"id", kId},
    KnownField{"timestamp", kTimestamp},
    KnownField{"source", kSource},
    KnownField{"target_namespace", kNamespace},
    KnownField{"auth_token", kAuth},
    KnownField{"correlation_id", kCorrelation},
    KnownField{"metadata", kMetadata},
    KnownField{"mcp_payload", kPayload},
    KnownField{"error", kError},
};

class Scan {
 public:
  Scan(std::string_view text, Envelope& envelope) : at_(text), envelope_(envelope) {}

  Result<void> run() {
    if (at_.peek() != Type::object) {
      const bool whole = at_.skip() && at_.finish();
      if (!whole) return at_.error();
      return invalid("a wire message is a JSON object");
    }
    at_.enter_object();
    std::string_view key;
    while (at_.next_member(key)) take(key);
    if (!at_.finish()) return at_.error();
    if (fault_.empty()) resolve();
    if (!fault_.empty()) return invalid(std::move(fault_));
    if (empty_token_) return Error{Code::unauthenticated, "'auth_token' must not be empty"};
    return ok();
  }

 private:
  static Error invalid(std::string message) { return {Code::invalid_request, std::move(message)}; }

  void fault(std::string message) {
    if (fault_.empty()) fault_ = std::move(message);
  }

  void take(std::string_view key) {
    const auto* const known = std::ranges::find(kFields, key, &KnownField::name);
    const Type type = at_.peek();
    std::string_view raw;
    if (!at_.value(raw)) return;
    if (known == kFields.end()) return look_at_unknown(key);
    if (seen_ & known->field) return fault(fmt::format("'{}' is given twice", key));
    if (type == Type::null) return;  // Treated as absent.
    seen_ |= known->field;
    take_field(*known, type, raw);
  }

  // A name that differs from ours only in case would be ambiguous.
  void look_at_unknown(std::string_view name) {
    if (std::ranges::any_of(kFields, [&](const auto& one) { return same_token(one.name, name); })) {
      fault(fmt::format("'{}' must be written in lower case", name));
    }
  }

  void take_field(const KnownField& known, Type type, std::string_view raw) {
    switch (known.field) {
      case kId:
        return take_id(type, raw);
      case kTimestamp:
        return take_time(type, raw);
      case kSource:
        return take_name(known.name, type, raw, envelope_.source);
      case kNamespace:
        return take_name(known.name, type, raw, envelope_.target_namespace);
      case kAuth:
        return take_token(type, raw);
      case kCorrelation:
        return take_name(known.name, type, raw, envelope_.correlation_id);
      case kMetadata:
        if (take_object(known.name, type, raw, envelope_.metadata)) take_chunk();
        return;
      case kPayload:
        take_object(known.name, type, raw, envelope_.payload);
        return;
      case kError:
        take_object(known.name, type, raw, envelope_.error);
        return;
    }
  }

  void take_id(Type type, std::string_view raw) {
    if (type != Type::number) return take_name("id", type, raw, envelope_.id);
    if (raw.size() > kMaxName) return fault("'id' is too long");
    envelope_.id = raw;
  }

  void take_name(std::string_view name, Type type, std::string_view raw, std::string& out) {
    if (type != Type::string) return fault(fmt::format("'{}' must be a string", name));
    auto text = json::unquote(raw);
    if (!text) return fault(fmt::format("'{}': {}", name, text.error().message));
    if (text->empty()) return fault(fmt::format("'{}' must not be empty", name));
    if (text->size() > kMaxName) {
      return fault(fmt::format("'{}' is longer than {} bytes", name, kMaxName));
    }
    out = *std::move(text);
  }

  void take_time(Type type, std::string_view raw) {
    auto text = type == Type::string ? json::as_string(raw) : std::nullopt;
    auto time = text ? parse_timestamp(*text) : std::nullopt;
    if (!time) {
      return fault("'timestamp' must be a time as in ISO 8601: \"2024-01-15T10:30:45.123Z\"");
    }
    envelope_.time = *time;
  }

  void take_token(Type type, std::string_view raw) {
    if (type != Type::string) return fault("'auth_token' must be a string");
    if (raw.size() > kMaxToken) return fault("'auth_token' is too long");
    auto text = json::unquote(raw);
    if (!text) return fault(fmt::format("'auth_token': {}", text.error().message));
    std::string_view token = *text;
    if (same_token(token, kBearer.substr(0, kBearer.size() - 1))) token = {};
    if (token.size() >= kBearer.size() && same_token(token.substr(0, kBearer.size()), kBearer)) {
      token.remove_prefix(kBearer.size());
    }
    empty_token_ = token.empty();
    envelope_.auth_token = token;
  }

  bool take_object(std::string_view name, Type type, std::string_view raw, std::string_view& out) {
    if (type != Type::object) {
      fault(fmt::format("'{}' must be an object", name));
      return false;
    }
    out = raw;
    return true;
  }

  void take_chunk() {
    const auto raw = json::member(envelope_.metadata, "chunk");
    if (!raw) return;
    const auto number = [&](std::string_view key) -> std::optional<std::uint32_t> {
      const auto member = json::member(*raw, key);
      const auto value = member ? json::as_int(*member) : std::nullopt;
      if (!value || *value < 0 || *value > INT32_MAX) return std::nullopt;
      return static_cast<std::uint32_t>(*value);
    };
    const auto index = number("index");
    const auto total = number("total");
    auto id = json::string_member(*raw, "id");
    if (!id || id->empty() || id->size() > kMaxName || !index || !total || *index >= *total) {
      return fault("'metadata.chunk' must have an 'id', and an 'index' below its 'total'");
    }
    envelope_.chunk = ChunkMark{*std::move(id), *index, *total};
  }

  void resolve() {
    for (const Field field : {kId, kTimestamp, kSource}) {
      if (!(seen_ & field)) return missing(field);
    }
    if (!(seen_ & (kPayload | kError))) missing(kPayload);
  }

  void missing(Field field) {
    fault(fmt::format("'{}' is missing",
                      std::ranges::find(kFields, field, &KnownField::field)->name));
  }

  Cursor at_;
  Envelope& envelope_;
  unsigned seen_ = 0;
  std::string fault_;
  bool empty_token_ = false;
};

void write_heading(json::Object& object, std::string& out, const Heading& heading) {
  const auto text = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    object.key(name);
    json::append_quoted(out, value);
  };
  if (heading.id.empty()) {
    object.key("id");
    out += '"';
    append_uuid(out);
    out += '"';
  }
  text("id", heading.id);
  text("timestamp", timestamp(heading.time.value_or(std::chrono::system_clock::now())));
  text("source", heading.source);
  text("target_namespace", heading.target_namespace);
  if (!heading.auth_token.empty()) {
    text("auth_token", std::string(kBearer).append(heading.auth_token));
  }
  text("correlation_id", heading.correlation_id);
  if (!heading.metadata.empty()) object.raw("metadata", heading.metadata);
}

constexpr std::size_t kUsualHeading = 256;

}  // namespace

Result<void> parse(std::string_view text, Envelope& envelope) { return Scan(text, envelope).run(); }

void write_to(std::string& out, const Heading& heading, std::string_view payload) {
  out.reserve(out.size() + kUsualHeading + heading.metadata.size() + heading.auth_token.size() +
              payload.size());
  json::Object object(out);
  write_heading(object, out, heading);
  object.raw("mcp_payload", payload);
  object.end();
}

std::string write(const Heading& heading, std::string_view payload) {
  std::string out;
  write_to(out, heading, payload);
  return out;
}

std::string write_error(const Heading& heading, std::string_view error, std::string_view payload) {
  std::string out;
  out.reserve(kUsualHeading + error.size() + payload.size());
  json::Object object(out);
  write_heading(object, out, heading);
  if (!payload.empty()) object.raw("mcp_payload", payload);
  object.raw("error", error);
  object.end();
  return out;
}

std::string_view namespace_of(std::string_view method) {
  if (method == "initialize" || method.starts_with("tools/")) return "system";
  const auto dot = method.find('.');
  if (dot != std::string_view::npos && dot > 0) return method.substr(0, dot);
  return "default";
}

}  // namespace patchbay::wire
