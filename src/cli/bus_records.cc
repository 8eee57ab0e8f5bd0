#include "cli/bus_records.h"

#include <fmt/format.h>

#include "cli/terminal.h"
#include "core/base64.h"
#include "json/read.h"
#include "json/write.h"

namespace patchbay::app {
namespace {

constexpr std::size_t kMostUnusable = 1000;

// Bytes as text that JSON can hold.
std::string json_of_bytes(std::optional<std::string_view> bytes) {
  if (!bytes) return "null";
  if (json::is_utf8(*bytes)) return json::quote(*bytes);
  return fmt::format(R"({{"base64":"{}"}})", base64_encode(*bytes));
}

std::string printable(const std::optional<std::string>& bytes) {
  if (!bytes) return "(null)";
  return json::is_utf8(*bytes) ? *bytes : fmt::format("({} bytes)", bytes->size());
}

}  // namespace

Task<std::string> RecordPrinter::json_line(const bus::Record& record, Deadline deadline) {
  auto key = co_await read(record.key(), record.header(bus::kKeySchemaHeader), deadline);
  if (!key) co_return key.error();
  auto value = co_await read(record.value(), record.header(bus::kValueSchemaHeader), deadline);
  if (!value) co_return value.error();
  std::string text;
  json::Object object(text);
  object.raw("topic", json::quote(record.topic()));
  object.raw("partition", std::to_string(record.partition()));
  object.raw("offset", std::to_string(record.offset()));
  object.raw("timestamp", std::to_string(record.timestamp()));
  object.raw("key", json_of_bytes(key->bytes));
  object.raw("value", json_of_bytes(value->bytes));
  if (key->schema) object.raw("key_schema_id", std::to_string(*key->schema));
  if (value->schema) object.raw("value_schema_id", std::to_string(*value->schema));
  object.key("headers");
  {
    json::Object headers(text);
    record.each_header([&](std::string_view name, std::optional<std::string_view> of) {
      headers.raw(name, json_of_bytes(of));
    });
  }
  object.end();
  co_return text;
}

Task<std::string> RecordPrinter::text_line(const bus::Record& record, Deadline deadline) {
  auto key = co_await read(record.key(), record.header(bus::kKeySchemaHeader), deadline);
  if (!key) co_return key.error();
  auto value = co_await read(record.value(), record.header(bus::kValueSchemaHeader), deadline);
  if (!value) co_return value.error();
  const std::string printed_key = on_line(printable(key->bytes));
  const std::string printed_value = on_line(printable(value->bytes));
  co_return fmt::format("{}\t{}", printed_key, printed_value);
}

Task<RecordPrinter::Part> RecordPrinter::read(std::optional<std::string_view> bytes,
                                              std::optional<std::string_view> header,
                                              Deadline deadline) {
  if (!bytes) co_return Part();
  auto part = bus::unframe(*bytes, header);
  if (!part) co_return Part{std::string(*bytes), std::nullopt};
  auto text = co_await plain(*part, deadline);
  if (!text) co_return text.error();
  co_return Part{*std::move(text), part->id};
}

// A value that cannot be decoded by its schema is printed as it is, since that may be the problem
// that somebody looks for.
Task<std::string> RecordPrinter::plain(const bus::Unframed& part, Deadline deadline) {
  const std::string payload(part.payload);
  if (!schemas_ || part.bare()) co_return payload;
  const std::string name = part.id ? std::to_string(*part.id) : part.guid;
  if (unusable_.contains(name)) co_return payload;
  auto schema = part.id ? co_await schemas_->by_id(*part.id, deadline)
                        : co_await schemas_->by_guid(part.guid, deadline);
  if (!schema && schema.error().code == Code::cancelled) co_return schema.error();
  if (!schema) {
    complain(name, schema.error());
    co_return payload;
  }
  if (!(*schema)->avro) co_return payload;
  auto text = (*schema)->avro->decode(payload);
  co_return text ? *std::move(text) : payload;
}

void RecordPrinter::complain(const std::string& schema, const Error& why) {
  if (unusable_.size() >= kMostUnusable) unusable_.clear();
  unusable_.insert(schema);
  app::complain("patchbay: records are printed without schema {}: {}\n", schema, why.message);
}

}  // namespace patchbay::app
