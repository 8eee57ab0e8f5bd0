#include <fmt/format.h>

#include <set>

#include "bus/avro/types.h"
#include "json/index.h"
#include "json/read.h"

namespace patchbay::bus {
namespace {

using json::NodeId;

constexpr std::size_t kMostValues = 200'000;  // JSON values in a schema.
constexpr std::size_t kMostDepth = 128;       // Of types, through all documents,
constexpr std::size_t kMostUnnamed = 16;      // and of nested unnamed types.
constexpr std::size_t kMostFixed = 16 << 20;  // Bytes of a fixed.

// The nesting depth of a type: in total, and of unnamed types since the last named one. Only named
// types can be referred to where the JSON Schema would become too deep.
struct Depth {
  std::size_t types = 0;
  std::size_t unnamed = 0;

  Depth inside() const { return {types + 1, unnamed + 1}; }
  Depth inside_named() const { return {types + 1, 0}; }
};

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }

// One part of a name. Names go into references of JSON Schema, so no other characters are allowed.
bool is_name_part(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return false;
  for (const char c : text) {
    if (!is_letter(c) && (c < '0' || c > '9')) return false;
  }
  return true;
}

// Name parts separated by dots.
bool is_full_name(std::string_view name) {
  for (;;) {
    const auto dot = name.find('.');
    if (!is_name_part(name.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

std::string in_space(std::string_view space, std::string_view name) {
  if (space.empty() || name.contains('.')) return std::string(name);
  return fmt::format("{}.{}", space, name);
}

std::string_view space_of(std::string_view full_name) {
  const auto dot = full_name.rfind('.');
  return dot == std::string_view::npos ? "" : full_name.substr(0, dot);
}

// Shared by all documents of one schema.
struct Reading {
  AvroTypes& types;
  std::span<const json::SchemaDocument> documents;
  std::map<std::string, AvroId, std::less<>> names = {};
  std::set<std::string_view> opened = {};  // Documents, by name.
};

// Parses one document. A fault has the path of its location in the JSON.
class Parser {
 public:
  Parser(Reading& reading, const json::Index& index) : reading_(reading), index_(index) {}

  static Result<AvroId> read(Reading& reading, std::string_view text, Depth depth) {
    if (text.size() > reading.types.limits.text) {
      return Error{Code::too_large, "the schema is too large"};
    }
    auto index = json::Index::of(text, kMostValues);
    if (!index) return Error{Code::invalid_params, index.error().message};
    return Parser(reading, *index).type(0, "", depth);
  }

 private:
  Error wrong(NodeId at, std::string_view what) const {
    const auto pointer = index_.pointer(at);
    return {Code::invalid_params,
            pointer.empty() ? std::string(what) : fmt::format("{}: {}", pointer, what)};
  }

  // The string member `key`, or nothing if there is none or it is not a string.
  std::optional<std::string> text(NodeId at, std::string_view key) const {
    const auto found = index_.find(at, key);
    if (!found || index_[*found].type != json::Type::string) return std::nullopt;
    std::string scratch;
    return std::string(index_.text(*found, scratch));
  }

  // `space` is the name space around the type.
  Result<AvroId> type(NodeId at, std::string_view space, Depth depth);
  Result<AvroId> named(NodeId at, const std::string& name, std::string_view space, Depth depth);
  Result<AvroId> object(NodeId at, std::string_view space, Depth depth);
  Result<AvroId> alternatives(NodeId at, std::string_view space, Depth depth);
  Result<AvroId> items(AvroKind kind, NodeId at, std::string_view space, Depth depth);
  Result<AvroId> definition(AvroKind kind, NodeId at, std::string_view space, Depth depth);
  Result<void> fields(AvroId id, NodeId at, Depth depth);
  Result<AvroField> field(NodeId at, std::string_view space, Depth depth);
  Result<void> symbols(AvroId id, NodeId at);
  Result<void> size(AvroId id, NodeId at);

  Result<AvroId> add(AvroType type, NodeId at) {
    auto& list = reading_.types.list;
    if (list.size() >= reading_.types.limits.types) {
      return Error{Code::too_large, wrong(at, "the schema has too many types").message};
    }
    list.push_back(std::move(type));
    return static_cast<AvroId>(list.size() - 1);
  }
  AvroType& of(AvroId id) { return reading_.types.list[id]; }

  Reading& reading_;
  const json::Index& index_;
};

Result<AvroId> Parser::type(NodeId at, std::string_view space, Depth depth) {
  if (depth.types > kMostDepth || depth.unnamed > kMostUnnamed) {
    return Error{Code::too_large, wrong(at, "the schema is nested too deeply").message};
  }
  std::string scratch;
  switch (index_[at].type) {
    case json::Type::string:
      return named(at, std::string(index_.text(at, scratch)), space, depth);
    case json::Type::array:
      return alternatives(at, space, depth);
    case json::Type::object:
      return object(at, space, depth);
    default:
      return wrong(at, "a type is a name, an object or an array");
  }
}

// A bare name: of a primitive type, or of a type that is defined here or in another document.
Result<AvroId> Parser::named(NodeId at, const std::string& name, std::string_view space,
                             Depth depth) {
  const auto kind = find_avro_kind(name);
  if (kind && static_cast<std::size_t>(*kind) < kAvroPrimitives) return static_cast<AvroId>(*kind);
  for (const std::string& full : {in_space(space, name), name}) {
    if (const auto known = reading_.names.find(full); known != reading_.names.end()) {
      return known->second;
    }
    for (const auto& document : reading_.documents) {
      if (document.uri != full || !reading_.opened.insert(document.uri).second) continue;
      auto read = Parser::read(reading_, document.text, depth.inside());
      if (!read) {
        return Error{read.error().code, fmt::format("in {}: {}", full, read.error().message)};
      }
      if (const auto now = reading_.names.find(full); now != reading_.names.end()) {
        return now->second;
      }
    }
  }
  return wrong(at, fmt::format("there is no type '{}'", json::shortened(name, 200)));
}

Result<AvroId> Parser::object(NodeId at, std::string_view space, Depth depth) {
  const auto inner = index_.find(at, "type");
  if (!inner) return wrong(at, "'type' is missing");
  if (index_[*inner].type != json::Type::string) return type(*inner, space, depth.inside());
  const std::string name = *text(at, "type");
  const auto kind = find_avro_kind(name);
  if (kind == AvroKind::array || kind == AvroKind::map) return items(*kind, at, space, depth);
  if (kind && static_cast<std::size_t>(*kind) >= kAvroPrimitives) {
    return definition(*kind, at, space, depth);
  }
  const auto logical = text(at, "logicalType");
  if (!kind || !logical) return named(*inner, name, space, depth);
  AvroType meant{.kind = *kind};
  meant.logical = *logical;
  return add(std::move(meant), at);
}

// A union has each type once and no union directly inside; otherwise it would be ambiguous.
Result<AvroId> Parser::alternatives(NodeId at, std::string_view space, Depth depth) {
  AvroType found{.kind = AvroKind::alternatives};
  std::set<std::string> titles;
  for (NodeId child = at + 1; child != index_[at].next; child = index_[child].next) {
    auto branch = type(child, space, depth.inside());
    if (!branch) return branch;
    if (of(*branch).kind == AvroKind::alternatives) {
      return wrong(child, "a union cannot be directly in another");
    }
    if (!titles.emplace(reading_.types.title(*branch)).second) {
      return wrong(child, fmt::format("the union has {} already", reading_.types.title(*branch)));
    }
    found.branches.push_back(*branch);
  }
  if (found.branches.empty()) return wrong(at, "a union needs at least one type");
  return add(std::move(found), at);
}

Result<AvroId> Parser::items(AvroKind kind, NodeId at, std::string_view space, Depth depth) {
  const std::string_view key = kind == AvroKind::array ? "items" : "values";
  const auto inner = index_.find(at, key);
  if (!inner) return wrong(at, fmt::format("'{}' is missing", key));
  auto item = type(*inner, space, depth.inside());
  if (!item) return item;
  AvroType found{.kind = kind};
  found.items = *item;
  return add(std::move(found), at);
}

// A named type. It is known before its parts are parsed, since they may refer to it.
Result<AvroId> Parser::definition(AvroKind kind, NodeId at, std::string_view space, Depth depth) {
  const auto name = text(at, "name");
  if (!name) return wrong(at, "'name' is missing");
  AvroType found{.kind = kind};
  found.name = in_space(text(at, "namespace").value_or(std::string(space)), *name);
  if (!is_full_name(found.name)) {
    return wrong(at, fmt::format("'{}' is not a name", json::shortened(found.name, 200)));
  }
  if (find_avro_kind(found.name)) {
    return wrong(at, fmt::format("'{}' is the name of a built-in type", found.name));
  }
  found.doc = text(at, "doc").value_or("");
  found.logical = text(at, "logicalType").value_or("");
  const std::string full = found.name;
  auto id = add(std::move(found), at);
  if (!id) return id;
  if (!reading_.names.emplace(full, *id).second) {
    return wrong(at, fmt::format("'{}' is defined twice", full));
  }
  auto parts = kind == AvroKind::record        ? fields(*id, at, depth)
               : kind == AvroKind::enumeration ? symbols(*id, at)
                                               : size(*id, at);
  if (!parts) return parts.error();
  return id;
}

Result<void> Parser::fields(AvroId id, NodeId at, Depth depth) {
  const auto list = index_.find(at, "fields");
  if (!list || index_[*list].type != json::Type::array) {
    return wrong(at, "'fields' must be an array");
  }
  const std::string space(space_of(of(id).name));
  for (NodeId child = *list + 1; child != index_[*list].next; child = index_[child].next) {
    auto one = field(child, space, depth);
    if (!one) return one.error();
    AvroType& record = of(id);
    const auto index = static_cast<std::uint32_t>(record.fields.size());
    if (!record.indexes.emplace(one->name, index).second) {
      return wrong(child, fmt::format("there is a field '{}' already", one->name));
    }
    record.fields.push_back(*std::move(one));
  }
  return ok();
}

Result<AvroField> Parser::field(NodeId at, std::string_view space, Depth depth) {
  const auto name = text(at, "name");
  if (!name || !is_name_part(*name))
    return wrong(at, "a field needs a 'name' of letters and digits");
  const auto inner = index_.find(at, "type");
  if (!inner) return wrong(at, "'type' is missing");
  auto of_type = type(*inner, space, depth.inside_named());
  if (!of_type) return of_type.error();
  AvroField found{*name, text(at, "doc").value_or(""), *of_type};
  if (const auto given = index_.find(at, "default")) found.default_text = index_.raw(*given);
  return found;
}

Result<void> Parser::symbols(AvroId id, NodeId at) {
  const auto list = index_.find(at, "symbols");
  if (!list || index_[*list].type != json::Type::array || index_[*list].count == 0) {
    return wrong(at, "'symbols' must be an array of names");
  }
  for (NodeId child = *list + 1; child != index_[*list].next; child = index_[child].next) {
    std::string scratch;
    const bool is_text = index_[child].type == json::Type::string;
    const std::string symbol(is_text ? index_.text(child, scratch) : "");
    if (!is_name_part(symbol)) return wrong(child, "a symbol must be a name");
    AvroType& type = of(id);
    const auto index = static_cast<std::uint32_t>(type.symbols.size());
    if (!type.indexes.emplace(symbol, index).second) {
      return wrong(child, fmt::format("there is a symbol '{}' already", symbol));
    }
    type.symbols.push_back(symbol);
  }
  return ok();
}

Result<void> Parser::size(AvroId id, NodeId at) {
  const auto given = index_.find(at, "size");
  const auto bytes = given ? json::as_int(index_.raw(*given)) : std::nullopt;
  if (!bytes || *bytes < 0 || static_cast<std::uint64_t>(*bytes) > kMostFixed) {
    return wrong(at, fmt::format("'size' must be a number up to {}", kMostFixed));
  }
  of(id).size = static_cast<std::size_t>(*bytes);
  return ok();
}

// Defaults are encoded once, when all types are known.
Result<void> write_defaults(AvroTypes& types) {
  AvroBudget budget{types.limits.values, types.limits.defaults};
  for (AvroType& type : types.list) {
    for (AvroField& field : type.fields) {
      if (!field.default_text) continue;
      auto written = write_avro(types, field.type, *field.default_text, true, budget);
      if (!written) {
        return Error{written.error().code,
                     fmt::format("the default of the field '{}' of {}: {}", field.name, type.name,
                                 written.error().message)};
      }
      budget.bytes -= written->size();
      field.default_bytes = *std::move(written);
    }
  }
  return ok();
}

}  // namespace

Result<std::shared_ptr<const AvroSchema>> AvroSchema::parse(
    std::string_view text, std::span<const json::SchemaDocument> documents,
    const AvroLimits& limits) {
  auto types = std::make_unique<AvroTypes>();
  types->limits = limits;
  for (std::size_t i = 0; i < kAvroPrimitives; ++i) {
    types->list.push_back({.kind = static_cast<AvroKind>(i)});
  }
  Reading reading{*types, documents};
  auto root = Parser::read(reading, text, {});
  if (!root) return root.error();
  types->root = *root;
  auto written = write_defaults(*types);
  if (!written) return written.error();
  return std::make_shared<const AvroSchema>(std::move(types));
}

}  // namespace patchbay::bus
