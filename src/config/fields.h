// Settings tables: a plain struct holds the settings of a module, a table beside it says how each
// member is called, what it means and what it may be. The same table reads a Node (here) and
// describes itself (describe.h).
//
//   struct StdioSettings {
//     std::string command;
//     int instances = 1;
//   };
//   template <>
//   inline constexpr auto config::fields<StdioSettings> = std::tuple{
//       Field{"command", &StdioSettings::command, "The program to run.", Required{}},
//       Field{"instances", &StdioSettings::instances, "How many copies run.", Range{1, 64},
//             Alias{"copies"}},
//   };
//
// A member is a bool, std::string, integer, double, Duration, Bytes, an enum that has choices<>, a
// struct that has fields<>, a Node (kept as it is, for entries whose kind decides the table), or an
// optional, vector, Dict or map of these. What is not given, or null, keeps the value of the
// default-constructed struct. A table can take in another: tuple_cat(fields<Common>, tuple{…}).
// Values only; usable from any thread.
#pragma once

#include <array>
#include <concepts>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/read_value.h"

namespace patchbay::config {

// A map that keeps the order of the file.
template <class T>
using Dict = std::vector<std::pair<std::string, T>>;

// Rules of a field.
struct Required {};
template <class Least, class Most>
struct Range {  // Both ends included. Of a list or map: of each element.
  Least min;
  Most max;
};
// The key by which the field was called before. It is still read, with a note that names the
// current one.
struct Alias {
  std::string_view key;
};

// The names of an enum's values:
//   template <> inline constexpr auto config::choices<E> = std::array{Choice{"a", E::a}, …};
template <class E>
struct Choice {
  std::string_view name;
  E value;
};

struct NoTable {};
template <class E>
inline constexpr auto choices = NoTable{};
template <class S>
inline constexpr auto fields = NoTable{};

template <class T>
concept Enumerated = std::is_enum_v<T> && !std::same_as<decltype(choices<T>), const NoTable>;
template <class T>
concept Section = std::is_class_v<T> && !std::same_as<decltype(fields<T>), const NoTable>;
template <class T>
concept Whole = std::integral<T> && !std::same_as<T, bool>;

// What a member is made of: `list` and `dict` are true for those, and Element is what they hold;
// for an optional it is what it may hold.
template <class T>
struct Made {
  using Element = T;
  static constexpr bool optional = false, list = false, dict = false;
};
template <class T>
struct Made<std::optional<T>> {
  using Element = T;
  static constexpr bool optional = true, list = false, dict = false;
};
template <class T>
struct Made<std::vector<T>> {
  using Element = T;
  static constexpr bool optional = false, list = true, dict = false;
};
template <class T>
struct Made<Dict<T>> {
  using Element = T;
  static constexpr bool optional = false, list = false, dict = true;
};
template <class T>
struct Made<std::map<std::string, T>> : Made<Dict<T>> {};

// The innermost Element: what a Range is about.
template <class T>
struct LeafOf : LeafOf<typename Made<T>::Element> {};
template <class T>
  requires std::same_as<T, typename Made<T>::Element>
struct LeafOf<T> {
  using type = T;
};

template <class Class, class Type>
struct Field {
  std::string_view name;
  Type Class::* member;
  std::string_view meaning;
  std::string_view alias = {};
  bool required = false;
  Limits limits = {};

  template <class... Rules>
  constexpr Field(std::string_view key, Type Class::* pointer, std::string_view sentence,
                  Rules... rules)
      : name(key), member(pointer), meaning(sentence) {
    (apply(rules), ...);
  }

 private:
  using Leaf = typename LeafOf<Type>::type;

  constexpr void apply(Required) { required = true; }
  constexpr void apply(Alias old) { alias = old.key; }

  template <class Least, class Most>
  constexpr void apply(Range<Least, Most> range) {
    limits.stated = true;
    if constexpr (std::same_as<Leaf, Duration>) {
      limits.least = Duration(range.min).count();
      limits.most = Duration(range.max).count();
    } else if constexpr (std::same_as<Leaf, Bytes>) {
      limits.least = static_cast<std::int64_t>(Bytes(range.min).value);
      limits.most = static_cast<std::int64_t>(Bytes(range.max).value);
    } else if constexpr (std::floating_point<Leaf>) {
      limits.least_number = range.min;
      limits.most_number = range.max;
    } else {
      static_assert(Whole<Leaf> && Whole<Least> && Whole<Most>,
                    "a Range is for numbers, Durations and Bytes, with bounds of the same kind");
      limits.least = range.min;
      limits.most = range.max;
    }
  }
};

// `limits` narrowed to what an integer type can hold at all.
template <Whole T>
constexpr Limits limits_of(Limits limits) {
  using Of = std::numeric_limits<T>;
  if (std::cmp_less(limits.least, Of::min())) limits.least = static_cast<std::int64_t>(Of::min());
  if (std::cmp_greater(limits.most, Of::max())) limits.most = static_cast<std::int64_t>(Of::max());
  return limits;
}

template <Enumerated E>
constexpr auto choice_names() {
  std::array<std::string_view, choices<E>.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = choices<E>[i].name;
  return names;
}

template <Section S>
constexpr auto field_names() {
  return std::apply(
      [](const auto&... field) {
        return std::array<std::string_view, sizeof...(field)>{field.name...};
      },
      fields<S>);
}

template <Section S>
constexpr auto key_names() {
  return std::apply(
      [](const auto&... field) {
        return std::array<KeyNames, sizeof...(field)>{KeyNames{field.name, field.alias}...};
      },
      fields<S>);
}

using Keys = std::span<const std::string_view>;

template <Section S>
void read_section(S& out, const Node& node, const Location& at, Keys ignored = {});

template <class T>
void read_value(T& out, const Node& node, const Limits& limits, const Location& at) {
  const auto take = [&out](auto&& value) {
    if (value) out = static_cast<T>(*std::move(value));
  };
  if constexpr (std::same_as<T, Node>) {
    out = node;
  } else if constexpr (Section<T>) {
    read_section(out, node, at);
  } else if (node.kind == Kind::null) {
    return;
  } else if constexpr (Made<T>::optional) {
    read_value(out.emplace(), node, limits, at);
  } else if constexpr (Made<T>::list) {
    if (!expect_list(node, at)) return;
    out.clear();
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      if (node.items[i].kind == Kind::null) at.element(i).fault(node.items[i].line, "is empty");
      read_value(out.emplace_back(), node.items[i], limits, at.element(i));
    }
  } else if constexpr (Made<T>::dict) {
    if (!expect_map(node, at)) return;
    out.clear();
    for (const auto& [key, line, member] : node.members) {
      typename Made<T>::Element value{};
      read_value(value, member, limits, at.member(key));
      out.insert(out.end(), {key, std::move(value)});
    }
  } else if constexpr (Enumerated<T>) {
    constexpr auto kNames = choice_names<T>();
    if (const auto index = as_choice(node, kNames, at)) out = choices<T>[*index].value;
  } else if constexpr (std::same_as<T, bool>) {
    take(as_boolean(node, at));
  } else if constexpr (Whole<T>) {
    take(as_integer(node, limits_of<T>(limits), at));
  } else if constexpr (std::same_as<T, double>) {
    take(as_number(node, limits, at));
  } else if constexpr (std::same_as<T, Duration>) {
    take(as_duration(node, limits, at));
  } else if constexpr (std::same_as<T, Bytes>) {
    take(as_bytes(node, limits, at));
  } else {
    static_assert(std::same_as<T, std::string>, "no settings table or reader for this type");
    take(as_text(node, at));
  }
}

template <class S, class Class, class Type>
void read_field(S& out, const Field<Class, Type>& field, const Node& section, const Location& at) {
  const Node* const node = section.find(field.name);
  const bool given = node && node->kind != Kind::null;
  // Faults name the key as the file has it.
  const Location location = at.member(node && !node->alias.empty() ? node->alias : field.name);
  if (given) {
    read_value(out.*field.member, *node, field.limits, location);
  } else if (field.required) {
    location.fault(node ? node->line : section.line, "is required, but not given");
  }
  if constexpr (std::same_as<Type, std::string>) {
    if (given && field.required && node->kind == Kind::scalar && node->text.empty()) {
      location.fault(node->line, "may not be empty");
    }
  }
}

template <Section S>
void read_section(S& out, const Node& node, const Location& at, Keys ignored) {
  if (!expect_map(node, at)) return;
  constexpr auto kKeys = key_names<S>();
  refuse_unknown(node, kKeys, ignored, at);
  std::apply([&](const auto&... field) { (read_field(out, field, node, at), ...); }, fields<S>);
}

template <Section S>
void apply_aliases(Node& node, const Location& at, Faults& notes);

template <class T>
void apply_aliases_in(Node& node, const Location& at, Faults& notes) {
  using Element = typename Made<T>::Element;
  if constexpr (Section<T>) {
    apply_aliases<T>(node, at, notes);
  } else if constexpr (Made<T>::optional) {
    apply_aliases_in<Element>(node, at, notes);
  } else if constexpr (Made<T>::list) {
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      apply_aliases_in<Element>(node.items[i], at.element(i), notes);
    }
  } else if constexpr (Made<T>::dict) {
    for (Member& member : node.members) {
      apply_aliases_in<Element>(member.value, at.member(member.key), notes);
    }
  }
}

// Gives each member of `node` that has an old key (Alias) its current one, at every depth, and adds
// a note for each. Code that looks at a Node then knows current keys only, and the digest of a
// section does not depend on which of the two was written.
template <Section S>
void apply_aliases(Node& node, const Location& at, Faults& notes) {
  const auto apply = [&]<class Class, class Type>(const Field<Class, Type>& field) {
    rename_member(node, {field.name, field.alias}, at, notes);
    Node* const value = node.find(field.name);
    if (!value) return;
    apply_aliases_in<Type>(*value, at.member(value->alias.empty() ? field.name : value->alias),
                           notes);
  };
  std::apply([&](const auto&... field) { (apply(field), ...); }, fields<S>);
}

// Reads `node`, which stands at `path` of `file`, by the table of S; adds every fault there is and
// keeps them in the order of lines. Keys in `ignored` are somebody else's. `notes`, if given, gets
// a note for each old key.
template <Section S>
S read(const Node& node, const std::string& file, std::string_view path, Faults& faults,
       Keys ignored = {}, Faults* notes = nullptr) {
  S out{};
  const Location at{file, std::string(path), faults};
  Node current = node;
  Faults unwanted;
  apply_aliases<S>(current, at, notes ? *notes : unwanted);
  read_section(out, current, at, ignored);
  sort_by_line(faults);
  if (notes) sort_by_line(*notes);
  return out;
}

}  // namespace patchbay::config
