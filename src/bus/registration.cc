#include "bus/registration.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "json/read.h"
#include "json/write.h"

namespace patchbay::bus {

const std::string_view kRegistrationKeySchema =
    R"({"properties":{"name":{"connect.index":0,"type":"string"}},"required":["name"],)"
    R"("title":"Record","type":"object"})";

const std::string_view kRegistrationSchema =
    R"({"properties":{"registrationType":{"connect.index":5,"type":"string"},)"
    R"("correlationIdFieldName":{"connect.index":4,"oneOf":[{"type":"null"},{"type":"string"}]},)"
    R"("description":{"connect.index":1,"type":"string"},)"
    R"("name":{"connect.index":0,"type":"string"},)"
    R"("requestTopicName":{"connect.index":2,"type":"string"},)"
    R"("responseTopicName":{"connect.index":3,"type":"string"},)"
    R"("mimeType":{"connect.index":6,"oneOf":[{"type":"null"},{"type":"string"}]},)"
    R"("url":{"connect.index":7,"oneOf":[{"type":"null"},{"type":"string"}]}},)"
    R"("required":["name","description","registrationType","requestTopicName",)"
    R"("responseTopicName"],"additionalProperties":false,"title":"Record","type":"object"})";

namespace {

constexpr std::size_t kMostTopic = 249;  // Of Kafka.

// Reads members of the value one by one and stores the first fault.
class Fields {
 public:
  explicit Fields(std::string_view value) : value_(value) {}

  // Null and absent are the same.
  std::optional<std::string> text(std::string_view name) {
    const auto raw = json::member(value_, name);
    if (!raw || *raw == "null") return std::nullopt;
    auto text = json::as_string(*raw);
    if (!text) fault(fmt::format("'{}' must be a string", name));
    return text;
  }

  std::string required(std::string_view name, std::size_t most) {
    auto given = text(name);
    std::string found(trimmed(given.value_or("")));
    if (found.empty()) {
      fault(fmt::format("'{}' is missing", name));
    } else if (found.size() > most) {
      fault(fmt::format("'{}' is longer than {} bytes", name, most));
    }
    return found;
  }

  std::string topic(std::string_view name) {
    std::string found = required(name, kMostTopic);
    if (!found.empty() && !is_topic_name(found)) {
      fault(
          fmt::format("'{}' is not the name of a topic: letters, digits, '.', '_' and '-'", name));
    }
    return found;
  }

  void fault(std::string message) {
    if (message_.empty()) message_ = std::move(message);
  }
  const std::string& message() const { return message_; }

 private:
  const std::string_view value_;
  std::string message_;
};

bool is_plain(std::string_view text) {
  return std::ranges::none_of(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

void read_resource(Fields& fields, Registration& registration) {
  registration.mime_type = fields.required("mimeType", kMostName);
  registration.url = fields.required("url", kMostDescription);
  while (registration.url.starts_with('/')) {
    registration.url = std::string(trimmed(std::string_view(registration.url).substr(1)));
  }
  if (registration.url.empty()) fields.fault("'url' is blank");
  if (!is_plain(registration.url)) fields.fault("'url' has control characters");
}

}  // namespace

bool is_topic_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kMostTopic && name != "." && name != ".." &&
         std::ranges::all_of(name, fits);
}

Result<Registration> read_registration(std::string_view value) {
  if (!json::check(value)) return Error{Code::invalid_params, "it is not JSON"};
  if (json::type_of(value) != json::Type::object) {
    return Error{Code::invalid_params, "it is not an object"};
  }
  Fields fields(value);
  Registration registration;
  registration.name = fields.required("name", kMostName);
  if (!is_plain(registration.name)) fields.fault("'name' has control characters");
  registration.description = fields.required("description", kMostDescription);
  registration.request_topic = fields.topic("requestTopicName");
  registration.response_topic = fields.topic("responseTopicName");
  if (auto field = fields.text("correlationIdFieldName"); field && !field->empty()) {
    registration.correlation_field = *std::move(field);
  }
  // The oldest tools do not state their type.
  const auto mime = fields.text("mimeType");
  const auto url = fields.text("url");
  const std::string type = ascii_lower(fields.text("registrationType").value_or(""));
  const bool looks_so = mime && !trimmed(*mime).empty() && url && !trimmed(*url).empty();
  registration.is_resource = type == "resource" || (type.empty() && looks_so);
  if (!type.empty() && type != "resource" && type != "tool") {
    fields.fault("'registrationType' must be tool or resource");
  }
  if (registration.is_resource) read_resource(fields, registration);
  if (const auto retrieval = fields.text("retrieval")) {
    registration.from_topic = *retrieval == "topic";
    if (*retrieval != "topic" && *retrieval != "request") {
      fields.fault("'retrieval' must be topic or request");
    }
  }
  if (!fields.message().empty()) return Error{Code::invalid_params, fields.message()};
  return registration;
}

std::string write_registration(const Registration& registration) {
  std::string value;
  json::Object object(value);
  object.raw("name", json::quote(registration.name));
  object.raw("description", json::quote(registration.description));
  object.raw("requestTopicName", json::quote(registration.request_topic));
  object.raw("responseTopicName", json::quote(registration.response_topic));
  object.raw("correlationIdFieldName", json::quote(registration.correlation_field));
  object.raw("registrationType", registration.is_resource ? "\"resource\"" : "\"tool\"");
  if (registration.is_resource) {
    object.raw("mimeType", json::quote(registration.mime_type));
    object.raw("url", json::quote(registration.url));
  }
  // The schema does not have it, so it is written only if it was set.
  if (registration.from_topic) {
    object.raw("retrieval", *registration.from_topic ? "\"topic\"" : "\"request\"");
  }
  object.end();
  return value;
}

std::string registered_name(std::string_view key) {
  if (json::check(key)) {
    if (json::type_of(key) == json::Type::object) {
      return json::string_member(key, "name").value_or("");
    }
    if (auto text = json::as_string(key)) return *std::move(text);
  }
  return json::is_utf8(key) ? std::string(trimmed(key)) : "";
}

std::string registration_key(std::string_view name) {
  std::string key;
  json::Object object(key);
  object.raw("name", json::quote(name));
  object.end();
  return key;
}

}  // namespace patchbay::bus
