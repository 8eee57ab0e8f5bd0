// The type of a setting as data: what it is made of, and how a value of it is stored. Values only;
// usable from any thread.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/settings.h"

namespace patchbay::config {

enum class Form : std::uint8_t {
  boolean,
  string,
  integer,
  number,
  duration,
  bytes,
  choice,
  optional,
  list,
  map,
  section,
  any,
};

struct ValueType;

// An optional, a list or a map, whatever it holds.
struct Container {
  const ValueType& (*element)() = nullptr;
  void (*clear)(void* container) = nullptr;
  // A new element at the end; `key` is for maps.
  void* (*add)(void* container, const std::string& key) = nullptr;
  std::size_t (*size)(const void* container) = nullptr;
  std::pair<std::string_view, const void*> (*at)(const void* container, std::size_t) = nullptr;
};

struct ValueType {
  Form form = Form::any;
  Container container = {};
  // Of a section.
  const Fields& (*fields)() = nullptr;
  const void* (*defaults)() = nullptr;
  // Of a choice: its names; values are stored by their index.
  std::span<const std::string_view> names = {};
  // Of an integer: what it can hold at all.
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  void (*set)(void* value, std::int64_t number) = nullptr;
  std::int64_t (*get)(const void* value) = nullptr;
};

template <class T>
concept Whole = std::integral<T> && !std::same_as<T, bool>;

template <class T>
const ValueType& value_type();

// The struct as it is without any setting.
template <class S>
const S& defaults() {
  static const S kDefaults{};
  return kDefaults;
}

// What a member is made of: optionals, lists and maps have an Element.
template <class T>
struct Made {
  static constexpr std::optional<Form> form = {};
};
template <class T>
struct Made<std::optional<T>> {
  using Element = T;
  static constexpr std::optional<Form> form = Form::optional;
};
template <class T>
struct Made<std::vector<T>> {
  using Element = T;
  static constexpr std::optional<Form> form = Form::list;
};
template <class T>
struct Made<Dict<T>> {
  using Element = T;
  static constexpr std::optional<Form> form = Form::map;
};
template <class T>
struct Made<std::map<std::string, T>> : Made<Dict<T>> {};

// The innermost Element: what a Range is about.
template <class T>
struct Leaf {
  using type = T;
};
template <class T>
  requires requires { typename Made<T>::Element; }
struct Leaf<T> : Leaf<typename Made<T>::Element> {};
template <class T>
using LeafOf = typename Leaf<T>::type;

template <class T>
void* add_element(void* container, const std::string& key) {
  T& all = *static_cast<T*>(container);
  if constexpr (Made<T>::form == Form::optional) {
    return &all.emplace();
  } else if constexpr (Made<T>::form == Form::list) {
    return &all.emplace_back();
  } else {
    return &all.insert(all.end(), typename T::value_type{key, {}})->second;
  }
}

template <class T>
std::size_t count_elements(const void* container) {
  const T& all = *static_cast<const T*>(container);
  if constexpr (Made<T>::form == Form::optional) {
    return all ? 1 : 0;
  } else {
    return all.size();
  }
}

template <class T>
std::pair<std::string_view, const void*> element_at(const void* container, std::size_t index) {
  const T& all = *static_cast<const T*>(container);
  if constexpr (Made<T>::form == Form::optional) {
    return {"", &*all};
  } else {
    const auto& element = *std::next(all.begin(), static_cast<std::ptrdiff_t>(index));
    if constexpr (Made<T>::form == Form::list) {
      return {"", &element};
    } else {
      return {element.first, &element.second};
    }
  }
}

template <class T>
constexpr Container container_of() {
  return {
      .element = value_type<typename Made<T>::Element>,
      .clear = [](void* container) { *static_cast<T*>(container) = T{}; },
      .add = add_element<T>,
      .size = count_elements<T>,
      .at = element_at<T>,
  };
}

template <Enumerated E>
constexpr auto choice_names() {
  std::array<std::string_view, choices<E>.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = choices<E>[i].name;
  return names;
}
template <Enumerated E>
inline constexpr auto kChoiceNames = choice_names<E>();

template <Enumerated E>
constexpr ValueType choice_type() {
  ValueType type;
  type.form = Form::choice;
  type.names = kChoiceNames<E>;
  type.set = [](void* value, std::int64_t index) {
    *static_cast<E*>(value) = choices<E>[static_cast<std::size_t>(index)].value;
  };
  type.get = [](const void* value) -> std::int64_t {
    const auto* const found =
        std::ranges::find(choices<E>, *static_cast<const E*>(value), &Choice<E>::value);
    return found - choices<E>.begin();
  };
  return type;
}

template <Whole T>
constexpr ValueType integer_type() {
  ValueType type;
  type.form = Form::integer;
  using Of = std::numeric_limits<T>;
  if (std::cmp_less(type.least, Of::min())) type.least = static_cast<std::int64_t>(Of::min());
  if (std::cmp_greater(type.most, Of::max())) type.most = static_cast<std::int64_t>(Of::max());
  type.set = [](void* value, std::int64_t number) {
    *static_cast<T*>(value) = static_cast<T>(number);
  };
  type.get = [](const void* value) {
    return static_cast<std::int64_t>(*static_cast<const T*>(value));
  };
  return type;
}

template <class T>
constexpr ValueType describe_value() {
  ValueType type;
  if constexpr (std::same_as<T, Node>) {
    type.form = Form::any;
  } else if constexpr (Section<T>) {
    type.form = Form::section;
    type.fields = fields<T>;
    type.defaults = []() -> const void* { return &defaults<T>(); };
  } else if constexpr (Made<T>::form.has_value()) {
    type.form = *Made<T>::form;
    type.container = container_of<T>();
  } else if constexpr (Enumerated<T>) {
    return choice_type<T>();
  } else if constexpr (std::same_as<T, bool>) {
    type.form = Form::boolean;
  } else if constexpr (Whole<T>) {
    return integer_type<T>();
  } else if constexpr (std::same_as<T, double>) {
    type.form = Form::number;
  } else if constexpr (std::same_as<T, Duration>) {
    type.form = Form::duration;
  } else if constexpr (std::same_as<T, Bytes>) {
    type.form = Form::bytes;
  } else {
    static_assert(std::same_as<T, std::string>, "no settings table or reader for this type");
    type.form = Form::string;
  }
  return type;
}

template <class T>
const ValueType& value_type() {
  static constexpr ValueType kType = describe_value<T>();
  return kType;
}

}  // namespace patchbay::config
