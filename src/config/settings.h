// What a struct of settings is made of. A plain struct holds the settings of a module; the table of
// its members is declared beside it and stands in the .cc file (fields.h):
//
//   struct StdioSettings {
//     std::string command;
//     int instances = 1;
//   };
//   template <>
//   const config::Fields& config::fields<StdioSettings>();
//
// A member is a bool, std::string, integer, double, Duration, Bytes, an enum that has choices<>, a
// struct that has fields<>, a Node (not converted, for entries whose kind decides the table), or an
// optional, vector, Dict or map of these. Values only; usable from any thread.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/node.h"
#include "config/units.h"

namespace patchbay::config {

// A map that keeps the order of the file.
template <class T>
using Dict = std::vector<std::pair<std::string, T>>;

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

template <class E>
concept Enumerated = std::is_enum_v<E> && !std::is_same_v<decltype(choices<E>), const NoTable>;

// The table of S.
struct Field;
using Fields = std::vector<Field>;
template <class S>
const Fields& fields() = delete;

template <class S>
concept Section = std::is_class_v<S> && requires { fields<S>(); };

}  // namespace patchbay::config
