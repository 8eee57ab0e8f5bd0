#include "json/schema/validation.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/decimal.h"
#include "json/read.h"
#include "json/schema/formats.h"
#include "json/text.h"

namespace patchbay::json {

Result<std::vector<Violation>> SchemaValidation::run() {
  block(0, 0, false);
  if (too_deep_) {
    return Error{Code::too_large, fmt::format("the schema goes more than {} subschemas deep here",
                                              program_.limits.depth)};
  }
  if (budget_.spent()) {
    return Error{Code::too_large,
                 fmt::format("the schema takes more than {} steps here", program_.limits.steps)};
  }
  std::vector<Violation> out;
  for (const Report& report : reports_) out.push_back(put_in_words(report));
  return out;
}

bool SchemaValidation::fail(const Fault& fault, const Fault& nearest) {
  last_ = {fault, nearest};
  if (silent_ == 0 && reports_.size() < most_) reports_.push_back(last_);
  return false;
}

bool SchemaValidation::block(BlockId id, NodeId node, bool collect) {
  if (depth_ == program_.limits.depth) too_deep_ = true;
  if (too_deep_ || !budget_.spend(1)) return false;
  ++depth_;
  const SchemaBlock& block = program_.blocks[id];
  const bool enters =
      !program_.dynamic.empty() && (scope_.empty() || scope_.back() != block.resource);
  if (enters) scope_.push_back(block.resource);
  const std::size_t from = evaluated_.size();
  const std::uint8_t type = bit(value_[node].type);
  bool good = true;
  for (std::uint32_t i = block.first; i != block.first + block.count; ++i) {
    const SchemaStep& now = program_.steps[i];
    if (!(now.types & type)) continue;
    bool passes = true;
    if (now.keyword == Keyword::unevaluated_items ||
        now.keyword == Keyword::unevaluated_properties) {
      // After a fault the evaluated members are unknown.
      if (good) passes = unevaluated(now, node, collect, from);
    } else {
      passes = step(now, node, collect || block.unevaluated);
    }
    if (passes) continue;
    good = false;
    if (stop()) break;
  }
  if (!good || !collect) evaluated_.resize(from);
  if (enters) scope_.pop_back();
  --depth_;
  return good;
}

bool SchemaValidation::silently(BlockId id, NodeId node, bool collect) {
  ++silent_;
  const bool good = block(id, node, collect);
  --silent_;
  return good;
}

bool SchemaValidation::is_false(BlockId id) const {
  const SchemaBlock& block = program_.blocks[id];
  return block.count == 1 && program_.steps[block.first].keyword == Keyword::never;
}

bool SchemaValidation::step(const SchemaStep& step, NodeId node, bool collect) {
  switch (step.keyword) {
    case Keyword::type:
      return type(step, node);
    case Keyword::constant:
      return equal(value_, node, program_.constants[step.a].index, 0, budget_) ||
             fail({&step, step.keyword, node});
    case Keyword::enumeration:
      return enumeration(step, node);
    case Keyword::minimum:
    case Keyword::maximum:
    case Keyword::exclusive_minimum:
    case Keyword::exclusive_maximum:
    case Keyword::multiple_of:
      return number(step, node);
    case Keyword::min_length:
    case Keyword::max_length:
    case Keyword::pattern:
    case Keyword::format:
      return string(step, node);
    case Keyword::min_items:
    case Keyword::min_properties:
      return value_[node].count >= step.a || fail({&step, step.keyword, node, value_[node].count});
    case Keyword::max_items:
    case Keyword::max_properties:
      return value_[node].count <= step.a || fail({&step, step.keyword, node, value_[node].count});
    case Keyword::items:
      return items(step, node, collect);
    case Keyword::contains:
      return contains(step, node, collect);
    case Keyword::unique_items:
      return unique_items(step, node);
    case Keyword::properties:
      return members(step, node, collect);
    case Keyword::property_names:
      return property_names(step, node);
    case Keyword::dependent_required:
    case Keyword::dependent_schemas:
      return dependent(step, node, collect);
    case Keyword::all_of:
      return all_of(step, node, collect);
    case Keyword::any_of:
      return any_of(step, node, collect);
    case Keyword::one_of:
      return one_of(step, node, collect);
    case Keyword::negation:
      return !silently(step.a, node, false) || fail({&step, step.keyword, node});
    case Keyword::condition:
      return condition(step, node, collect);
    case Keyword::ref:
      return block(step.a, node, collect);
    case Keyword::dynamic_ref:
      return dynamic_ref(step, node, collect);
    default:  // The schema `false`; the compiler emits no other keyword.
      return fail({&step, step.keyword, node});
  }
}

bool SchemaValidation::type(const SchemaStep& step, NodeId node) {
  const Type found = value_[node].type;
  if (step.a & bit(found)) return true;
  if (found == Type::number && (step.a & kIntegerBit)) {
    const std::string_view raw = value_.raw(node);
    if (raw.find_first_of(".eE") == std::string_view::npos || Decimal(raw).is_whole()) return true;
  }
  return fail({&step, step.keyword, node});
}

bool SchemaValidation::enumeration(const SchemaStep& step, NodeId node) {
  const Index& allowed = program_.constants[step.a].index;
  for (NodeId one = 1; one != allowed[0].next; one = allowed[one].next) {
    if (equal(value_, node, allowed, one, budget_)) return true;
  }
  return fail({&step, step.keyword, node});
}

bool SchemaValidation::number(const SchemaStep& step, NodeId node) {
  const SchemaNumber& bound = program_.numbers[step.a];
  const std::string_view raw = value_.raw(node);
  bool passes = false;
  if (step.keyword == Keyword::multiple_of) {
    passes = Decimal(raw).is_multiple_of(Decimal(bound.raw));
  } else {
    const auto small = bound.small ? as_int(raw) : std::nullopt;
    const auto order = small ? *small <=> *bound.small : Decimal(raw) <=> Decimal(bound.raw);
    passes = (step.keyword == Keyword::minimum && order >= 0) ||
             (step.keyword == Keyword::maximum && order <= 0) ||
             (step.keyword == Keyword::exclusive_minimum && order > 0) ||
             (step.keyword == Keyword::exclusive_maximum && order < 0);
  }
  return passes || fail({&step, step.keyword, node});
}

bool SchemaValidation::string(const SchemaStep& step, NodeId node) {
  const std::size_t bytes = value_[node].size - 2;  // Without the quotes.
  // Usually the bytes decide: a character takes one to twelve, a pair of escapes.
  if (step.keyword == Keyword::max_length && bytes <= step.a) return true;
  if (step.keyword == Keyword::min_length && (bytes + 11) / 12 >= step.a) return true;
  if (!budget_.spend(bytes / 64)) return false;
  const std::string_view text = value_.text(node, scratch_);
  if (step.keyword == Keyword::pattern) {
    return program_.patterns[step.a].search(text, budget_) || fail({&step, step.keyword, node});
  }
  if (step.keyword == Keyword::format) {
    return has_format(step.a, text) || fail({&step, step.keyword, node});
  }
  const std::size_t length = count_characters(text);
  const bool passes = step.keyword == Keyword::min_length ? length >= step.a : length <= step.a;
  return passes || fail({&step, step.keyword, node, static_cast<std::uint32_t>(length)});
}

bool SchemaValidation::all_of(const SchemaStep& step, NodeId node, bool collect) {
  bool good = true;
  for (std::uint32_t i = 0; i < step.b; ++i) {
    if (block(program_.lists[step.a + i], node, collect)) continue;
    good = false;
    if (stop()) break;
  }
  return good;
}

bool SchemaValidation::any_of(const SchemaStep& step, NodeId node, bool collect) {
  bool good = false;
  Fault nearest;
  for (std::uint32_t i = 0; i < step.b; ++i) {
    if (silently(program_.lists[step.a + i], node, collect)) {
      good = true;
      // If evaluated members must be known, the others are evaluated too.
      if (!collect) break;
      continue;
    }
    const Fault& fault = last_.nearest.step ? last_.nearest : last_.fault;
    if (!nearest.step || fault.node > nearest.node) nearest = fault;
  }
  return good || fail({&step, step.keyword, node}, nearest);
}

bool SchemaValidation::one_of(const SchemaStep& step, NodeId node, bool collect) {
  std::uint32_t passed = 0;
  Fault nearest;
  for (std::uint32_t i = 0; i < step.b && passed < 2; ++i) {
    if (silently(program_.lists[step.a + i], node, collect)) {
      ++passed;
      continue;
    }
    const Fault& fault = last_.nearest.step ? last_.nearest : last_.fault;
    if (!nearest.step || fault.node > nearest.node) nearest = fault;
  }
  if (passed == 1) return true;
  return fail({&step, step.keyword, node, passed}, passed == 0 ? nearest : Fault{});
}

bool SchemaValidation::condition(const SchemaStep& step, NodeId node, bool collect) {
  const BlockId branch = silently(step.a, node, collect) ? step.b : step.c;
  return branch == kNone || block(branch, node, collect);
}

// The outermost resource with an anchor of that name wins.
bool SchemaValidation::dynamic_ref(const SchemaStep& step, NodeId node, bool collect) {
  if (!budget_.spend(scope_.size() / 8)) return false;
  for (const std::uint32_t resource : scope_) {
    const BlockId found = program_.dynamic[step.b * program_.resources + resource];
    if (found != kNone) return block(found, node, collect);
  }
  return block(step.a, node, collect);
}

}  // namespace patchbay::json
