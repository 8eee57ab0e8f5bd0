// Finds the request that a record answers. The id is in the key, as an object with one field or as
// bare text; agents that cannot write keys put it in a header or into the value. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::bus {

inline constexpr char kCorrelationHeader[] = "correlationId";
inline constexpr std::string_view kCorrelationField = "correlationId";
inline constexpr std::size_t kMostCorrelation = 256;  // Bytes of an id; longer ones are ignored.

// The parts of a record that may hold an id.
struct IdPaths {
  std::optional<std::string_view> key = {};
  std::optional<std::string_view> key_schema = {};  // Header.
  std::optional<std::string_view> id = {};          // Header.
  std::optional<std::string_view> value = {};
  std::optional<std::string_view> value_schema = {};  // Header.
};

// Candidates for the id, the likeliest first: the key's member `field`, its member `correlationId`,
// the key as text, the header, the value's member `field`. In lower case.
std::vector<std::string> find_ids(const IdPaths& paths, std::string_view field);

// {"<field>":"<id>"}
std::string key_of(std::string_view field, std::string_view id);

}  // namespace patchbay::bus
