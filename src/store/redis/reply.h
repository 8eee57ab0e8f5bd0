// What a Redis server answers (RESP3), and commands as they are sent.
//
// Pure; usable from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace patchbay::store {

struct Reply {
  // A map is a list of keys and values in turn. A push answers no command.
  enum class Kind : std::uint8_t { null, text, error, number, list, push };

  Kind kind = Kind::null;
  std::string text = {};
  std::int64_t number = 0;
  std::vector<Reply> items = {};
};

struct ParsedReply {
  Reply reply;
  std::size_t size = 0;  // Bytes.
};

// The first reply in `bytes`; none: it is not complete yet. Code::upstream_failed if it is not a
// reply, or larger than anything that is stored.
Result<std::optional<ParsedReply>> parse_reply(std::string_view bytes);

std::string encode_command(const std::vector<std::string>& args);

}  // namespace patchbay::store
