#include "upstreams/openapi/document.h"

#include <fmt/format.h>

#include "config/to_json.h"
#include "json/text.h"
#include "json/uri.h"
#include "upstreams/openapi/faults.h"

namespace patchbay::upstreams {
namespace {

using json::NodeId;
using json::Type;

constexpr std::uint32_t kFewMembers = 32;  // Up to here an object is searched member by member.
constexpr int kMostSteps = 32;             // From one reference to the next.

Result<void> check_version(const OpenapiDocument& document) {
  if (document.type(0) != Type::object) return openapi_fault("the document is not an object");
  if (document.find(0, "swagger")) {
    return openapi_fault("the document is Swagger 2.0; convert it to OpenAPI 3.0 or 3.1 first");
  }
  const auto version = document.string(0, "openapi");
  if (version.starts_with("3.0") || version.starts_with("3.1")) return ok();
  return openapi_fault(version.empty()
                           ? "the document does not declare `openapi: 3.0` or `3.1`"
                           : fmt::format("the document is OpenAPI {}; 3.0 and 3.1 are supported",
                                         json::shortened(version, 20)));
}

}  // namespace

Result<OpenapiDocument> OpenapiDocument::read(std::string_view text, std::size_t most) {
  // Values repeated by YAML aliases count, so the bound on text follows that on values.
  auto converted = config::to_json(text, {most, text.size() * 4 + config::kMaxText});
  if (!converted) return converted.error();
  auto owned = std::make_unique<std::string>(*std::move(converted));
  auto index = json::Index::of(*owned, most);
  if (!index) return index.error();
  OpenapiDocument document(std::move(owned), *std::move(index));
  auto version = check_version(document);
  if (!version) return version.error();
  return document;
}

std::optional<NodeId> OpenapiDocument::find(NodeId at, std::string_view key) const {
  if (index_[at].type != Type::object || index_[at].count <= kFewMembers) {
    return index_.find(at, key);
  }
  auto [table, fresh] = large_.try_emplace(at);
  if (fresh) {
    each(at, [&](NodeId child) { table->second.emplace(index_.key(child), child); });
  }
  const auto found = table->second.find(key);
  if (found == table->second.end()) return std::nullopt;
  return found->second;
}

std::string OpenapiDocument::string(NodeId at, std::string_view key) const {
  const auto found = find(at, key);
  if (!found || type(*found) != Type::string) return {};
  std::string scratch;
  return std::string(index_.text(*found, scratch));
}

bool OpenapiDocument::flag(NodeId at, std::string_view key, bool otherwise) const {
  const auto found = find(at, key);
  if (!found || type(*found) != Type::boolean) return otherwise;
  return index_.raw(*found) == "true";
}

Result<NodeId> OpenapiDocument::follow(std::string_view reference) const {
  const auto quoted = json::shortened(reference, kMaxQuoted);
  if (reference != "#" && !reference.starts_with("#/")) {
    return openapi_fault(
        fmt::format("the reference '{}' leads out of the document, or is no path in it; "
                    "only `#/…` is followed",
                    quoted));
  }
  const auto decoded = json::decode_percents(reference.substr(1));
  std::string_view left = decoded ? std::string_view(*decoded) : std::string_view();
  NodeId at = 0;
  while (!left.empty()) {
    const auto end = std::min(left.find('/', 1), left.size());
    const auto token = json::unescape_pointer_token(left.substr(1, end - 1));
    left.remove_prefix(end);
    const auto next = !token                     ? std::nullopt
                      : type(at) == Type::object ? find(at, *token)
                                                 : index_.child(at, *token);
    if (!next) return openapi_fault(fmt::format("the reference '{}' leads nowhere", quoted));
    at = *next;
  }
  if (!decoded) return openapi_fault(fmt::format("the reference '{}' is not one", quoted));
  return at;
}

Result<NodeId> OpenapiDocument::resolve(NodeId at) const {
  for (int steps = 0; steps < kMostSteps; ++steps) {
    const auto reference = find(at, "$ref");
    if (!reference || type(*reference) != Type::string) return at;
    auto next = follow(string(at, "$ref"));
    if (!next) return next.error();
    at = *next;
  }
  return openapi_fault(fmt::format("the reference '{}' leads back to itself",
                                   json::shortened(string(at, "$ref"), kMaxQuoted)));
}

}  // namespace patchbay::upstreams
