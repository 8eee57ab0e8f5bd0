#include "config/fields.h"

#include <algorithm>

namespace patchbay::config {
namespace {

// `limits` narrowed to what the type can hold at all.
Limits limits_of(Limits limits, const ValueType& type) {
  limits.least = std::max(limits.least, type.least);
  limits.most = std::min(limits.most, type.most);
  return limits;
}

template <class T, class Found>
void take(void* out, Found value) {
  if (value) *static_cast<T*>(out) = *std::move(value);
}

void read_list(void* out, const ValueType& type, const Node& node, const Limits& limits,
               const Location& at) {
  if (!expect_list(node, at)) return;
  type.container.clear(out);
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const Node& item = node.items[i];
    const Location here = at.element(i);
    if (item.kind == Kind::null) here.fault(item.line, "is empty");
    read_value(type.container.add(out, ""), type.container.element(), item, limits, here);
  }
}

void read_map(void* out, const ValueType& type, const Node& node, const Limits& limits,
              const Location& at) {
  if (!expect_map(node, at)) return;
  type.container.clear(out);
  for (const auto& [key, line, member] : node.members) {
    read_value(type.container.add(out, key), type.container.element(), member, limits,
               at.member(key));
  }
}

void read_scalar(void* out, const ValueType& type, const Node& node, const Limits& limits,
                 const Location& at) {
  switch (type.form) {
    case Form::boolean:
      return take<bool>(out, as_boolean(node, at));
    case Form::integer:
      if (const auto number = as_integer(node, limits_of(limits, type), at)) type.set(out, *number);
      return;
    case Form::number:
      return take<double>(out, as_number(node, limits, at));
    case Form::duration:
      return take<Duration>(out, as_duration(node, limits, at));
    case Form::bytes:
      return take<Bytes>(out, as_bytes(node, limits, at));
    case Form::choice:
      if (const auto index = as_choice(node, type.names, at)) {
        type.set(out, static_cast<std::int64_t>(*index));
      }
      return;
    default:
      return take<std::string>(out, as_text(node, at));
  }
}

void read_field(void* section, const Field& field, const Node& node, const Location& at) {
  const Node* const value = node.find(field.name);
  const bool given = value && value->kind != Kind::null;
  // Faults name the key as the file has it.
  const Location here = at.member(value && !value->alias.empty() ? value->alias : field.name);
  if (given) {
    read_value(field.in(section), *field.type, *value, field.limits, here);
  } else if (field.required) {
    here.fault(value ? value->line : node.line, "is required, but not given");
  }
  if (given && field.required && field.type->form == Form::string && value->kind == Kind::scalar &&
      value->text.empty()) {
    here.fault(value->line, "may not be empty");
  }
}

void apply_aliases_in(const ValueType& type, Node& node, const Location& at, Faults& notes) {
  switch (type.form) {
    case Form::section:
      return apply_aliases(type.fields(), node, at, notes);
    case Form::optional:
      return apply_aliases_in(type.container.element(), node, at, notes);
    case Form::list:
      for (std::size_t i = 0; i < node.items.size(); ++i) {
        apply_aliases_in(type.container.element(), node.items[i], at.element(i), notes);
      }
      return;
    case Form::map:
      for (Member& member : node.members) {
        apply_aliases_in(type.container.element(), member.value, at.member(member.key), notes);
      }
      return;
    default:
      return;
  }
}

}  // namespace

Fields join(std::initializer_list<Fields> tables) {
  Fields all;
  for (const Fields& table : tables) all.insert(all.end(), table.begin(), table.end());
  return all;
}

void read_value(void* out, const ValueType& type, const Node& node, const Limits& limits,
                const Location& at) {
  if (type.form == Form::any) {
    *static_cast<Node*>(out) = node;
  } else if (type.form == Form::section) {
    read_section(out, type.fields(), node, at, {});
  } else if (node.kind == Kind::null) {
    return;
  } else if (type.form == Form::optional) {
    read_value(type.container.add(out, ""), type.container.element(), node, limits, at);
  } else if (type.form == Form::list) {
    read_list(out, type, node, limits, at);
  } else if (type.form == Form::map) {
    read_map(out, type, node, limits, at);
  } else {
    read_scalar(out, type, node, limits, at);
  }
}

void read_section(void* out, const Fields& table, const Node& node, const Location& at,
                  Keys ignored) {
  if (!expect_map(node, at)) return;
  std::vector<KeyNames> keys;
  for (const Field& field : table) keys.push_back({field.name, field.alias});
  refuse_unknown(node, keys, ignored, at);
  for (const Field& field : table) read_field(out, field, node, at);
}

void apply_aliases(const Fields& table, Node& node, const Location& at, Faults& notes) {
  for (const Field& field : table) {
    rename_member(node, {field.name, field.alias}, at, notes);
    Node* const value = node.find(field.name);
    if (!value) continue;
    apply_aliases_in(*field.type, *value,
                     at.member(value->alias.empty() ? field.name : value->alias), notes);
  }
}

void read_root(void* out, const Fields& table, const Node& node, const Location& at, Keys ignored,
               Faults* notes) {
  Node current = node;
  Faults unwanted;
  apply_aliases(table, current, at, notes ? *notes : unwanted);
  read_section(out, table, current, at, ignored);
  sort_by_line(at.faults);
  if (notes) sort_by_line(*notes);
}

}  // namespace patchbay::config
