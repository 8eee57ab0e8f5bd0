#include "app/client_name.h"

#include <fmt/format.h>

#include "app/upstream_entries.h"

namespace patchbay::app {

std::string upstream_name(std::string_view name) {
  std::string good;
  std::size_t readable = 0;  // Up to the last readable character.
  for (const char c : name) {
    if ((static_cast<unsigned char>(c) & 0xc0) == 0x80) continue;  // The rest of a character.
    if (good.size() == kMostUpstreamName) break;
    const bool alphanumeric =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    // Two underscores separate an upstream from a tool.
    const bool separates = c == '_' && good.ends_with('_');
    const bool allowed = alphanumeric || c == '-' || (c == '_' && !separates);
    if (!allowed && good.empty()) continue;
    good += allowed ? c : '-';
    if (allowed) readable = good.size();
  }
  good.resize(readable);  // What was replaced at the end says nothing.
  return good.find_first_not_of("-_") == std::string::npos ? "server" : good;
}

std::string numbered_upstream_name(std::string_view good, int number) {
  const std::string end = fmt::format("-{}", number);
  return std::string(good.substr(0, kMostUpstreamName - end.size())) + end;
}

}  // namespace patchbay::app
