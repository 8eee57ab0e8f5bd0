// Frames as people and scripts read them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "transport/wire/frame.h"

namespace patchbay::app {

// `4D 43 01`.
std::string to_hex(std::string_view bytes);

// The bytes of hexadecimal digits; white space and `:` between them are ignored.
std::optional<std::string> from_hex(std::string_view text);

// A frame of `bytes`, in two lines or, with `json`, as one object. `mark` is the prefix: `>` for
// sent, `<` for received, or its offset.
std::string frame_text(std::string_view mark, const wire::Frame& frame, std::string_view bytes,
                       bool json);

}  // namespace patchbay::app
