// The header fields of a message, in their order. Views into the parsed bytes.
//
// Confined to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace patchbay::net {

struct HttpField {
  std::string_view name;
  std::string_view value;
};

class HttpFields {
 public:
  void clear() {
    fields_.clear();
    names_ = 0;
    may_repeat_ = false;
  }
  void add(HttpField field) {
    if (fields_.empty()) fields_.reserve(kUsual);
    may_repeat_ |= may_have(field.name);
    names_ |= bit_of(field.name);
    fields_.push_back(field);
  }
  std::size_t size() const { return fields_.size(); }
  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }

  // The first field of that name (any case); empty optional if there is none.
  std::optional<std::string_view> find(std::string_view name) const {
    return may_have(name) ? search(name) : std::nullopt;
  }
  std::size_t count(std::string_view name) const;

  // False: no two fields have the same name.
  bool may_repeat() const { return may_repeat_; }

 private:
  static constexpr std::size_t kUsual = 16;

  // One of 64 bits for a name in any case. Most names that are looked for are absent, and their bit
  // shows that without a search.
  static constexpr std::uint64_t bit_of(std::string_view name) {
    const auto first = static_cast<unsigned char>(name.empty() ? 0 : name.front() | 0x20);
    return std::uint64_t{1} << ((name.size() * 5 + first) % 64);
  }
  bool may_have(std::string_view name) const { return (names_ & bit_of(name)) != 0; }
  std::optional<std::string_view> search(std::string_view name) const;

  std::vector<HttpField> fields_;
  std::uint64_t names_ = 0;  // The bits of all names.
  bool may_repeat_ = false;
};

}  // namespace patchbay::net
