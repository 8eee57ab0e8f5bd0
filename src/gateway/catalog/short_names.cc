#include "gateway/catalog/short_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "crypto/sha256.h"

namespace patchbay::gateway {
namespace {

constexpr std::size_t kDigest = 8;  // Hexadecimal digits.
constexpr std::size_t kLeast = 20;  // Room for parts of both names, and the digest.

// The beginning of `text`, without a partial character or a sign at its end.
std::string_view beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  // Not between the bytes of one character of UTF-8.
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  text = text.substr(0, most);
  const auto last = text.find_last_not_of("_-.");
  return last == std::string_view::npos ? text : text.substr(0, last + 1);
}

}  // namespace

std::string short_name(std::string_view upstream, std::string_view separator, std::string_view name,
                       std::size_t most) {
  if (upstream.empty()) separator = {};
  std::string full = fmt::format("{}{}{}", upstream, separator, name);
  if (full.size() <= most || most < separator.size() + kLeast) return full;
  const std::size_t room = most - separator.size() - 1 - kDigest;
  // The name of the upstream is cut first, down to a third.
  const std::size_t rest = room > name.size() ? room - name.size() : 0;
  const auto prefix = beginning(upstream, std::max(rest, room / 3));
  const auto verb = beginning(name, room - prefix.size());
  return fmt::format("{}{}{}_{}", prefix, separator, verb, policy::sha256(full).substr(0, kDigest));
}

}  // namespace patchbay::gateway
