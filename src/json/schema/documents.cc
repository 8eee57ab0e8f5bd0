#include "json/schema/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include "json/read.h"
#include "json/schema/metaschemas.h"
#include "json/schema/program.h"
#include "json/text.h"
#include "json/uri.h"

namespace patchbay::json {
namespace {

constexpr std::size_t kMaxUri = 2048;
constexpr int kMaxChain = 4;  // Of metaschemas that have a metaschema.
constexpr std::string_view kVocabularyPrefix = "https://json-schema.org/draft/";

struct VocabularyName {
  std::string_view name;
  std::uint8_t bits;
};
constexpr VocabularyName kVocabularies[] = {
    {"2020-12/vocab/core", kCore},
    {"2020-12/vocab/applicator", kApplicator},
    {"2020-12/vocab/validation", kValidation},
    {"2020-12/vocab/unevaluated", kUnevaluated},
    {"2020-12/vocab/format-annotation", kFormatAnnotation},
    {"2020-12/vocab/format-assertion", kFormatAssertion},
    {"2020-12/vocab/meta-data", kOtherVocabulary},
    {"2020-12/vocab/content", kOtherVocabulary},
    {"2019-09/vocab/core", kCore},
    {"2019-09/vocab/applicator", kApplicator | kUnevaluated},
    {"2019-09/vocab/validation", kValidation},
    {"2019-09/vocab/format", kFormatAnnotation},
    {"2019-09/vocab/meta-data", kOtherVocabulary},
    {"2019-09/vocab/content", kOtherVocabulary},
};

struct DraftName {
  std::string_view uri;  // Without its scheme: both http and https are in use.
  Draft draft;
};
constexpr DraftName kDrafts[] = {
    {"json-schema.org/draft-04/schema", Draft::draft_04},
    {"json-schema.org/draft-06/schema", Draft::draft_06},
    {"json-schema.org/draft-07/schema", Draft::draft_07},
    {"json-schema.org/draft/2019-09/schema", Draft::draft_2019_09},
    {"json-schema.org/draft/2020-12/schema", Draft::draft_2020_12},
};

std::optional<Draft> draft_of(std::string_view uri) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!uri.starts_with(scheme)) continue;
    const auto* const known =
        std::ranges::find(kDrafts, uri.substr(scheme.size()), &DraftName::uri);
    if (known != std::end(kDrafts)) return known->draft;
  }
  return std::nullopt;
}

std::string excerpt(std::string_view name) { return shortened(name, 200); }
Error invalid(std::string message) { return {Code::invalid_params, std::move(message)}; }

std::uint8_t vocabulary_bits(std::string_view uri) {
  if (!uri.starts_with(kVocabularyPrefix)) return 0;
  uri.remove_prefix(kVocabularyPrefix.size());
  for (const VocabularyName& known : kVocabularies) {
    if (uri == known.name) return known.bits;
  }
  return 0;
}

Result<std::uint8_t> read_vocabularies(std::string_view raw) {
  std::uint8_t bits = 0;
  std::string unknown;
  each_member(raw, [&](std::string_view uri, std::string_view needed) {
    const std::uint8_t known = vocabulary_bits(uri);
    bits |= known;
    if (known == 0 && as_bool(needed) == true) unknown = uri;
  });
  if (!unknown.empty()) return invalid("the vocabulary " + excerpt(unknown) + " is not supported");
  return bits;
}

std::string without_empty_fragment(std::string_view uri) {
  if (uri.ends_with('#')) uri.remove_suffix(1);
  return std::string(uri);
}

}  // namespace

std::string SchemaDocuments::describe(SchemaLocation location) const {
  const Document& document = documents_[location.document];
  const std::string pointer = document.index.pointer(location.node);
  if (location.document > 0) return document.uri + "#" + pointer;
  return pointer.empty() ? "its root" : pointer;
}

// Texts are looked up, never fetched. Empty if there is none.
std::string_view SchemaDocuments::text_of(std::string_view uri) const {
  for (const SchemaDocument& document : options_.documents) {
    if (document.uri == uri) return document.text;
  }
  return metaschema(uri);
}

Result<Dialect> SchemaDocuments::dialect_of(std::string_view name, int chain) const {
  const std::string uri = without_empty_fragment(name);
  if (const auto draft = draft_of(uri)) return Dialect{.draft = *draft};
  const std::string_view text = text_of(uri);
  if (text.empty() || chain > kMaxChain) {
    return invalid(fmt::format("the dialect {} is not supported", excerpt(name)));
  }
  Dialect dialect{.draft = options_.default_draft};
  if (const auto parent = string_member(text, "$schema")) {
    auto found = dialect_of(*parent, chain + 1);
    if (!found) return found;
    dialect = *found;
  }
  if (const auto vocabularies = member(text, "$vocabulary")) {
    const auto bits = read_vocabularies(*vocabularies);
    if (!bits) return bits.error();
    dialect.vocabularies = *bits | kCore;
  }
  return dialect;
}

Result<SchemaLocation> SchemaDocuments::open(std::string_view text, std::string uri) {
  auto index = Index::of(text, options_.limits.values);
  if (!index) return index.error();
  const SchemaLocation root{static_cast<std::uint32_t>(documents_.size()), 0};
  documents_.push_back({uri, *std::move(index), {}});
  documents_.back().resource.assign(documents_.back().index.size(), kNone);
  const std::uint32_t resource = add_resource(uri, root, {options_.default_draft});
  auto scanned = scan(root, resource);
  if (!scanned) return scanned.error();
  by_uri_[uri] = resource_of(root);  // Its `$id` may be different.
  return root;
}

std::uint32_t SchemaDocuments::add_resource(std::string uri, SchemaLocation root, Dialect dialect) {
  const auto id = static_cast<std::uint32_t>(resources_.size());
  by_uri_.try_emplace(uri, id);
  resources_.push_back({std::move(uri), root, dialect});
  return id;
}

// Member `key` of a schema as text; empty where it is missing.
Result<std::string> SchemaDocuments::text_member(SchemaLocation location,
                                                 std::string_view key) const {
  const Index& in = index(location);
  const auto found = in.find(location.node, key);
  if (!found) return std::string();
  if (in[*found].type != Type::string) {
    return invalid(fmt::format("{}: must be a string", describe({location.document, *found})));
  }
  std::string scratch;
  return std::string(in.text(*found, scratch));
}

// Records the names of the schema at `location`; yields the resource it belongs to, a new one if it
// has an `$id`.
Result<std::uint32_t> SchemaDocuments::enter(SchemaLocation location, std::uint32_t resource) {
  const bool root = resources_[resource].root == location;
  const auto named = dialect_at(location, resources_[resource].dialect, root);
  if (!named) return named.error();
  const auto id = text_member(location, named->id_keyword());
  if (!id) return id.error();
  // A `$schema` counts only at the root of a resource.
  const Dialect dialect = root || !id->empty() ? *named : resources_[resource].dialect;
  if (root) resources_[resource].dialect = dialect;
  const bool old = dialect.is_old();
  // Up to draft-07 keywords beside a `$ref` are ignored.
  if (old && index(location).find(location.node, "$ref")) return resource;

  const UriParts parts = split_uri(*id);
  if (!id->empty() && !id->starts_with('#')) {
    std::string uri = resolve_uri(resources_[resource].uri, *id);
    if (uri.size() > kMaxUri) return invalid(describe(location) + ": its $id is too long");
    resource = add_resource(std::move(uri), location, dialect);
  }
  SchemaResource& here = resources_[resource];
  if (old) {
    if (parts.fragment && !parts.fragment->empty()) {
      here.anchors.try_emplace(std::string(*parts.fragment), location.node);
    }
    return resource;
  }
  for (const bool dynamic : {false, true}) {
    auto name = text_member(location, dynamic ? "$dynamicAnchor" : "$anchor");
    if (!name) return name.error();
    if (name->empty()) continue;
    if (dynamic) here.dynamic_anchors.try_emplace(*name, location.node);
    here.anchors.try_emplace(*std::move(name), location.node);
  }
  const auto recursive = index(location).find(location.node, "$recursiveAnchor");
  if (dialect.draft == Draft::draft_2019_09 && recursive && here.root == location &&
      index(location).raw(*recursive) == "true") {
    here.dynamic_anchors.try_emplace("", location.node);
  }
  return resource;
}

// The dialect of a `$schema`, if the schema has one and is or may be the root of a resource.
Result<Dialect> SchemaDocuments::dialect_at(SchemaLocation location, Dialect outer,
                                            bool root) const {
  const Index& in = index(location);
  const auto name = text_member(location, "$schema");
  if (!name) return name.error();
  const bool names_itself = in.find(location.node, "$id") || in.find(location.node, "id");
  if (name->empty() || (!root && !names_itself)) return outer;
  return dialect_of(*name, 0);
}

// Recursion is bounded by the depth limit of JSON.
Result<void> SchemaDocuments::scan(SchemaLocation location, std::uint32_t resource) {
  if (resource_of(location) != kNone) return ok();  // A reference has led here before.
  const Index& in = index(location);
  if (in[location.node].type == Type::object) {
    const auto entered = enter(location, resource);
    if (!entered) return entered.error();
    resource = *entered;
  }
  documents_[location.document].resource[location.node] = resource;
  if (in[location.node].type != Type::object) return ok();
  for (NodeId child = location.node + 1; child != in[location.node].next; child = in[child].next) {
    const auto keyword = find_keyword(in.key(child), resources_[resource].dialect);
    if (!keyword) continue;
    auto scanned = scan_keyword({location.document, child}, resource, info(*keyword).holds);
    if (!scanned) return scanned;
  }
  return ok();
}

Result<void> SchemaDocuments::scan_keyword(SchemaLocation location, std::uint32_t resource,
                                           Holds holds) {
  const Index& in = index(location);
  const Node& node = in[location.node];
  if (holds == Holds::nothing) return ok();
  const bool each = holds == Holds::list || holds == Holds::map ||
                    (holds == Holds::schema_or_list && node.type == Type::array);
  if (!each) return scan(location, resource);
  for (NodeId child = location.node + 1; child != node.next; child = in[child].next) {
    auto scanned = scan({location.document, child}, resource);
    if (!scanned) return scanned;
  }
  return ok();
}

Result<std::uint32_t> SchemaDocuments::find_resource(const std::string& uri) {
  if (const auto known = by_uri_.find(uri); known != by_uri_.end()) return known->second;
  const std::string_view text = text_of(uri);
  if (text.empty())
    return invalid(fmt::format("{} is not known, and nothing is fetched", excerpt(uri)));
  auto opened = open(text, uri);
  if (!opened) return opened.error();
  return resource_of(*opened);
}

Result<SchemaLocation> SchemaDocuments::resolve(std::uint32_t from, std::string_view reference) {
  if (reference.size() > kMaxUri) return invalid("the reference is too long");
  const auto resource = find_resource(resolve_uri(resources_[from].uri, reference));
  if (!resource) return resource.error();
  const auto fragment = decode_percents(split_uri(reference).fragment.value_or(""));
  if (!fragment) return invalid(fmt::format("{} has a wrong percent sign", excerpt(reference)));
  const SchemaResource& found = resources_[*resource];
  if (fragment->empty()) return found.root;
  if (fragment->starts_with('/')) return follow(*resource, std::string_view(*fragment).substr(1));
  const auto anchor = found.anchors.find(*fragment);
  if (anchor == found.anchors.end()) {
    return invalid(fmt::format("there is no anchor {}", excerpt(*fragment)));
  }
  return SchemaLocation{found.root.document, anchor->second};
}

// Follows a JSON pointer (without its first slash). It may end where no keyword holds a schema; its
// target is a schema from then on.
Result<SchemaLocation> SchemaDocuments::follow(std::uint32_t resource, std::string_view pointer) {
  const SchemaLocation root = resources_[resource].root;
  const Index& in = index(root);
  NodeId at = root.node;
  for (bool last = false; !last;) {
    const auto slash = pointer.find('/');
    last = slash == std::string_view::npos;
    const auto token = unescape_pointer_token(pointer.substr(0, slash));
    if (!budget_.spend(1 + in[at].count)) {
      return Error{Code::too_large, "the schema has too many references"};
    }
    const auto next = token ? in.child(at, *token) : std::nullopt;
    if (!next) {
      return invalid(fmt::format("there is nothing at {} of {}", excerpt(pointer),
                                 describe({root.document, at})));
    }
    at = *next;
    if (!last) pointer.remove_prefix(slash + 1);
    const std::uint32_t here = documents_[root.document].resource[at];
    if (here != kNone) resource = here;
  }
  const SchemaLocation location{root.document, at};
  if (resource_of(location) == kNone) {
    auto scanned = scan(location, resource);
    if (!scanned) return scanned.error();
  }
  return location;
}

}  // namespace patchbay::json
