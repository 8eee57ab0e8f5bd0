// Names and addresses of hosts and mailboxes.
#include <algorithm>

#include "json/ascii.h"
#include "json/schema/formats.h"

namespace patchbay::json::format {
namespace {

constexpr std::size_t kMaxName = 253;
constexpr std::size_t kMaxLabel = 63;

bool is_alphanumeric(char c) { return is_digit(c) || is_letter(c); }

// Calls `check` for each part of `text` between separators; false as soon as one fails.
template <class Check>
bool each_part(std::string_view text, char separator, Check check) {
  for (;;) {
    const auto end = text.find(separator);
    if (!check(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

bool is_label(std::string_view label, bool international) {
  const auto fits = [international](char c) {
    return is_alphanumeric(c) || c == '-' || (international && is_beyond_ascii(c));
  };
  return !label.empty() && label.size() <= kMaxLabel && label.front() != '-' &&
         label.back() != '-' && std::ranges::all_of(label, fits);
}

bool is_domain(std::string_view text, bool international) {
  return text.size() <= kMaxName && each_part(text, '.', [&](std::string_view label) {
           return is_label(label, international);
         });
}

bool is_atom(std::string_view text, bool international) {
  return !text.empty() && std::ranges::all_of(text, [international](char c) {
    return is_alphanumeric(c) ||
           std::string_view("!#$%&'*+-/=?^_`{|}~").find(c) != std::string_view::npos ||
           (international && is_beyond_ascii(c));
  });
}

// The inside of a quoted local part.
bool is_quoted(std::string_view text, bool international) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\';
    if (escape && ++i == text.size()) return false;
    if (!escape && text[i] == '"') return false;
    const bool visible = text[i] >= ' ' && text[i] <= '~';
    if (!visible && !(international && is_beyond_ascii(text[i]))) return false;
  }
  return true;
}

bool is_mailbox(std::string_view text, bool international) {
  const auto at = text.rfind('@');
  if (at == std::string_view::npos) return false;
  const std::string_view local = text.substr(0, at);
  std::string_view domain = text.substr(at + 1);
  if (local.size() >= 2 && local.front() == '"' && local.back() == '"') {
    if (!is_quoted(local.substr(1, local.size() - 2), international)) return false;
  } else if (!each_part(local, '.', [&](auto atom) { return is_atom(atom, international); })) {
    return false;
  }
  if (!domain.starts_with('[')) return is_domain(domain, international);
  if (!domain.ends_with(']')) return false;
  domain = domain.substr(1, domain.size() - 2);
  constexpr std::string_view kIpv6 = "IPv6:";
  return domain.starts_with(kIpv6) ? ipv6(domain.substr(kIpv6.size())) : ipv4(domain);
}

}  // namespace

bool hostname(std::string_view text) { return is_domain(text, false); }
bool email(std::string_view text) { return is_mailbox(text, false); }
bool idn_email(std::string_view text) { return is_mailbox(text, true); }

bool ipv4(std::string_view text) {
  int parts = 0;
  const bool good = each_part(text, '.', [&](std::string_view part) {
    ++parts;
    if (part.empty() || part.size() > 3 || !std::ranges::all_of(part, is_digit<char>)) return false;
    if (part.size() > 1 && part.front() == '0') return false;
    int value = 0;
    for (const char c : part) value = value * 10 + (c - '0');
    return value <= 255;
  });
  return good && parts == 4;
}

bool ipv6(std::string_view text) {
  const auto gap = text.find("::");
  const bool has_gap = gap != std::string_view::npos;
  // Counts the groups on one side of the gap; -1 if one is invalid.
  const auto groups = [](std::string_view side, bool may_end_in_ipv4) {
    if (side.empty()) return 0;
    int count = 0;
    const bool good = each_part(side, ':', [&](std::string_view group) {
      const bool last = group.data() + group.size() == side.data() + side.size();
      if (last && may_end_in_ipv4 && group.find('.') != std::string_view::npos) {
        count += 2;
        return ipv4(group);
      }
      ++count;
      return !group.empty() && group.size() <= 4 && std::ranges::all_of(group, is_hex<char>);
    });
    return good ? count : -1;
  };
  if (!has_gap) return groups(text, true) == 8;
  const int before = groups(text.substr(0, gap), false);
  const int after = groups(text.substr(gap + 2), true);
  return before >= 0 && after >= 0 && before + after <= 7;
}

}  // namespace patchbay::json::format
