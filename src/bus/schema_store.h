// A SchemaStore is the data of a Schema Registry: subjects, their versions, and schemas by id. In
// memory, bounded; the embedded bus has one.
//
// Confined to one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace patchbay::bus {

// Of one schema to others.
inline constexpr std::size_t kMostReferences = 64;

enum class SchemaKind : std::uint8_t { json, avro, protobuf };

// The names of the registry's protocol: JSON, AVRO, PROTOBUF.
std::string_view name_of(SchemaKind kind);
// The kind of that name; an empty one is AVRO, as the protocol specifies. Nothing if it is unknown.
const SchemaKind* find_schema_kind(std::string_view name);

struct StoredSchema {
  int id = 0;
  std::string guid;  // The same everywhere for the same text, like 3fa85f64-5717-….
  SchemaKind kind = SchemaKind::json;
  std::string text;
  std::string references = "[]";  // Raw.
};

class SchemaStore {
 public:
  // Limits; more is refused.
  static constexpr std::size_t kMostSchemas = 100'000;
  static constexpr std::size_t kMostBytes = 256 << 20;

  // The id of the schema as a version of the subject: a new version unless it exists.
  // Code::invalid_params if it is not a schema of its kind, Code::overloaded if the store is full.
  Result<int> add(const std::string& subject, SchemaKind kind, std::string text,
                  std::string references);

  const StoredSchema* find(int id) const;
  const StoredSchema* find_guid(std::string_view guid) const;

  // Version `number`, from 1; -1 is the latest. Null if there is none.
  const StoredSchema* version(const std::string& subject, int& number) const;
  // The version of the subject with that text; 0 if there is none.
  int find_version(const std::string& subject, SchemaKind kind, std::string_view text) const;
  std::vector<int> versions(const std::string& subject) const;
  std::vector<std::string> subjects() const;

  // Where a schema is used: pairs of subject and version.
  std::vector<std::pair<std::string, int>> uses(int id) const;

  // The deleted versions; empty if there was no such subject or version.
  std::vector<int> remove(const std::string& subject);
  bool remove(const std::string& subject, int number);

 private:
  Result<void> check(SchemaKind kind, std::string_view text, std::string_view references) const;

  std::deque<StoredSchema> schemas_;                                 // By id, from 1.
  std::map<std::string, std::map<int, int>, std::less<>> subjects_;  // Versions and their ids.
  std::map<std::string, int> last_;  // The highest version that each subject has ever had.
  std::size_t bytes_ = 0;
};

}  // namespace patchbay::bus
