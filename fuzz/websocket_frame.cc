// Fuzzes the reader of WebSocket frames. The first byte selects the side and how the rest is split;
// however it is split, the result is the same, and within the limits.
#include <algorithm>
#include <string>

#include "fuzz/require.h"
#include "json/text.h"
#include "net/websocket/frame.h"

using patchbay::fuzz::require;
using namespace patchbay::net;

namespace {

constexpr WsLimits kLimits{300, 4};

std::string read_all(std::string_view bytes, WsSide side, std::size_t piece) {
  WsReader reader(side, kLimits);
  std::string received;
  std::size_t arrived = 0;  // Of the bytes, and not taken yet.
  while (arrived < bytes.size()) {
    arrived = std::min(arrived + piece, bytes.size());
    for (;;) {
      auto step = reader.next(bytes.substr(0, arrived));
      if (!step) {
        const int code = static_cast<int>(ws_close_code(step.error()));
        require(code == 1002 || code == 1003 || code == 1007 || code == 1008 || code == 1009);
        return received + '!' + std::to_string(code);
      }
      require(step->taken <= arrived);
      bytes.remove_prefix(step->taken);
      arrived -= step->taken;
      if (step->kind == WsReader::Kind::none) {
        require(arrived < 14);  // Only a part of a head is left.
        break;
      }
      const bool text = step->kind == WsReader::Kind::text;
      const std::string_view message = text ? reader.message() : reader.control();
      require(message.size() <= (text ? kLimits.message : kWsMostControl));
      if (text) require(patchbay::json::is_utf8(message));
      received += static_cast<char>('0' + static_cast<int>(step->kind));
      received += message;
    }
  }
  return received;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const WsSide side = (data[0] & 1) != 0 ? WsSide::client : WsSide::server;
  const std::size_t piece = 1 + (data[0] >> 1);
  const auto bytes = patchbay::fuzz::text_of(data + 1, size - 1);
  const std::string whole = read_all(bytes, side, size);
  require(read_all(bytes, side, piece) == whole);
  return 0;
}
