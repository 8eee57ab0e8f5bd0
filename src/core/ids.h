// Unguessable random names, from the kernel's generator. Usable from any thread.
#pragma once

#include <cstddef>
#include <string>

namespace patchbay {

// `bytes` random bytes in lower-case hexadecimal.
std::string random_hex(std::size_t bytes);

// A UUID of version 4. Cheap enough for every message: random bytes are fetched in batches.
std::string random_uuid();
void append_uuid(std::string& out);
inline constexpr std::size_t kUuidSize = 36;

}  // namespace patchbay
