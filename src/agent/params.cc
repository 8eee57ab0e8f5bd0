#include "agent/params.h"

#include <fmt/format.h>

#include <cmath>

#include "agent/protocol.h"
#include "agent/settings.h"
#include "json/read.h"

namespace patchbay::agent {
namespace {

constexpr std::size_t kMostMembers = 64;  // More than any method has.

bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

}  // namespace

Params::Params(std::string_view raw, std::span<const std::string_view> positions) {
  switch (json::type_of(raw)) {
    case json::Type::none:
    case json::Type::null:
      break;
    case json::Type::object:
      json::each_member(raw, [this](std::string_view key, std::string_view value) {
        if (members_.size() == kMostMembers) return refuse("too many members");
        if (has(key)) refuse(fmt::format("`{}` is there twice", key));
        members_.emplace_back(key, value);
      });
      break;
    case json::Type::array:
      json::each_element(raw, [&](std::string_view value) {
        if (members_.size() == positions.size()) {
          return refuse(fmt::format("at most {} elements are expected", positions.size()));
        }
        members_.emplace_back(positions[members_.size()], value);
      });
      break;
    default:
      refuse("an object or an array is expected");
  }
}

void Params::refuse(std::string why) {
  if (fault_.empty()) fault_ = std::move(why);
}

Result<void> Params::check() const {
  if (fault_.empty()) return ok();
  return Error{Code::invalid_params, "invalid params: " + fault_};
}

// Null is the same as absent.
std::string_view Params::find(std::string_view name) const {
  for (const auto& [key, value] : members_) {
    if (key == name) return value == "null" ? std::string_view() : value;
  }
  return {};
}

std::string Params::wrong(std::string_view name, std::string_view must) {
  refuse(find(name).empty() ? fmt::format("missing field `{}`", name)
                            : fmt::format("`{}` must be {}", name, must));
  return {};
}

std::string Params::content(std::string_view name) {
  auto text = json::as_string(find(name));
  return text ? *std::move(text) : wrong(name, "a string");
}

std::string Params::text(std::string_view name) {
  auto text = content(name);
  return has_nul(text) ? wrong(name, "a string without NUL") : text;
}

std::uint64_t Params::number(std::string_view name) {
  const auto value = as_u64(find(name));
  if (!value) wrong(name, "a whole number that is not negative");
  return value.value_or(0);
}

std::string Params::text(std::string_view name, std::string_view usual) {
  return has(name) ? text(name) : std::string(usual);
}

std::string Params::content(std::string_view name, std::string_view usual) {
  return has(name) ? content(name) : std::string(usual);
}

std::uint64_t Params::number(std::string_view name, std::uint64_t usual) {
  return has(name) ? number(name) : usual;
}

double Params::seconds(std::string_view name, double usual) {
  if (!has(name)) return usual;
  const auto value = json::as_double(find(name));
  if (value && std::isfinite(*value) && *value >= 0 && *value <= static_cast<double>(kMostSeconds))
    return *value;
  wrong(name, "a number of seconds");
  return usual;
}

bool Params::flag(std::string_view name, bool usual) {
  if (!has(name)) return usual;
  const auto value = json::as_bool(find(name));
  if (!value) wrong(name, "true or false");
  return value.value_or(usual);
}

std::vector<std::string> Params::texts(std::string_view name) {
  std::vector<std::string> list;
  const auto raw = find(name);
  if (json::type_of(raw) != json::Type::array) {
    wrong(name, "an array of strings");
    return list;
  }
  json::each_element(raw, [&](std::string_view element) {
    auto text = json::as_string(element);
    if (!text || has_nul(*text)) {
      wrong(name, "an array of strings without NUL");
    } else {
      list.push_back(*std::move(text));
    }
  });
  return list;
}

Params::Pairs Params::pairs(std::string_view name) {
  Pairs pairs;
  if (!has(name)) return pairs;
  const auto raw = find(name);
  if (json::type_of(raw) != json::Type::object) {
    wrong(name, "an object of strings");
    return pairs;
  }
  json::each_member(raw, [&](std::string_view key, std::string_view value) {
    auto text = json::as_string(value);
    if ((!text && value != "null") || key.empty() || has_nul(key) || (text && has_nul(*text))) {
      wrong(name, "an object of strings without NUL, or null");
    } else {
      pairs.emplace_back(key, std::move(text));
    }
  });
  return pairs;
}

}  // namespace patchbay::agent
