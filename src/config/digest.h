// A short fingerprint of a node, to detect whether an entry of a reloaded file has changed. Equal
// for equal meaning: the order of keys, quotes around a string, lines and comments do not count.
// Not cryptographic. Values only; usable from any thread.
#pragma once

#include <string>

#include "config/node.h"

namespace patchbay::config {

// 16 hexadecimal digits.
std::string digest(const Node& node);

}  // namespace patchbay::config
