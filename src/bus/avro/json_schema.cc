#include <limits>

#include "bus/avro/types.h"
#include "json/write.h"

namespace patchbay::bus {
namespace {

// Nested types are written inline up to this depth, and referred to below it, so that the schema
// does not exceed the depth limit of JSON.
constexpr std::size_t kMostInline = 6;
constexpr std::size_t kMostDefault = 1024;  // Bytes of a default that is included.

// Attributes of a type that depend on where it is used.
struct Remarks {
  std::string_view doc = {};
  std::string default_value = {};  // Raw; empty: none.
};

class Describer {
 public:
  explicit Describer(const AvroTypes& types)
      : types_(types), uses_(types.list.size()), defined_(types.list.size()) {
    ++uses_[types.root];
    for (const AvroType& type : types.list) {
      for (const auto& field : type.fields) ++uses_[field.type];
      for (const AvroId branch : type.branches) ++uses_[branch];
      const bool has_items = type.kind == AvroKind::array || type.kind == AvroKind::map;
      if (has_items) ++uses_[type.items];
    }
  }

  std::string describe() {
    {
      json::Object object(out_);
      body(object, types_.root, 0, {});
      if (!shared_.empty()) {
        object.key("$defs");
        json::Object definitions(out_);
        // Each may add further references.
        for (std::size_t i = 0; i < shared_.size(); ++i) {
          definitions.key(types_[shared_[i]].name);
          json::Object definition(out_);
          body(definition, shared_[i], 0, {});
        }
      }
    }
    return std::move(out_);
  }

 private:
  void schema(AvroId id, std::size_t depth, const Remarks& remarks);
  void body(json::Object& object, AvroId id, std::size_t depth, const Remarks& remarks);
  void text(json::Object& object, const AvroType& type);
  void alternatives(json::Object& object, const AvroType& type, std::size_t depth);
  void record(json::Object& object, const AvroType& type, std::size_t depth);
  static void range(json::Object& object, std::int64_t least, std::int64_t most);
  void remark(json::Object& object, const Remarks& remarks);

  const AvroTypes& types_;
  std::vector<std::size_t> uses_;
  std::vector<AvroId> shared_;  // Types that are referred to...
  std::vector<bool> defined_;   // ...and whether a type is one of them.
  std::string out_;
};

// The schema of a part: inline, or a reference.
void Describer::schema(AvroId id, std::size_t depth, const Remarks& remarks) {
  json::Object object(out_);
  const AvroType& type = types_[id];
  if (!type.has_name() || (uses_[id] == 1 && depth <= kMostInline)) {
    return body(object, id, depth, remarks);
  }
  object.raw("$ref", json::quote("#/$defs/" + type.name));
  remark(object, remarks);
  if (!defined_[id]) shared_.push_back(id);
  defined_[id] = true;
}

void Describer::remark(json::Object& object, const Remarks& remarks) {
  if (!remarks.doc.empty()) object.raw("description", json::quote(remarks.doc));
  if (!remarks.default_value.empty()) object.raw("default", remarks.default_value);
}

void Describer::range(json::Object& object, std::int64_t least, std::int64_t most) {
  object.raw("type", "\"integer\"");
  object.raw("minimum", std::to_string(least));
  object.raw("maximum", std::to_string(most));
}

void Describer::body(json::Object& object, AvroId id, std::size_t depth, const Remarks& remarks) {
  const AvroType& type = types_[id];
  switch (type.kind) {
    case AvroKind::null:
      object.raw("type", "\"null\"");
      break;
    case AvroKind::boolean:
      object.raw("type", "\"boolean\"");
      break;
    case AvroKind::integer:
      range(object, std::numeric_limits<std::int32_t>::min(),
            std::numeric_limits<std::int32_t>::max());
      break;
    case AvroKind::long_integer:
      range(object, std::numeric_limits<std::int64_t>::min(),
            std::numeric_limits<std::int64_t>::max());
      break;
    case AvroKind::single:
    case AvroKind::double_precision:
      object.raw("type", "\"number\"");
      break;
    case AvroKind::string:
    case AvroKind::bytes:
    case AvroKind::fixed:
    case AvroKind::enumeration:
      text(object, type);
      break;
    case AvroKind::array:
      object.raw("type", "\"array\"");
      object.key("items");
      schema(type.items, depth + 1, {});
      break;
    case AvroKind::map:
      object.raw("type", "\"object\"");
      object.key("additionalProperties");
      schema(type.items, depth + 1, {});
      break;
    case AvroKind::record:
      record(object, type, depth);
      break;
    case AvroKind::alternatives:
      alternatives(object, type, depth);
      break;
  }
  const std::string_view own = type.doc.empty() ? type.logical : type.doc;
  remark(object, {remarks.doc.empty() ? own : remarks.doc, remarks.default_value});
}

// Types whose values are strings in JSON.
void Describer::text(json::Object& object, const AvroType& type) {
  object.raw("type", "\"string\"");
  if (type.kind == AvroKind::bytes || type.kind == AvroKind::fixed) {
    object.raw("contentEncoding", "\"base64\"");
  }
  if (type.kind == AvroKind::fixed) {
    const auto characters = std::to_string((type.size + 2) / 3 * 4);
    object.raw("minLength", characters);
    object.raw("maxLength", characters);
  }
  if (type.kind == AvroKind::enumeration) {
    object.key("enum");
    for (const auto& symbol : type.symbols) {
      out_ += &symbol == &type.symbols.front() ? '[' : ',';
      json::append_quoted(out_, symbol);
    }
    out_ += ']';
  }
}

void Describer::alternatives(json::Object& object, const AvroType& type, std::size_t depth) {
  object.key("anyOf");
  for (std::size_t i = 0; i < type.branches.size(); ++i) {
    out_ += i == 0 ? '[' : ',';
    schema(type.branches[i], depth + 1, {});
  }
  out_ += ']';
}

void Describer::record(json::Object& object, const AvroType& type, std::size_t depth) {
  object.raw("type", "\"object\"");
  std::string required;
  {
    object.key("properties");
    json::Object properties(out_);
    for (const AvroField& field : type.fields) {
      Remarks remarks{field.doc};
      if (field.default_bytes) {
        // The same types wrote it.
        auto value = read_avro(types_, field.type, *field.default_bytes, kMostDefault);
        if (value) remarks.default_value = *std::move(value);
      }
      properties.key(field.name);
      schema(field.type, depth + 1, remarks);
      const AvroType& of = types_[field.type];
      const bool may_be_left_out =
          field.default_bytes || of.kind == AvroKind::null || types_.null_branch(of);
      if (may_be_left_out) continue;
      required += required.empty() ? '[' : ',';
      json::append_quoted(required, field.name);
    }
  }
  if (!required.empty()) object.raw("required", required + "]");
  object.raw("additionalProperties", "false");
}

}  // namespace

std::string avro_json_schema(const AvroTypes& types) { return Describer(types).describe(); }

}  // namespace patchbay::bus
