#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "bus/avro/types.h"
#include "core/base64.h"
#include "json/decimal.h"
#include "json/index.h"
#include "json/read.h"

namespace patchbay::bus {
namespace {

using json::NodeId;

// Whether a JSON value of that type can be of the kind at all.
bool may_be(AvroKind kind, json::Type type) {
  switch (kind) {
    case AvroKind::null:
      return type == json::Type::null;
    case AvroKind::boolean:
      return type == json::Type::boolean;
    case AvroKind::integer:
    case AvroKind::long_integer:
    case AvroKind::single:
    case AvroKind::double_precision:
      return type == json::Type::number;
    case AvroKind::bytes:
    case AvroKind::string:
    case AvroKind::enumeration:
    case AvroKind::fixed:
      return type == json::Type::string;
    case AvroKind::array:
      return type == json::Type::array;
    case AvroKind::record:
    case AvroKind::map:
      return type == json::Type::object;
    case AvroKind::alternatives:
      return true;
  }
  return false;
}

// The integer, however it is written: 1e3 is one.
std::optional<std::int64_t> whole_number(std::string_view raw) {
  if (const auto plain = json::as_int(raw)) return plain;
  const json::Decimal number(raw);
  if (!number.is_whole()) return std::nullopt;
  return json::as_int(number.text());
}

// Bytes as in defaults: each is the character with that code.
std::optional<std::string> bytes_of_characters(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    const char32_t character = json::take_character(text);
    if (character > 0xFF) return std::nullopt;
    bytes += static_cast<char>(character);
  }
  return bytes;
}

void put_number(std::string& out, std::int64_t value) {
  const auto sign = static_cast<std::uint64_t>(value >> 63);
  std::uint64_t bits = (static_cast<std::uint64_t>(value) << 1) ^ sign;
  for (; bits >= 0x80; bits >>= 7) out += static_cast<char>((bits & 0x7F) | 0x80);
  out += static_cast<char>(bits);
}

// Walks the JSON along the types. A fault is about the first value that does not fit.
class Writer {
 public:
  Writer(const AvroTypes& types, const json::Index& index, bool in_schema, AvroBudget& budget,
         std::string& out)
      : types_(types), index_(index), in_schema_(in_schema), budget_(budget), out_(out) {}

  Result<void> write(AvroId id, std::size_t depth) {
    if (put(id, 0, depth)) return ok();
    return *fault_;
  }

 private:
  bool fail(Code code, std::string what) {
    fault_ = Error{code, std::move(what)};
    return false;
  }
  template <class... Args>
  bool schema_violation(NodeId at, fmt::format_string<Args...> format, Args&&... args) {
    // The reason why one type of several does not fit is never reported.
    if (trying_ > 0) return fail(Code::invalid_params, {});
    const auto pointer = index_.pointer(at);
    const auto what = fmt::format(format, std::forward<Args>(args)...);
    return fail(Code::invalid_params, pointer.empty() ? fmt::format("the value {}", what)
                                                      : fmt::format("{} {}", pointer, what));
  }
  bool is_affordable(std::size_t depth);

  bool put(AvroId id, NodeId at, std::size_t depth);
  bool put_whole(NodeId at, bool is_long);
  template <class Number>
  bool put_fraction(NodeId at);
  bool put_blob(const AvroType& type, NodeId at);
  bool put_symbol(const AvroType& type, NodeId at);
  bool put_items(const AvroType& type, NodeId at, std::size_t depth);
  bool put_record(const AvroType& type, NodeId at, std::size_t depth);
  bool put_missing(const AvroField& field, NodeId record, std::size_t depth);
  bool put_branch(const AvroType& type, NodeId at, std::size_t depth);
  void put_text(std::string_view text) {
    put_number(out_, static_cast<std::int64_t>(text.size()));
    out_ += text;
  }

  const AvroTypes& types_;
  const json::Index& index_;
  const bool in_schema_;
  AvroBudget& budget_;
  std::string& out_;
  std::string scratch_;
  int trying_ = 0;  // Enclosing unions that have several candidate types.
  std::optional<Error> fault_;
};

bool Writer::is_affordable(std::size_t depth) {
  if (depth > types_.limits.depth) {
    return fail(Code::too_large, "the value is nested too deeply");
  }
  if (budget_.values == 0) return fail(Code::too_large, "the value has too many parts");
  --budget_.values;
  if (out_.size() > budget_.bytes) return fail(Code::too_large, "the value is too large");
  return true;
}

bool Writer::put(AvroId id, NodeId at, std::size_t depth) {
  if (!is_affordable(depth)) return false;
  const AvroType& type = types_[id];
  const json::Node& node = index_[at];
  if (!may_be(type.kind, node.type)) {
    return schema_violation(at, "must be of the type {}", types_.title(id));
  }
  switch (type.kind) {
    case AvroKind::null:
      return true;
    case AvroKind::boolean:
      out_ += index_.raw(at) == "true" ? '\1' : '\0';
      return true;
    case AvroKind::integer:
    case AvroKind::long_integer:
      return put_whole(at, type.kind == AvroKind::long_integer);
    case AvroKind::single:
      return put_fraction<float>(at);
    case AvroKind::double_precision:
      return put_fraction<double>(at);
    case AvroKind::string:
      put_text(index_.text(at, scratch_));
      return true;
    case AvroKind::bytes:
    case AvroKind::fixed:
      return put_blob(type, at);
    case AvroKind::enumeration:
      return put_symbol(type, at);
    case AvroKind::array:
    case AvroKind::map:
      return put_items(type, at, depth);
    case AvroKind::record:
      return put_record(type, at, depth);
    case AvroKind::alternatives:
      return put_branch(type, at, depth);
  }
  return false;
}

bool Writer::put_whole(NodeId at, bool is_long) {
  const auto value = whole_number(index_.raw(at));
  if (!value || (!is_long && !std::in_range<std::int32_t>(*value))) {
    return schema_violation(at, "must be a whole number of {} bits", is_long ? 64 : 32);
  }
  put_number(out_, *value);
  return true;
}

template <class Number>
bool Writer::put_fraction(NodeId at) {
  const auto raw = index_.raw(at);
  Number value = 0;
  const auto read = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (read.ec != std::errc()) {
    const bool is_float = sizeof(Number) == sizeof(float);
    return schema_violation(at, "is beyond the range of a {}", is_float ? "float" : "double");
  }
  std::array<char, sizeof(Number)> bytes{};
  std::memcpy(bytes.data(), &value, sizeof(value));
  out_.append(bytes.data(), bytes.size());
  return true;
}

bool Writer::put_blob(const AvroType& type, NodeId at) {
  const auto text = index_.text(at, scratch_);
  const auto bytes = in_schema_ ? bytes_of_characters(text) : base64_decode(text);
  if (!bytes)
    return schema_violation(at, "{}", in_schema_ ? "has characters beyond 255" : "must be base64");
  if (type.kind == AvroKind::bytes) {
    put_text(*bytes);
    return true;
  }
  if (bytes->size() != type.size) {
    return schema_violation(at, "must have {} bytes, has {}", type.size, bytes->size());
  }
  out_ += *bytes;
  return true;
}

bool Writer::put_symbol(const AvroType& type, NodeId at) {
  const auto found = type.indexes.find(index_.text(at, scratch_));
  if (found == type.indexes.end()) {
    return schema_violation(at, "is none of the symbols of {}", type.name);
  }
  put_number(out_, found->second);
  return true;
}

// In one block.
bool Writer::put_items(const AvroType& type, NodeId at, std::size_t depth) {
  const json::Node& node = index_[at];
  if (node.count > 0) put_number(out_, node.count);
  for (NodeId child = at + 1; child != node.next; child = index_[child].next) {
    if (type.kind == AvroKind::map) put_text(index_.key(child));
    if (!put(type.items, child, depth + 1)) return false;
  }
  put_number(out_, 0);
  return true;
}

bool Writer::put_record(const AvroType& type, NodeId at, std::size_t depth) {
  constexpr NodeId kMissing = 0;  // No member is the first of all values.
  std::vector<NodeId> given(type.fields.size(), kMissing);
  for (NodeId child = at + 1; child != index_[at].next; child = index_[child].next) {
    const auto found = type.indexes.find(index_.key(child));
    if (found == type.indexes.end()) {
      return schema_violation(child, "is not a field of {}", type.name);
    }
    given[found->second] = child;
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    const AvroField& field = type.fields[i];
    const bool put_it = given[i] == kMissing ? put_missing(field, at, depth + 1)
                                             : put(field.type, given[i], depth + 1);
    if (!put_it) return false;
  }
  return true;
}

bool Writer::put_missing(const AvroField& field, NodeId record, std::size_t depth) {
  if (!is_affordable(depth)) return false;
  if (field.default_bytes) {
    out_ += *field.default_bytes;
    return true;
  }
  // Defaults are missing only while the schema is being parsed.
  if (field.default_text) {
    auto index = json::Index::of(*field.default_text, budget_.values);
    if (!index) return fail(index.error().code, index.error().message);
    auto written = Writer(types_, *index, true, budget_, out_).write(field.type, depth);
    return written || fail(written.error().code, written.error().message);
  }
  const AvroType& type = types_[field.type];
  if (type.kind == AvroKind::null) return true;
  const auto branch = types_.null_branch(type);
  if (!branch) return schema_violation(record, "needs the field '{}'", field.name);
  put_number(out_, *branch);
  return true;
}

// If only one type is possible, its own fault is reported.
bool Writer::put_branch(const AvroType& type, NodeId at, std::size_t depth) {
  std::vector<std::uint32_t> possible;
  for (std::uint32_t i = 0; i < type.branches.size(); ++i) {
    if (may_be(types_[type.branches[i]].kind, index_[at].type)) possible.push_back(i);
  }
  const std::size_t before = out_.size();
  for (const std::uint32_t branch : possible) {
    out_.resize(before);
    put_number(out_, branch);
    if (possible.size() == 1) return put(type.branches[branch], at, depth);
    ++trying_;
    const bool fits = put(type.branches[branch], at, depth);
    --trying_;
    if (fits) return true;
    if (fault_->code == Code::too_large) return false;
  }
  if (trying_ > 0) return false;
  std::string titles;
  for (const AvroId id : type.branches) {
    titles += fmt::format("{}{}", titles.empty() ? "" : ", ", types_.title(id));
  }
  return schema_violation(at, "must be of one of the types {}", json::shortened(titles, 1000));
}

}  // namespace

Result<std::string> write_avro(const AvroTypes& types, AvroId id, std::string_view text,
                               bool in_schema, AvroBudget& budget) {
  if (text.size() > types.limits.bytes) return Error{Code::too_large, "the value is too large"};
  auto index = json::Index::of(text, budget.values);
  if (!index) return index.error();
  std::string out;
  auto written = Writer(types, *index, in_schema, budget, out).write(id, 0);
  if (!written) return written.error();
  if (out.size() > budget.bytes) return Error{Code::too_large, "the value is too large"};
  return out;
}

}  // namespace patchbay::bus
