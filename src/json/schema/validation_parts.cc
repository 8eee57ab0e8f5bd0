// The part of SchemaValidation for arrays and objects.
#include <algorithm>

#include "json/schema/validation.h"
#include "json/text.h"

namespace patchbay::json {

bool SchemaValidation::items(const SchemaStep& step, NodeId node, bool collect) {
  bool good = true;
  std::uint32_t position = 0;
  for (NodeId child = node + 1; child != value_[node].next; child = value_[child].next) {
    const BlockId id = position < step.b ? program_.lists[step.a + position] : step.c;
    ++position;
    if (id == kNone) break;
    evaluate(child, collect);
    if (block(id, child, false)) continue;
    good = false;
    if (stop()) break;
  }
  return good;
}

bool SchemaValidation::contains(const SchemaStep& step, NodeId node, bool collect) {
  std::uint32_t found = 0;
  for (NodeId child = node + 1; child != value_[node].next; child = value_[child].next) {
    if (!silently(step.a, child, false)) continue;
    evaluate(child, collect && step.evaluates);
    ++found;
    if (found > step.c) break;
    if (found >= step.b && step.c == kNone && !collect) break;
  }
  return (found >= step.b && found <= step.c) || fail({&step, step.keyword, node, found});
}

// Equal values have equal hashes, so only those are compared.
bool SchemaValidation::unique_items(const SchemaStep& step, NodeId node) {
  std::vector<std::pair<std::uint64_t, NodeId>> seen;
  seen.reserve(value_[node].count);
  for (NodeId child = node + 1; child != value_[node].next; child = value_[child].next) {
    seen.emplace_back(hash_value(value_, child, budget_), child);
    if (budget_.spent()) return false;
  }
  std::ranges::sort(seen);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    for (std::size_t j = i + 1; j < seen.size() && seen[j].first == seen[i].first; ++j) {
      if (equal(value_, seen[i].second, value_, seen[j].second, budget_)) {
        return fail({&step, step.keyword, seen[j].second, seen[i].second});
      }
      if (budget_.spent()) return false;
    }
  }
  return true;
}

bool SchemaValidation::members(const SchemaStep& step, NodeId node, bool collect) {
  const SchemaMembers& table = program_.members[step.a];
  bool good = true;
  std::uint32_t required = 0;
  for (NodeId child = node + 1; child != value_[node].next; child = value_[child].next) {
    if (member(step, table, child, collect, required)) continue;
    good = false;
    if (stop()) return false;
  }
  return (required == table.required || missing(step, table, node)) && good;
}

bool SchemaValidation::member(const SchemaStep& step, const SchemaMembers& table, NodeId child,
                              bool collect, std::uint32_t& required) {
  const std::string_view key = value_.key(child);
  bool known = false;
  bool good = true;
  if (const SchemaSlot* const slot = program_.slot(table, value_[child].key_hash, key)) {
    required += slot->required ? 1 : 0;
    if (slot->block != kNone) {
      known = true;
      good = block(slot->block, child, false);
    }
  }
  for (std::uint32_t i = 0; i < table.pattern_count; ++i) {
    const std::uint32_t* const pair = &program_.lists[table.patterns + 2 * i];
    if (!program_.patterns[pair[0]].search(key, budget_)) continue;
    known = true;
    if (!block(pair[1], child, false)) good = false;
  }
  if (!known && table.additional != kNone) {
    known = true;
    if (is_false(table.additional)) {
      good = fail({&step, Keyword::additional_properties, child});
    } else {
      good = block(table.additional, child, false);
    }
  }
  if (known) evaluate(child, collect);
  return good;
}

bool SchemaValidation::missing(const SchemaStep& step, const SchemaMembers& table, NodeId node) {
  for (std::uint32_t i = 0; i <= table.mask; ++i) {
    const SchemaSlot& slot = program_.slots[table.first + i];
    if (!slot.required || value_.find(node, program_.names[slot.name])) continue;
    if (!budget_.spend(1 + value_[node].count / 8)) return false;
    fail({&step, Keyword::required, node, slot.name});
    if (stop()) break;
  }
  return false;
}

// A key is not a value of the index, so the keys become one that the subschema runs over.
bool SchemaValidation::property_names(const SchemaStep& step, NodeId node) {
  if (value_[node].count == 0) return true;
  std::string text;
  std::vector<NodeId> children;
  for (NodeId child = node + 1; child != value_[node].next; child = value_[child].next) {
    text += text.empty() ? '[' : ',';
    append_quoted(text, value_.key(child));
    children.push_back(child);
  }
  text += ']';
  const auto names = Index::of(text, children.size() + 1);
  if (!names) return false;
  SchemaValidation inner(program_, *names, 1);
  inner.silent_ = 1;
  inner.depth_ = depth_;
  inner.budget_ = budget_;
  inner.scope_ = scope_;
  bool good = true;
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (inner.block(step.a, static_cast<NodeId>(i + 1), false)) continue;
    good = fail({&step, step.keyword, children[i]});
    if (stop()) break;
  }
  budget_ = inner.budget_;
  too_deep_ |= inner.too_deep_;
  return good;
}

bool SchemaValidation::dependent(const SchemaStep& step, NodeId node, bool collect) {
  if (!budget_.spend(value_[node].count / 8)) return false;
  if (!value_.find(node, program_.names[step.a])) return true;
  if (step.keyword == Keyword::dependent_schemas) return block(step.b, node, collect);
  bool good = true;
  for (std::uint32_t i = 0; i < step.c; ++i) {
    const std::uint32_t name = program_.lists[step.b + i];
    if (!budget_.spend(1 + value_[node].count / 8)) return false;
    if (value_.find(node, program_.names[name])) continue;
    good = fail({&step, step.keyword, node, name});
    if (stop()) break;
  }
  return good;
}

bool SchemaValidation::unevaluated(const SchemaStep& step, NodeId node, bool collect,
                                   std::size_t from) {
  std::vector<NodeId> seen(evaluated_.begin() + static_cast<std::ptrdiff_t>(from),
                           evaluated_.end());
  if (!budget_.spend(seen.size() / 8)) return false;
  std::ranges::sort(seen);
  bool good = true;
  for (NodeId child = node + 1; child != value_[node].next; child = value_[child].next) {
    if (std::ranges::binary_search(seen, child)) continue;
    evaluate(child, collect);
    if (is_false(step.a)) {
      good = fail({&step, step.keyword, child});
    } else if (!block(step.a, child, false)) {
      good = false;
    }
    if (!good && stop()) break;
  }
  return good;
}

}  // namespace patchbay::json
