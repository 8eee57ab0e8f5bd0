#include "bus/avro/types.h"

#include <algorithm>
#include <array>

namespace patchbay::bus {
namespace {

// In the order of the kinds.
constexpr std::array<std::string_view, 14> kNames{
    "null",   "boolean", "int",  "long",  "float", "double", "bytes",
    "string", "record",  "enum", "array", "map",   "union",  "fixed",
};
static_assert(kNames.size() == static_cast<std::size_t>(AvroKind::fixed) + 1);

}  // namespace

std::string_view name_of(AvroKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::optional<AvroKind> find_avro_kind(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  if (found == kNames.end() || name == name_of(AvroKind::alternatives)) return std::nullopt;
  return static_cast<AvroKind>(found - kNames.begin());
}

std::optional<std::uint32_t> AvroTypes::null_branch(const AvroType& type) const {
  for (std::uint32_t i = 0; i < type.branches.size(); ++i) {
    if (list[type.branches[i]].kind == AvroKind::null) return i;
  }
  return std::nullopt;
}

std::string_view AvroTypes::title(AvroId id) const {
  const AvroType& type = list[id];
  return type.has_name() ? std::string_view(type.name) : name_of(type.kind);
}

AvroSchema::AvroSchema(std::unique_ptr<const AvroTypes> types) : types_(std::move(types)) {}
AvroSchema::~AvroSchema() = default;

std::string AvroSchema::json_schema() const { return avro_json_schema(*types_); }

Result<std::string> AvroSchema::encode(std::string_view json) const {
  AvroBudget budget{types_->limits.values, types_->limits.bytes};
  return write_avro(*types_, types_->root, json, false, budget);
}

Result<std::string> AvroSchema::decode(std::string_view bytes) const {
  return read_avro(*types_, types_->root, bytes, types_->limits.bytes);
}

}  // namespace patchbay::bus
