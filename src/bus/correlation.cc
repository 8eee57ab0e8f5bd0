#include "bus/correlation.h"

#include "bus/framing.h"
#include "core/text.h"
#include "json/read.h"
#include "json/write.h"

namespace patchbay::bus {
namespace {

// The JSON object in `bytes`, if that is what they are.
std::optional<std::string_view> object_in(std::string_view payload) {
  if (json::type_of(payload) != json::Type::object || !json::check(payload)) return std::nullopt;
  return payload;
}

// An id may be a number too.
std::optional<std::string> id_member(std::string_view object, std::string_view field) {
  const auto raw = json::member(object, field);
  if (!raw) return std::nullopt;
  if (json::type_of(*raw) == json::Type::number) return std::string(*raw);
  return json::as_string(*raw);
}

void add(std::vector<std::string>& ids, std::optional<std::string> id) {
  if (!id || id->empty() || id->size() > kMostCorrelation) return;
  for (char& c : *id) c = ascii_lower(c);
  ids.push_back(*std::move(id));
}

void add_key(std::vector<std::string>& ids, std::string_view payload, std::string_view field) {
  if (const auto object = object_in(payload)) {
    add(ids, id_member(*object, field));
    if (field != kCorrelationField) add(ids, id_member(*object, kCorrelationField));
    return;
  }
  payload = trimmed(payload);
  const bool quoted = json::type_of(payload) == json::Type::string && json::check(payload);
  add(ids, quoted ? json::as_string(payload) : std::string(payload));
}

}  // namespace

std::vector<std::string> find_ids(const IdPaths& paths, std::string_view field) {
  std::vector<std::string> ids;
  if (paths.key) {
    if (auto key = unframe(*paths.key, paths.key_schema)) add_key(ids, key->payload, field);
  }
  if (paths.id) add(ids, std::string(*paths.id));
  // The value is parsed only if nothing else has the id: it may be large.
  if (!ids.empty() || !paths.value) return ids;
  auto value = unframe(*paths.value, paths.value_schema);
  if (!value) return ids;
  if (const auto object = object_in(value->payload)) add(ids, id_member(*object, field));
  return ids;
}

std::string key_of(std::string_view field, std::string_view id) {
  std::string key;
  key.reserve(field.size() + id.size() + 8);
  json::Object object(key);
  object.key(field);
  json::append_quoted(key, id);
  object.end();
  return key;
}

}  // namespace patchbay::bus
