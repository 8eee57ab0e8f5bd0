#include "net/http/syntax/field_value.h"

#include <algorithm>
#include <array>

#include "core/byte_block.h"

namespace patchbay::net {
namespace {

constexpr auto kValueBytes = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c < table.size(); ++c) table[c] = (c >= 0x20 || c == '\t') && c != 0x7F;
  return table;
}();

// True if all 16 bytes are allowed in a field value.
bool are_value_bytes(const char* at) {
  const auto block = load_block<Block16>(at);
  // Bytes above ASCII are negative here, and allowed.
  const auto control = (block >= 0) & (block < ' ') & (block != '\t');
  return bits_of(control | (block == 0x7F)) == 0;
}

}  // namespace

bool is_field_value(std::string_view text) {
  if (text.size() < 16) {
    return std::ranges::all_of(text,
                               [](char c) { return kValueBytes[static_cast<unsigned char>(c)]; });
  }
  // The last block may overlap the one before it.
  const char* const last = text.data() + text.size() - 16;
  for (const char* at = text.data(); at < last; at += 16) {
    if (!are_value_bytes(at)) return false;
  }
  return are_value_bytes(last);
}

}  // namespace patchbay::net
