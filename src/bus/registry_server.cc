#include "bus/registry_server.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <optional>

#include "json/read.h"
#include "json/write.h"
#include "net/http/syntax/percent.h"

namespace patchbay::bus {
namespace {

constexpr std::string_view kType = "application/vnd.schemaregistry.v1+json";

// The error codes of the protocol; their first three digits are the status.
constexpr int kNoSubject = 40401;
constexpr int kNoVersion = 40402;
constexpr int kNoSchema = 40403;
constexpr int kNoLevel = 40408;
constexpr int kBadSchema = 42201;
constexpr int kBadVersion = 42202;

std::optional<int> number_of(std::string_view text) {
  int value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

// The attributes of a schema in a response.
void describe(json::Object& object, const StoredSchema& schema) {
  // AVRO is the default of readers.
  if (schema.kind != SchemaKind::avro) {
    object.raw("schemaType", json::quote(name_of(schema.kind)));
  }
  if (schema.references != "[]") object.raw("references", schema.references);
  object.raw("schema", json::quote(schema.text));
}

std::string version_json(const std::string& subject, int number, const StoredSchema& schema) {
  std::string text;
  json::Object object(text);
  object.raw("subject", json::quote(subject));
  object.raw("version", std::to_string(number));
  object.raw("id", std::to_string(schema.id));
  object.raw("guid", json::quote(schema.guid));
  describe(object, schema);
  object.end();
  return text;
}

std::string names_json(const std::vector<std::string>& names) {
  std::string text = "[";
  for (const auto& name : names) text += (text.size() > 1 ? "," : "") + json::quote(name);
  return text + "]";
}

std::string numbers_json(const std::vector<int>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ","));
}

// A posted schema and its kind.
struct Posted {
  SchemaKind kind = SchemaKind::avro;
  std::string schema;
  std::string references = "[]";
};

Result<Posted> posted(std::string_view body) {
  if (!json::check(body)) return Error{Code::invalid_params, "the body is not JSON"};
  const auto schema = json::string_member(body, "schema");
  if (!schema) return Error{Code::invalid_params, "'schema' must be given as a string"};
  const auto* const kind =
      find_schema_kind(json::string_member(body, "schemaType").value_or("AVRO"));
  if (!kind) return Error{Code::invalid_params, "schemaType must be JSON, AVRO or PROTOBUF"};
  const auto references = json::member(body, "references").value_or("[]");
  return Posted{*kind, *schema, std::string(references == "null" ? "[]" : references)};
}

}  // namespace

RegistryServer::Answer RegistryServer::fault(int code, std::string_view message) {
  return {code < 1000 ? code : code / 100,
          fmt::format(R"({{"error_code":{},"message":{}}})", code, json::quote(message))};
}

net::HttpRefusal RegistryServer::refusal(const net::HttpRequest&, int status,
                                         std::string_view message) const {
  return {kType, fault(status, message).body};
}

Task<void> RegistryServer::handle(net::HttpExchange& exchange) {
  Parts parts;
  bool readable = true;
  for (std::string_view rest = exchange.request.path.substr(1); !rest.empty();) {
    const auto slash = rest.find('/');
    auto part = net::percent_decode(rest.substr(0, slash));
    readable = readable && part;
    if (part) parts.push_back(*std::move(part));
    rest = slash == std::string_view::npos ? "" : rest.substr(slash + 1);
  }
  const Answer result = readable ? answer(exchange.request.method, parts, exchange.body)
                                 : fault(400, "the path cannot be read");
  co_return co_await exchange.answer(result.status, kType, {result.body});
}

RegistryServer::Answer RegistryServer::answer(std::string_view method, const Parts& parts,
                                              std::string_view body) {
  if (parts.empty()) return {200, "{}"};
  const std::string& first = parts.front();
  const bool reads = method == "GET" || method == "HEAD";
  if (first == "subjects" && parts.size() == 1 && reads)
    return {200, names_json(store_.subjects())};
  if (first == "subjects" && parts.size() > 1) return subjects(method, parts, body);
  if (first == "schemas" && parts.size() > 1 && reads) return schemas(parts);
  if (first == "config") return config(method, parts, body);
  if (first == "mode" && reads) return {200, R"({"mode":"READWRITE"})"};
  if (first == "compatibility" && method == "POST") return {200, R"({"is_compatible":true})"};
  return fault(404, "HTTP 404 Not Found");
}

RegistryServer::Answer RegistryServer::subjects(std::string_view method, const Parts& parts,
                                                std::string_view body) {
  const std::string& subject = parts[1];
  if (parts.size() == 2 && method == "POST") return look_up(subject, body);
  if (parts.size() == 2 && method == "DELETE") {
    const auto gone = store_.remove(subject);
    if (gone.empty()) return fault(kNoSubject, fmt::format("Subject '{}' not found.", subject));
    return {200, numbers_json(gone)};
  }
  if (parts.size() < 3 || parts[2] != "versions") return fault(404, "HTTP 404 Not Found");
  if (parts.size() == 3 && method == "POST") return add(subject, body);
  const auto known = store_.versions(subject);
  if (known.empty()) return fault(kNoSubject, fmt::format("Subject '{}' not found.", subject));
  if (parts.size() == 3) return {200, numbers_json(known)};
  return versions(method, parts);
}

RegistryServer::Answer RegistryServer::versions(std::string_view method, const Parts& parts) {
  const std::string& subject = parts[1];
  const auto wanted = parts[3] == "latest" ? -1 : number_of(parts[3]);
  if (!wanted || *wanted == 0 || *wanted < -1) {
    return fault(kBadVersion,
                 fmt::format("The specified version '{}' is not a valid version id.", parts[3]));
  }
  int number = *wanted;
  const StoredSchema* const schema = store_.version(subject, number);
  if (!schema) return fault(kNoVersion, fmt::format("Version {} not found.", *wanted));
  if (method == "DELETE") {
    store_.remove(subject, number);
    return {200, std::to_string(number)};
  }
  if (parts.size() == 5 && parts[4] == "schema") return {200, schema->text};
  return {200, version_json(subject, number, *schema)};
}

RegistryServer::Answer RegistryServer::schemas(const Parts& parts) const {
  if (parts[1] == "types") return {200, R"(["JSON","AVRO","PROTOBUF"])"};
  if (parts.size() < 3) return fault(404, "HTTP 404 Not Found");
  const auto id = number_of(parts[2]);
  const StoredSchema* const schema = parts[1] == "guids"       ? store_.find_guid(parts[2])
                                     : parts[1] == "ids" && id ? store_.find(*id)
                                                               : nullptr;
  if (!schema) return fault(kNoSchema, fmt::format("Schema {} not found", parts[2]));
  if (parts.size() == 4 && parts[3] == "schema") return {200, schema->text};
  if (parts.size() == 4 && (parts[3] == "versions" || parts[3] == "subjects")) {
    std::string list;
    for (const auto& [subject, number] : store_.uses(schema->id)) {
      if (!list.empty()) list += ',';
      list += parts[3] == "subjects"
                  ? json::quote(subject)
                  : fmt::format(R"({{"subject":{},"version":{}}})", json::quote(subject), number);
    }
    return {200, fmt::format("[{}]", list)};
  }
  std::string text;
  json::Object object(text);
  object.raw("id", std::to_string(schema->id));
  object.raw("guid", json::quote(schema->guid));
  describe(object, *schema);
  object.end();
  return {200, text};
}

RegistryServer::Answer RegistryServer::config(std::string_view method, const Parts& parts,
                                              std::string_view body) {
  const std::string of = parts.size() > 1 ? parts[1] : "";
  if (method == "PUT") {
    if (!json::check(body)) return fault(400, "the body is not JSON");
    compatibility_[of] = json::string_member(body, "compatibility").value_or("NONE");
    return {200, fmt::format(R"({{"compatibility":{}}})", json::quote(compatibility_[of]))};
  }
  const auto found = compatibility_.find(of);
  // Clients then set one.
  if (found == compatibility_.end() && !of.empty()) {
    return fault(kNoLevel, fmt::format("Subject '{}' does not have subject-level compatibility "
                                       "configured",
                                       of));
  }
  const std::string level = found == compatibility_.end() ? "NONE" : found->second;
  return {200, fmt::format(R"({{"compatibilityLevel":{}}})", json::quote(level))};
}

RegistryServer::Answer RegistryServer::add(const std::string& subject, std::string_view body) {
  auto given = posted(body);
  if (!given) return fault(kBadSchema, given.error().message);
  auto id = store_.add(subject, given->kind, given->schema, given->references);
  if (id) return {200, fmt::format(R"({{"id":{}}})", *id)};
  const bool full = id.error().code == Code::overloaded;
  return fault(full ? 503 : kBadSchema, id.error().message);
}

RegistryServer::Answer RegistryServer::look_up(const std::string& subject,
                                               std::string_view body) const {
  auto given = posted(body);
  if (!given) return fault(kBadSchema, given.error().message);
  if (store_.versions(subject).empty()) {
    return fault(kNoSubject, fmt::format("Subject '{}' not found.", subject));
  }
  int number = store_.find_version(subject, given->kind, given->schema);
  const StoredSchema* const schema = number > 0 ? store_.version(subject, number) : nullptr;
  if (!schema) return fault(kNoSchema, "Schema not found");
  return {200, version_json(subject, number, *schema)};
}

}  // namespace patchbay::bus
