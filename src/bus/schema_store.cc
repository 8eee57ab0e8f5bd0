#include "bus/schema_store.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "bus/avro/avro.h"
#include "json/read.h"
#include "json/schema/schema.h"

namespace patchbay::bus {
namespace {

struct KindName {
  std::string_view name;
  SchemaKind kind;
};
constexpr std::array kKinds{KindName{"JSON", SchemaKind::json}, KindName{"AVRO", SchemaKind::avro},
                            KindName{"PROTOBUF", SchemaKind::protobuf}};

// The first bytes of a digest in the form of a GUID.
std::string guid_of(SchemaKind kind, std::string_view text, std::string_view references) {
  const std::string whole = fmt::format("{}\n{}\n{}", name_of(kind), references, text);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  EVP_Digest(whole.data(), whole.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  std::string guid;
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) guid += '-';
    fmt::format_to(std::back_inserter(guid), "{:02x}", digest[i]);
  }
  return guid;
}

}  // namespace

std::string_view name_of(SchemaKind kind) { return kKinds[static_cast<std::size_t>(kind)].name; }

const SchemaKind* find_schema_kind(std::string_view name) {
  if (name.empty()) name = "AVRO";
  const auto* const found = std::ranges::find(kKinds, name, &KindName::name);
  return found == kKinds.end() ? nullptr : &found->kind;
}

Result<void> SchemaStore::check(SchemaKind kind, std::string_view text,
                                std::string_view references) const {
  if (kind == SchemaKind::protobuf) return ok();
  auto whole = json::check(text);
  if (!whole) return Error{Code::invalid_params, "the schema is not JSON"};
  std::map<std::string, std::string_view> found;
  std::vector<std::string> lists{std::string(references)};
  for (std::size_t i = 0; i < lists.size() && found.size() < kMostReferences; ++i) {
    json::each_element(lists[i], [&](std::string_view one) {
      const auto name = json::string_member(one, "name").value_or("");
      auto version = json::as_int(json::member(one, "version").value_or("-1")).value_or(-1);
      int number = static_cast<int>(version);
      const auto* const schema =
          this->version(json::string_member(one, "subject").value_or(""), number);
      if (schema && found.emplace(name, schema->text).second) lists.push_back(schema->references);
    });
  }
  std::vector<json::SchemaDocument> documents;
  for (const auto& [name, schema] : found) documents.push_back({name, schema});
  if (kind == SchemaKind::avro) {
    auto parsed = AvroSchema::parse(text, documents);
    if (!parsed) return Error{Code::invalid_params, parsed.error().message};
    return ok();
  }
  // Schemas of the registry are draft-07 unless they state otherwise.
  auto compiled =
      json::Schema::compile(text, {.default_draft = json::Draft::draft_07, .documents = documents});
  if (!compiled) return Error{Code::invalid_params, compiled.error().message};
  return ok();
}

Result<int> SchemaStore::add(const std::string& subject, SchemaKind kind, std::string text,
                             std::string references) {
  auto good = check(kind, text, references);
  if (!good) return good.error();
  const std::string guid = guid_of(kind, text, references);
  const StoredSchema* known = find_guid(guid);
  if (!known) {
    if (schemas_.size() >= kMostSchemas || bytes_ + text.size() > kMostBytes) {
      return Error{Code::overloaded, "the registry, which is in memory, is full"};
    }
    bytes_ += text.size();
    const int id = static_cast<int>(schemas_.size()) + 1;
    schemas_.push_back({id, guid, kind, std::move(text), std::move(references)});
    known = &schemas_.back();
  }
  auto& versions = subjects_[subject];
  const int id = known->id;
  const bool has =
      std::ranges::any_of(versions, [id](const auto& one) { return one.second == id; });
  if (!has) versions[++last_[subject]] = id;
  return id;
}

const StoredSchema* SchemaStore::find(int id) const {
  if (id < 1 || static_cast<std::size_t>(id) > schemas_.size()) return nullptr;
  return &schemas_[static_cast<std::size_t>(id) - 1];
}

const StoredSchema* SchemaStore::find_guid(std::string_view guid) const {
  const auto found = std::ranges::find(schemas_, guid, &StoredSchema::guid);
  return found == schemas_.end() ? nullptr : &*found;
}

const StoredSchema* SchemaStore::version(const std::string& subject, int& number) const {
  const auto found = subjects_.find(subject);
  if (found == subjects_.end() || found->second.empty()) return nullptr;
  const auto& versions = found->second;
  if (number == -1) number = versions.rbegin()->first;
  const auto at = versions.find(number);
  return at == versions.end() ? nullptr : find(at->second);
}

int SchemaStore::find_version(const std::string& subject, SchemaKind kind,
                              std::string_view text) const {
  const auto found = subjects_.find(subject);
  if (found == subjects_.end()) return 0;
  for (const auto& [number, id] : found->second) {
    const StoredSchema* const schema = find(id);
    if (schema->kind == kind && schema->text == text) return number;
  }
  return 0;
}

std::vector<int> SchemaStore::versions(const std::string& subject) const {
  std::vector<int> numbers;
  const auto found = subjects_.find(subject);
  if (found == subjects_.end()) return numbers;
  for (const auto& [number, id] : found->second) numbers.push_back(number);
  return numbers;
}

std::vector<std::string> SchemaStore::subjects() const {
  std::vector<std::string> names;
  for (const auto& [subject, versions] : subjects_) names.push_back(subject);
  return names;
}

std::vector<std::pair<std::string, int>> SchemaStore::uses(int id) const {
  std::vector<std::pair<std::string, int>> found;
  for (const auto& [subject, versions] : subjects_) {
    for (const auto& [number, of] : versions) {
      if (of == id) found.emplace_back(subject, number);
    }
  }
  return found;
}

std::vector<int> SchemaStore::remove(const std::string& subject) {
  auto gone = versions(subject);
  subjects_.erase(subject);
  return gone;
}

bool SchemaStore::remove(const std::string& subject, int number) {
  const auto found = subjects_.find(subject);
  if (found == subjects_.end() || found->second.erase(number) == 0) return false;
  if (found->second.empty()) subjects_.erase(found);
  return true;
}

}  // namespace patchbay::bus
