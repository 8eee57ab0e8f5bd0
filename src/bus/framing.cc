#include "bus/framing.h"

#include <fmt/format.h>

#include <cstdint>

namespace patchbay::bus {
namespace {

constexpr unsigned char kById = 0;
constexpr unsigned char kByGuid = 1;
constexpr std::size_t kIdSize = 4;
constexpr std::size_t kGuidSize = 16;

std::string guid_text(std::string_view bytes) {
  std::string guid;
  for (std::size_t i = 0; i < kGuidSize; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) guid += '-';
    fmt::format_to(std::back_inserter(guid), "{:02x}", static_cast<unsigned char>(bytes[i]));
  }
  return guid;
}

// Consumes the schema id at the front. REQUIRES: `bytes` begins with a magic byte.
Result<Unframed> take_mark(std::string_view bytes) {
  const auto mark = static_cast<unsigned char>(bytes.front());
  bytes.remove_prefix(1);
  const std::size_t size = mark == kById ? kIdSize : kGuidSize;
  if (mark > kByGuid || bytes.size() < size) {
    return Error{Code::upstream_failed, "the schema id in front of the data is cut off or unknown"};
  }
  Unframed unframed;
  if (mark == kById) {
    std::uint32_t id = 0;
    for (std::size_t i = 0; i < kIdSize; ++i) id = id << 8 | static_cast<unsigned char>(bytes[i]);
    unframed.id = static_cast<int>(id & 0x7fff'ffff);
  } else {
    unframed.guid = guid_text(bytes);
  }
  unframed.payload = bytes.substr(size);
  return unframed;
}

}  // namespace

// JSON never begins with one of the magic bytes.
Result<Unframed> unframe(std::string_view bytes, std::optional<std::string_view> header) {
  if (header && !header->empty()) {
    auto marked = take_mark(*header);
    if (!marked) return marked;
    marked->payload = bytes;
    return marked;
  }
  const bool marked = !bytes.empty() && static_cast<unsigned char>(bytes.front()) <= kByGuid;
  if (marked) return take_mark(bytes);
  return Unframed{std::nullopt, {}, bytes};
}

std::string frame(int id, std::string_view payload) {
  std::string bytes(1 + kIdSize, '\0');
  for (std::size_t i = 0; i < kIdSize; ++i) {
    bytes[1 + i] = static_cast<char>(static_cast<std::uint32_t>(id) >> (8 * (kIdSize - 1 - i)));
  }
  bytes += payload;
  return bytes;
}

}  // namespace patchbay::bus
