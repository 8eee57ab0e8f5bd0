#include "frontends/wire/initialize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "json/ascii.h"
#include "json/read.h"
#include "json/write.h"
#include "mcp/compose.h"

namespace patchbay::frontends {
namespace {

// Oldest first.
constexpr std::array<std::string_view, 2> kVersions{"1.0", "1.1"};
constexpr std::string_view kVersionList = R"(["1.0","1.1"])";

// "1.0" and the like; an MCP revision is a date.
bool is_wire_version(std::string_view text) {
  const auto dot = text.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == text.size()) return false;
  return std::ranges::all_of(text, [](char c) { return json::is_digit(c) || c == '.'; }) &&
         text.find('.', dot + 1) == std::string_view::npos;
}

// All versions that the client supports.
std::vector<std::string> versions_of(const mcp::Message& initialize) {
  std::vector<std::string> all;
  const auto add = [&all](std::string_view raw) {
    if (auto text = json::as_string(raw)) all.push_back(*std::move(text));
  };
  if (const auto* const one = initialize.param("protocolVersion")) add(one->raw);
  if (const auto* const more = initialize.param("supportedVersions")) {
    json::each_element(more->raw, add);
  }
  return all;
}

bool is_true(std::optional<std::string_view> raw) { return raw && *raw == "true"; }

// The member in which an MCP client describes its support of the wire protocol:
// capabilities.experimental.wire.
bool takes_chunks(std::string_view capabilities) {
  if (is_true(json::member(capabilities, "chunking"))) return true;
  const auto experimental = json::member(capabilities, "experimental");
  const auto wire = experimental ? json::member(*experimental, "wire") : std::nullopt;
  return wire && is_true(json::member(*wire, "chunking"));
}

// True becomes an object, and false is left out.
std::string as_objects(std::string_view capabilities) {
  std::string out;
  json::Object object(out);
  json::each_member(capabilities, [&](std::string_view key, std::string_view raw) {
    if (raw == "true") object.raw(key, "{}");
    if (raw.starts_with('{')) object.raw(key, raw);
  });
  object.end();
  return out;
}

std::string mcp_initialize(const mcp::Message& initialize, std::string_view capabilities) {
  const std::string_view params = initialize.raw_params.empty() ? "{}" : initialize.raw_params;
  const std::string version = json::quote(mcp::info(mcp::kNewestSessionBased).name);
  std::string changed = json::with_member(params, "protocolVersion", version);
  changed = json::with_member(changed, "capabilities", as_objects(capabilities));
  return mcp::request(initialize.id, initialize.method, changed);
}

std::string rate_limiting(const WireRate& rate) {
  return fmt::format(R"({{"enabled":{},"default_limit":{},"window":"{}"}})", rate.enabled,
                     rate.default_limit, config::print(rate.window));
}

// The additions of the wire protocol to the capabilities of MCP.
void add_wire(json::Object& object, const WireSettings& settings) {
  object.raw("binary_protocol", "true");
  object.raw("per_message_auth", settings.per_message_auth == MessageAuth::off ? "false" : "true");
  object.raw("chunking", "true");
  object.raw("rate_limiting", rate_limiting(settings.rate_limiting));
}

std::string as_truth_values(std::string_view capabilities, const WireSettings& settings) {
  std::string out;
  json::Object object(out);
  json::each_member(capabilities, [&](std::string_view key, std::string_view raw) {
    if (raw.starts_with('{') && key != "experimental") object.raw(key, "true");
  });
  object.raw("streaming", "false");
  add_wire(object, settings);
  object.end();
  return out;
}

std::string with_wire(std::string_view capabilities, const WireSettings& settings) {
  std::string wire;
  json::Object object(wire);
  add_wire(object, settings);
  object.end();
  const auto known = json::member(capabilities, "experimental").value_or("{}");
  return json::with_member(capabilities, "experimental", json::with_member(known, "wire", wire));
}

}  // namespace

Result<WireOffer> read_offer(const mcp::Message& initialize) {
  const auto* const given = initialize.param("capabilities");
  const std::string_view capabilities = given ? given->raw : "{}";
  WireOffer offer;
  offer.chunking = takes_chunks(capabilities);
  const std::vector<std::string> asked = versions_of(initialize);
  if (asked.empty() || !is_wire_version(asked.front())) {
    offer.request = mcp::to_text(initialize);
    return offer;
  }
  const auto has = [&](std::string_view one) {
    return std::ranges::find(asked, one) != asked.end();
  };
  for (const auto version : kVersions) {
    if (has(version)) offer.version = version;
  }
  if (offer.version.empty()) {
    return Error{
        Code::invalid_params, fmt::format("no common version: ask for one of {}", kVersionList),
        fmt::format(R"({{"reason":"unsupported_version","supportedVersions":{}}})", kVersionList)};
  }
  offer.request = mcp_initialize(initialize, capabilities);
  return offer;
}

std::string offer_result(const WireOffer& offer, std::string_view result,
                         const WireSettings& settings) {
  const std::string_view capabilities = json::member(result, "capabilities").value_or("{}");
  if (offer.version.empty()) {
    return json::with_member(result, "capabilities", with_wire(capabilities, settings));
  }
  const std::string_view info = json::member(result, "serverInfo").value_or("{}");
  std::string out;
  json::Object object(out);
  object.raw("protocolVersion", json::quote(offer.version));
  object.raw("serverInfo", json::with_member(info, "supportedVersions", kVersionList));
  object.raw("capabilities", as_truth_values(capabilities, settings));
  object.end();
  return out;
}

}  // namespace patchbay::frontends
