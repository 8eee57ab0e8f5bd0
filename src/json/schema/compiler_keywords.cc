// The part of SchemaCompiler for the single keywords.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "json/decimal.h"
#include "json/schema/compiler.h"
#include "json/schema/formats.h"
#include "json/uri.h"

namespace patchbay::json {
namespace {

struct TypeName {
  std::string_view name;
  std::uint8_t bits;
};
constexpr TypeName kTypeNames[] = {
    {"object", bit(Type::object)}, {"array", bit(Type::array)},
    {"string", bit(Type::string)}, {"number", bit(Type::number) | kIntegerBit},
    {"integer", kIntegerBit},      {"boolean", bit(Type::boolean)},
    {"null", bit(Type::null)},
};

std::uint8_t type_bits(std::string_view name) {
  const auto found = std::ranges::find(kTypeNames, name, &TypeName::name);
  return found == std::end(kTypeNames) ? 0 : found->bits;
}

}  // namespace

void SchemaCompiler::put_type() {
  const NodeId at = keyword(Keyword::type);
  if (!at) return;
  const bool list = node(at).type == Type::array;
  std::uint32_t bits = 0;
  for (NodeId one = list ? at + 1 : at; one != next(at); one = next(one)) {
    const std::uint8_t known = node(one).type == Type::string ? type_bits(text(one)) : 0;
    if (known == 0) return fail(one, "must be the name of a type");
    bits |= known;
  }
  put({.keyword = Keyword::type, .a = bits});
}

void SchemaCompiler::put_constants() {
  if (const NodeId at = keyword(Keyword::constant)) {
    put({.keyword = Keyword::constant, .a = constant(at)});
  }
  if (const NodeId at = keyword(Keyword::enumeration)) {
    if (expect(at, Type::array, "an array"))
      put({.keyword = Keyword::enumeration, .a = constant(at)});
  }
}

void SchemaCompiler::put_numbers() {
  for (const Keyword which : {Keyword::minimum, Keyword::maximum, Keyword::exclusive_minimum,
                              Keyword::exclusive_maximum, Keyword::multiple_of}) {
    const NodeId at = keyword(which);
    if (!at) continue;
    if (subject_.dialect.draft == Draft::draft_04) {
      put_old_bound(which, at);
    } else {
      put({.keyword = which, .types = bit(Type::number), .a = number(at)});
    }
    if (failed_ || which != Keyword::multiple_of) continue;
    const Decimal divisor(subject_.index->raw(at));
    if (divisor.is_zero() || divisor.is_negative()) fail(at, "must be above zero");
    if (divisor.digits() > Decimal::kMaxDivisor) {
      fail(at, fmt::format("has more than {} significant digits", Decimal::kMaxDivisor));
    }
  }
}

// In draft-04 `exclusiveMinimum` and `exclusiveMaximum` are booleans that modify `minimum` and
// `maximum`.
void SchemaCompiler::put_old_bound(Keyword which, NodeId at) {
  if (which == Keyword::exclusive_minimum || which == Keyword::exclusive_maximum) {
    expect(at, Type::boolean, "true or false");
    return;
  }
  const auto exclusive = [this](Keyword other) {
    return keyword(other) && subject_.index->raw(keyword(other)) == "true";
  };
  Keyword meant = which;
  if (which == Keyword::minimum && exclusive(Keyword::exclusive_minimum)) {
    meant = Keyword::exclusive_minimum;
  }
  if (which == Keyword::maximum && exclusive(Keyword::exclusive_maximum)) {
    meant = Keyword::exclusive_maximum;
  }
  put({.keyword = meant, .types = bit(Type::number), .a = number(at)});
}

void SchemaCompiler::put_counts(std::uint8_t type, Keyword least, Keyword most) {
  for (const Keyword which : {least, most}) {
    if (const NodeId at = keyword(which)) put({.keyword = which, .types = type, .a = count(at)});
  }
}

void SchemaCompiler::put_strings() {
  const std::uint8_t type = bit(Type::string);
  put_counts(type, Keyword::min_length, Keyword::max_length);
  if (const NodeId at = keyword(Keyword::pattern)) {
    if (!expect(at, Type::string, "a string")) return;
    const std::string source = text(at);
    put({.keyword = Keyword::pattern, .types = type, .a = pattern(at, source), .b = name(source)});
  }
  const NodeId at = keyword(Keyword::format);
  if (!at || !expect(at, Type::string, "a string")) return;
  if (!options_.formats && !(subject_.dialect.vocabularies & kFormatAssertion)) return;
  if (const auto known = find_format(text(at))) {
    put({.keyword = Keyword::format, .types = type, .a = *known, .b = name(text(at))});
  }
}

void SchemaCompiler::put_arrays() {
  put_counts(bit(Type::array), Keyword::min_items, Keyword::max_items);
  put_items();
  put_contains();
  const NodeId at = keyword(Keyword::unique_items);
  if (!at || !expect(at, Type::boolean, "true or false")) return;
  if (subject_.index->raw(at) == "true") {
    put({.keyword = Keyword::unique_items, .types = bit(Type::array)});
  }
}

// 2020-12 has `prefixItems` and `items` for an array of `items` and `additionalItems` of earlier
// drafts.
void SchemaCompiler::put_items() {
  NodeId prefix = keyword(Keyword::prefix_items);
  NodeId rest = keyword(Keyword::items);
  const bool lists = subject_.dialect.draft < Draft::draft_2020_12;
  if (lists && rest && node(rest).type == Type::array) {
    prefix = rest;
    rest = keyword(Keyword::additional_items);
  }
  if (!prefix && !rest) return;
  if (prefix && !expect(prefix, Type::array, "an array")) return;
  SchemaStep step{.keyword = Keyword::items, .types = bit(Type::array), .c = kNone};
  if (prefix) {
    step.a = block_list(prefix);
    step.b = node(prefix).count;
  }
  if (rest) step.c = block(rest);
  put(step);
}

void SchemaCompiler::put_contains() {
  const NodeId at = keyword(Keyword::contains);
  if (!at) return;
  SchemaStep step{.keyword = Keyword::contains, .types = bit(Type::array), .b = 1, .c = kNone};
  step.a = block(at);
  step.evaluates = subject_.dialect.draft >= Draft::draft_2020_12;
  if (const NodeId least = keyword(Keyword::min_contains)) step.b = count(least);
  if (const NodeId most = keyword(Keyword::max_contains)) step.c = count(most);
  put(step);
}

void SchemaCompiler::put_objects() {
  put_counts(bit(Type::object), Keyword::min_properties, Keyword::max_properties);
  put_members();
  put_dependents();
  if (const NodeId at = keyword(Keyword::property_names)) {
    put({.keyword = Keyword::property_names, .types = bit(Type::object), .a = block(at)});
  }
}

void SchemaCompiler::put_members() {
  const NodeId patterns = keyword(Keyword::pattern_properties);
  const NodeId additional = keyword(Keyword::additional_properties);
  if (!keyword(Keyword::properties) && !patterns && !additional && !keyword(Keyword::required))
    return;
  SchemaMembers members;
  fill_slots(members);
  if (patterns && expect(patterns, Type::object, "an object")) {
    std::vector<std::uint32_t> pairs;
    for (NodeId child = patterns + 1; child != next(patterns); child = next(child)) {
      pairs.push_back(pattern(child, subject_.index->key(child)));
      pairs.push_back(block(child));
    }
    members.patterns = static_cast<std::uint32_t>(program_->lists.size());
    members.pattern_count = node(patterns).count;
    program_->lists.insert(program_->lists.end(), pairs.begin(), pairs.end());
  }
  if (additional) members.additional = block(additional);
  put({.keyword = Keyword::properties,
       .types = bit(Type::object),
       .a = static_cast<std::uint32_t>(program_->members.size())});
  program_->members.push_back(members);
}

void SchemaCompiler::fill_slots(SchemaMembers& members) {
  std::map<std::string, SchemaSlot> by_name;
  if (const NodeId at = keyword(Keyword::properties); at && expect(at, Type::object, "an object")) {
    for (NodeId child = at + 1; child != next(at); child = next(child)) {
      by_name[std::string(subject_.index->key(child))].block = block(child);
    }
  }
  if (const NodeId at = keyword(Keyword::required); at && expect(at, Type::array, "an array")) {
    for (NodeId child = at + 1; child != next(at); child = next(child)) {
      if (!expect(child, Type::string, "a string")) return;
      by_name[text(child)].required = true;
    }
  }
  const std::size_t size = std::bit_ceil(by_name.size() * 2 + 1);
  members.first = static_cast<std::uint32_t>(program_->slots.size());
  members.mask = static_cast<std::uint32_t>(size - 1);
  program_->slots.resize(program_->slots.size() + size);
  for (auto& [key, slot] : by_name) {
    slot.hash = hash_key(key);
    slot.name = name(key);
    if (slot.required) ++members.required;
    std::size_t at = slot.hash & members.mask;
    while (program_->slots[members.first + at].name != kNone) at = (at + 1) & members.mask;
    program_->slots[members.first + at] = slot;
  }
}

// `dependencies` up to draft-07 combines the other two; it is accepted in later drafts too, where
// it is removed but still in use.
void SchemaCompiler::put_dependents() {
  for (const Keyword which :
       {Keyword::dependent_required, Keyword::dependent_schemas, Keyword::dependencies}) {
    const NodeId at = keyword(which);
    if (!at || !expect(at, Type::object, "an object")) continue;
    for (NodeId child = at + 1; child != next(at); child = next(child)) {
      const bool names = which == Keyword::dependent_required ||
                         (which == Keyword::dependencies && node(child).type == Type::array);
      if (names && !expect(child, Type::array, "an array")) return;
      SchemaStep step{.keyword = names ? Keyword::dependent_required : Keyword::dependent_schemas,
                      .types = bit(Type::object),
                      .a = name(std::string(subject_.index->key(child)))};
      step.b = names ? name_list(child) : block(child);
      step.c = node(child).count;
      put(step);
    }
  }
}

void SchemaCompiler::put_applicators() {
  for (const Keyword which : {Keyword::all_of, Keyword::any_of, Keyword::one_of}) {
    const NodeId at = keyword(which);
    if (!at || !expect(at, Type::array, "an array")) continue;
    if (node(at).count == 0) return fail(at, "must not be empty");
    put({.keyword = which, .a = block_list(at), .b = node(at).count});
  }
  if (const NodeId at = keyword(Keyword::negation)) {
    put({.keyword = Keyword::negation, .a = block(at)});
  }
  if (const NodeId at = keyword(Keyword::condition)) {
    const NodeId then_branch = keyword(Keyword::then_branch);
    const NodeId else_branch = keyword(Keyword::else_branch);
    put({.keyword = Keyword::condition,
         .a = block(at),
         .b = then_branch ? block(then_branch) : kNone,
         .c = else_branch ? block(else_branch) : kNone});
  }
}

void SchemaCompiler::put_references() {
  if (const NodeId at = keyword(Keyword::ref)) {
    if (!expect(at, Type::string, "a string")) return;
    const auto found = documents_.resolve(subject_.resource, text(at));
    if (!found) return fail_with(at, found.error());
    put({.keyword = Keyword::ref, .a = block_at(*found)});
  }
  put_dynamic_reference();
}

// Only a reference to a dynamic anchor is dynamic; any other `$dynamicRef` is a `$ref`. The
// `$recursiveRef` of 2019-09 refers to the anonymous anchor that `$recursiveAnchor` sets.
void SchemaCompiler::put_dynamic_reference() {
  const bool recursive = keyword(Keyword::recursive_ref) != 0;
  const NodeId at = keyword(recursive ? Keyword::recursive_ref : Keyword::dynamic_ref);
  if (!at || !expect(at, Type::string, "a string")) return;
  const std::string reference = text(at);
  const auto found = documents_.resolve(subject_.resource, reference);
  if (!found) return fail_with(at, found.error());
  const auto anchor = split_uri(reference).fragment.value_or("");
  const auto& anchors = documents_.resources()[documents_.resource_of(*found)].dynamic_anchors;
  const auto named = anchors.find(anchor);
  if (named == anchors.end() || named->second != found->node) {
    return put({.keyword = Keyword::ref, .a = block_at(*found)});
  }
  auto row = std::ranges::find(dynamic_names_, anchor);
  if (row == dynamic_names_.end()) row = dynamic_names_.insert(row, std::string(anchor));
  put({.keyword = Keyword::dynamic_ref,
       .a = block_at(*found),
       .b = static_cast<std::uint32_t>(row - dynamic_names_.begin())});
}

void SchemaCompiler::put_unevaluated() {
  if (const NodeId at = keyword(Keyword::unevaluated_items)) {
    put({.keyword = Keyword::unevaluated_items, .types = bit(Type::array), .a = block(at)});
  }
  if (const NodeId at = keyword(Keyword::unevaluated_properties)) {
    put({.keyword = Keyword::unevaluated_properties, .types = bit(Type::object), .a = block(at)});
  }
}

}  // namespace patchbay::json
