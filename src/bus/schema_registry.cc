#include "bus/schema_registry.h"

#include <fmt/format.h>

#include <vector>

#include "bus/framing.h"
#include "core/base64.h"
#include "json/read.h"
#include "json/write.h"
#include "net/http/syntax/percent.h"

namespace patchbay::bus {
namespace {

std::string header_fields(const RegistrySettings& settings) {
  std::string fields =
      "User-Agent: patchbay/" PATCHBAY_VERSION
      "\r\nAccept: application/vnd.schemaregistry.v1+json, application/json\r\n"
      "Content-Type: application/vnd.schemaregistry.v1+json\r\nAccept-Encoding: identity\r\n";
  if (settings.key.empty() && settings.secret.empty()) return fields;
  const auto credentials = base64_encode(settings.key + ":" + settings.secret);
  return fields + fmt::format("Authorization: Basic {}\r\n", credentials);
}

// The failure that the registry reports, with its own message if there is one.
Error failure(int status, std::string_view body) {
  std::string message = fmt::format("HTTP {}", status);
  if (json::check(body)) {
    if (const auto text = json::string_member(body, "message")) message += ": " + *text;
  }
  if (status == 404) return {Code::not_found, message};
  if (status == 401 || status == 403) message += "; see schema_registry.key and .secret";
  return {status == 422 || status == 409 ? Code::invalid_params : Code::unavailable, message};
}

// Compiles the text, after converting it from Avro if necessary.
Result<void> make_usable(RegisteredSchema& schema,
                         std::span<const json::SchemaDocument> documents) {
  json::SchemaOptions options{.default_draft = json::Draft::draft_07, .documents = documents};
  if (schema.kind == SchemaKind::avro) {
    auto avro = AvroSchema::parse(schema.text, documents);
    if (!avro) return Error{avro.error().code, "it is not Avro: " + avro.error().message};
    schema.avro = *std::move(avro);
    schema.text = schema.avro->json_schema();
    options = {};
  }
  auto compiled = json::Schema::compile(schema.text, options);
  if (!compiled) return compiled.error();
  schema.compiled = *std::move(compiled);
  return ok();
}

Error unreachable(const net::Url& url, const Error& why) {
  return {Code::unavailable, fmt::format("the schema registry {}: {}", url.origin(), why.message)};
}

}  // namespace

SchemaRegistry::SchemaRegistry(RegistrySettings settings)
    : settings_(std::move(settings)),
      fields_(header_fields(settings_)),
      pool_(settings_.url, settings_.tls, settings_.pool) {}

SchemaRegistry::~SchemaRegistry() = default;

// The body of the response.
Task<std::string> SchemaRegistry::ask(std::string_view method, std::string path,
                                      std::string_view body, Deadline deadline) {
  deadline = std::min(deadline, here().now() + settings_.answer_time);
  std::string_view root = settings_.url.path;
  if (root.ends_with('/')) root.remove_suffix(1);
  const std::string whole = std::string(root) + path;
  const net::HttpCall call{method, whole, fields_, body, nullptr};
  auto response = co_await pool_.request(call, deadline);
  // The request is idempotent.
  if (!response && net::died_unanswered(response.error())) {
    response = co_await pool_.request(call, deadline);
  }
  if (!response) co_return unreachable(settings_.url, response.error());
  auto text = co_await (*response)->read_all(settings_.answer, deadline);
  if (!text) co_return unreachable(settings_.url, text.error());
  const int status = (*response)->status();
  if (status >= 200 && status <= 299) {
    if (json::check(*text)) co_return *std::move(text);
    co_return unreachable(settings_.url, {Code::unavailable, "its answer is not JSON"});
  }
  Error why = failure(status, *text);
  if (why.code == Code::unavailable) co_return unreachable(settings_.url, why);
  co_return why;
}

// Fetches the schemas that `answer` refers to, recursively.
Task<SchemaRegistry::References> SchemaRegistry::find_references(std::string answer,
                                                                 Deadline deadline) {
  References found;
  std::vector<std::string> answers{std::move(answer)};
  for (std::size_t i = 0; i < answers.size(); ++i) {
    struct Wanted {
      std::string name, path;
    };
    std::vector<Wanted> wanted;
    json::each_element(
        json::member(answers[i], "references").value_or("[]"), [&](std::string_view one) {
          const auto subject = json::string_member(one, "subject").value_or("");
          const auto version = json::member(one, "version").value_or("latest");
          wanted.push_back({json::string_member(one, "name").value_or(""),
                            fmt::format("/subjects/{}/versions/{}", net::percent_encode(subject),
                                        net::percent_encode(version))});
        });
    for (const auto& [name, path] : wanted) {
      if (found.contains(name)) continue;
      if (found.size() == kMostReferences) {
        co_return Error{Code::unavailable, "a schema refers to too many others"};
      }
      auto text = co_await ask("GET", path, "", deadline);
      if (!text) co_return text.error();
      found[name] = json::string_member(*text, "schema").value_or("");
      answers.push_back(*std::move(text));
    }
  }
  co_return found;
}

// Makes a schema of a response, with the schemas that it refers to.
Task<SchemaRegistry::Schema> SchemaRegistry::take(std::string answer, int id, Deadline deadline) {
  auto schema = std::make_shared<RegisteredSchema>();
  schema->id = static_cast<int>(json::as_int(json::member(answer, "id").value_or("")).value_or(id));
  schema->text = json::string_member(answer, "schema").value_or("");
  const auto* const kind =
      find_schema_kind(json::string_member(answer, "schemaType").value_or("AVRO"));
  schema->kind = kind ? *kind : SchemaKind::avro;
  if (schema->kind == SchemaKind::protobuf) {
    schema->problem = "it is PROTOBUF; only JSON Schema and Avro can be used";
    co_return schema;
  }
  auto references = co_await find_references(std::move(answer), deadline);
  if (!references) co_return references.error();
  std::vector<json::SchemaDocument> documents;
  for (const auto& [name, text] : *references) documents.push_back({name, text});
  auto made = make_usable(*schema, documents);
  if (!made) schema->problem = made.error().message;
  co_return schema;
}

Task<SchemaRegistry::Schema> SchemaRegistry::latest(std::string subject, Deadline deadline) {
  auto answer =
      co_await ask("GET", fmt::format("/subjects/{}/versions/latest", net::percent_encode(subject)),
                   "", deadline);
  if (!answer) {
    co_return Error{answer.error().code,
                    fmt::format("subject {}: {}", subject, answer.error().message)};
  }
  const auto id = std::string(json::member(*answer, "id").value_or("0"));
  if (const auto known = by_id_.find(id); known != by_id_.end()) co_return known->second;
  auto schema = co_await take(*std::move(answer), 0, deadline);
  if (schema && by_id_.size() < settings_.stored) by_id_[id] = *schema;
  co_return schema;
}

Task<SchemaRegistry::Schema> SchemaRegistry::find(std::map<std::string, Schema>& stored,
                                                  std::string key, std::string path, int id,
                                                  Deadline deadline) {
  if (const auto known = stored.find(key); known != stored.end()) co_return known->second;
  auto answer = co_await ask("GET", path, "", deadline);
  if (!answer) {
    co_return Error{answer.error().code, fmt::format("schema {}: {}", key, answer.error().message)};
  }
  auto schema = co_await take(*std::move(answer), id, deadline);
  // Evicts any one; that the cache is bounded is what matters.
  if (stored.size() >= settings_.stored) stored.erase(stored.begin());
  if (schema) stored[key] = *schema;
  co_return schema;
}

Task<SchemaRegistry::Schema> SchemaRegistry::by_id(int id, Deadline deadline) {
  auto schema =
      co_await find(by_id_, std::to_string(id), fmt::format("/schemas/ids/{}", id), id, deadline);
  co_return schema;
}

SchemaRegistry::Schema SchemaRegistry::known(int id) const {
  const auto found = by_id_.find(std::to_string(id));
  return found == by_id_.end() ? nullptr : found->second;
}

Task<SchemaRegistry::Schema> SchemaRegistry::by_guid(std::string guid, Deadline deadline) {
  auto schema = co_await find(by_guid_, guid, "/schemas/guids/" + guid, 0, deadline);
  co_return schema;
}

Task<int> SchemaRegistry::add(std::string subject, std::string_view schema, Deadline deadline) {
  std::string body;
  json::Object object(body);
  object.raw("schemaType", "\"JSON\"");
  object.raw("schema", json::quote(schema));
  object.end();
  auto answer = co_await ask(
      "POST", fmt::format("/subjects/{}/versions", net::percent_encode(subject)), body, deadline);
  if (!answer) {
    co_return Error{answer.error().code,
                    fmt::format("subject {}: {}", subject, answer.error().message)};
  }
  co_return static_cast<int>(json::as_int(json::member(*answer, "id").value_or("")).value_or(0));
}

Result<std::string> written_by(const SchemaRegistry::Schema& schema, std::string value) {
  if (!schema) return value;
  if (!schema->avro) return frame(schema->id, value);
  auto bytes = schema->avro->encode(value);
  if (!bytes) return bytes;
  return frame(schema->id, *bytes);
}

}  // namespace patchbay::bus
