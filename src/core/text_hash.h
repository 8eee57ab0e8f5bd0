// Looks text up in a hash table by a view, without a copy. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace patchbay {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

template <class T>
using TextMap = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

}  // namespace patchbay
