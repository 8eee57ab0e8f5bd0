#include "gateway/call/client_info.h"

#include <algorithm>

#include "json/ascii.h"
#include "json/read.h"

namespace patchbay::gateway {
namespace {

constexpr std::size_t kMaxName = 64;
constexpr std::size_t kMaxVersion = 32;

// The text with everything replaced except letters, digits and some signs, so that a log line and a
// metric label contain it unchanged.
std::string harmless(std::string_view text, std::size_t most) {
  std::string clean(text.substr(0, most));
  std::ranges::replace_if(
      clean,
      [](char c) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || json::is_digit(c);
        return !plain && std::string_view("._-@+:/").find(c) == std::string_view::npos;
      },
      '_');
  return clean;
}

}  // namespace

std::string client_info_of(const mcp::Message& request) {
  const auto* info = request.meta_member(mcp::kMetaClientInfo);
  if (!info) info = request.param("clientInfo");
  if (!info) return {};
  const auto name = json::string_member(info->raw, "name");
  if (!name || name->empty()) return {};
  std::string text = harmless(*name, kMaxName);
  const auto version = json::string_member(info->raw, "version");
  if (version && !version->empty()) text += ' ' + harmless(*version, kMaxVersion);
  return text;
}

std::string_view client_name(std::string_view client_info) {
  return client_info.empty() ? "unknown" : client_info.substr(0, client_info.find(' '));
}

}  // namespace patchbay::gateway
