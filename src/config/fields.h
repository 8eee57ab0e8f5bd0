// Settings tables: the name, the meaning and the allowed values of each member of a struct
// (settings.h). The same table reads a Node (here) and describes itself (describe.h).
//
//   template <>
//   const config::Fields& config::fields<StdioSettings>() {
//     static const Fields kFields = fields_of<StdioSettings>({
//         {"command", &StdioSettings::command, "The program to run.", Required{}},
//         {"instances", &StdioSettings::instances, "How many copies run.", Range{1, 64},
//          Alias{"copies"}},
//     });
//     return kFields;
//   }
//
// A member that is absent or null has the value of the default-constructed struct. A table can take
// in the one of a base: join({inherited<S, Base>(), fields_of<S>({…})}). Tables are data: the code
// that reads and describes exists once for each kind of value, not for each table. Values only;
// usable from any thread.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/read_value.h"
#include "config/settings.h"
#include "config/value_type.h"

namespace patchbay::config {

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

// One member of a struct.
struct Field {
  std::string_view name;
  std::string_view meaning;
  std::string_view alias = {};
  bool required = false;
  Limits limits = {};
  std::ptrdiff_t offset = 0;  // From the start of the struct, in bytes.
  const ValueType* type = nullptr;

  const void* in(const void* section) const {
    return static_cast<const std::byte*>(section) + offset;
  }
  void* in(void* section) const { return static_cast<std::byte*>(section) + offset; }
};

template <class S>
std::ptrdiff_t distance(const S& whole, const void* part) {
  return static_cast<const std::byte*>(part) - reinterpret_cast<const std::byte*>(&whole);
}

// The bounds of a Range for a member whose innermost value is a Leaf.
template <class Leaf, class Least, class Most>
void bound(Limits& limits, const Range<Least, Most>& range) {
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

// A row of the table of S, as it is written down.
template <Section S>
struct TableRow {
  Field field;

  template <class Class, class Type, class... Rules>
    requires std::derived_from<S, Class>
  TableRow(std::string_view key, Type Class::* member, std::string_view sentence, Rules... rules) {
    field.name = key;
    field.meaning = sentence;
    field.offset = distance(defaults<S>(), &(defaults<S>().*member));
    field.type = &value_type<Type>();
    (apply<Type>(rules), ...);
  }

 private:
  template <class Type>
  void apply(Required) {
    field.required = true;
  }
  template <class Type>
  void apply(Alias old) {
    field.alias = old.key;
  }
  template <class Type, class Least, class Most>
  void apply(const Range<Least, Most>& range) {
    bound<LeafOf<Type>>(field.limits, range);
  }
};

template <Section S>
Fields fields_of(std::initializer_list<TableRow<S>> rows) {
  Fields all;
  for (const auto& row : rows) all.push_back(row.field);
  return all;
}

// The table of a base of S.
template <Section S, Section Base>
  requires std::derived_from<S, Base>
Fields inherited() {
  Fields all = fields<Base>();
  const std::ptrdiff_t base = distance(defaults<S>(), static_cast<const Base*>(&defaults<S>()));
  for (Field& field : all) field.offset += base;
  return all;
}

Fields join(std::initializer_list<Fields> tables);

using Keys = std::span<const std::string_view>;

// One value, and a struct. Each adds every fault there is. Keys in `ignored` are somebody else's.
void read_value(void* out, const ValueType& type, const Node& node, const Limits& limits,
                const Location& at);
void read_section(void* out, const Fields& table, const Node& node, const Location& at,
                  Keys ignored);

template <class T>
void read_value(T& out, const Node& node, const Limits& limits, const Location& at) {
  read_value(&out, value_type<T>(), node, limits, at);
}

template <Section S>
void read_section(S& out, const Node& node, const Location& at, Keys ignored = {}) {
  read_section(&out, fields<S>(), node, at, ignored);
}

// Gives each member of `node` that has an old key (Alias) its current one, at every depth, and adds
// a note for each. Code that looks at a Node then knows current keys only, and the digest of a
// section does not depend on which of the two was written.
void apply_aliases(const Fields& table, Node& node, const Location& at, Faults& notes);

// The steps of read() that need no template.
void read_root(void* out, const Fields& table, const Node& node, const Location& at, Keys ignored,
               Faults* notes);

// Reads `node`, which stands at `path` of `file`, by the table of S; adds every fault there is and
// keeps them in the order of lines. Keys in `ignored` are somebody else's. `notes`, if given, gets
// a note for each old key.
template <Section S>
S read(const Node& node, const std::string& file, std::string_view path, Faults& faults,
       Keys ignored = {}, Faults* notes = nullptr) {
  S out{};
  read_root(&out, fields<S>(), node, {file, std::string(path), faults}, ignored, notes);
  return out;
}

}  // namespace patchbay::config
