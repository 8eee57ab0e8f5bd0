// The fields that the servers of the benchmarks read from a request's head. They trust it.
#pragma once

#include <strings.h>

#include <charconv>
#include <string_view>

namespace patchbay::bench {

inline std::size_t content_length(std::string_view head) {
  constexpr std::string_view kName = "\r\nContent-Length:";
  for (std::size_t line = head.find("\r\n"); line != head.npos;
       line = head.find("\r\n", line + 2)) {
    if (head.size() - line <= kName.size()) break;
    if (strncasecmp(head.data() + line, kName.data(), kName.size()) != 0) continue;
    auto digits = head.substr(line + kName.size());
    digits.remove_prefix(digits.find_first_not_of(' '));
    std::size_t length = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), length);
    return length;
  }
  return 0;
}

}  // namespace patchbay::bench
