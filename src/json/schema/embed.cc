#include "json/schema/embed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "json/read.h"
#include "json/schema/documents.h"
#include "json/schema/program.h"
#include "json/text.h"
#include "json/write.h"

namespace patchbay::json {
namespace {

constexpr std::uint32_t kMoved = 0;  // The document of the schema itself.
// Schemas come from anywhere: both time and size must be bounded.
constexpr std::uint64_t kMostWork = 4'000'000;
constexpr int kMostRounds = 16;

// Keywords beside a `$ref` in draft-07 that are no annotations and yet assert nothing.
constexpr std::array kBesideRef{Keyword::ref, Keyword::defs, Keyword::definitions};
// Names that would apply to the whole document.
constexpr std::array kNames{Keyword::schema, Keyword::vocabulary, Keyword::id, Keyword::anchor,
                            Keyword::dynamic_anchor};

bool is_one_of(const auto& keywords, Keyword keyword) {
  return std::ranges::find(keywords, keyword) != keywords.end();
}

// Moves one schema. REQUIRES: used once.
class Mover {
 public:
  explicit Mover(std::string_view location) : location_(location) {}

  // Empty if it cannot be moved.
  std::optional<std::string> move(std::string_view schema) {
    auto root = documents_.open(schema, "");
    if (!root || is_foreign() || !find_targets()) return std::nullopt;
    std::string text;
    put_schema(text, root->node);
    if (budget_.spent()) return std::nullopt;
    return text;
  }

 private:
  const Index& index() const { return documents_.index({kMoved, 0}); }
  bool is_schema(NodeId at) const { return documents_.resource_of({kMoved, at}) != kNone; }
  const SchemaResource& resource_of(NodeId schema) const {
    return documents_.resources()[documents_.resource_of({kMoved, schema})];
  }
  bool is_old(NodeId schema) const { return resource_of(schema).dialect.is_old(); }
  // Drafts whose keywords have another meaning in 2020-12 are left alone.
  bool is_foreign() const {
    return std::ranges::any_of(documents_.resources(), [](const SchemaResource& resource) {
      return resource.dialect.draft == Draft::draft_04 ||
             resource.dialect.draft == Draft::draft_2019_09;
    });
  }

  // Resolves every reference. A target that no keyword leads to becomes a schema, perhaps with
  // references of its own.
  bool find_targets() {
    targets_.assign(index().size(), kNone);
    int rounds = 0;
    for (bool again = true; again;) {
      again = false;
      if (++rounds > kMostRounds) return false;
      for (NodeId at = 0; at < index().size(); ++at) {
        if (!is_schema(at) || index()[at].type != Type::object) continue;
        for (const std::string_view key : {"$ref", "$dynamicRef"}) {
          const auto reference = index().find(at, key);
          if (!reference || targets_[*reference] != kNone) continue;
          if (key == "$dynamicRef" && is_old(at)) continue;
          auto found = target(at, *reference, key == "$dynamicRef");
          if (!found) return false;
          targets_[*reference] = *found;
          again = true;
        }
      }
    }
    return true;
  }

  // The target of a reference: a node of the schema, or kElsewhere.
  Result<NodeId> target(NodeId schema, NodeId reference, bool dynamic) {
    if (index()[reference].type != Type::string) return Error{};
    std::string scratch;
    const std::string name(index().text(reference, scratch));
    auto found = documents_.resolve(documents_.resource_of({kMoved, schema}), name);
    if (!found) return found.error();
    if (found->document != kMoved) return kElsewhere;
    const auto fragment = name.substr(std::min(name.find('#') + 1, name.size()));
    if (dynamic && count_dynamic(fragment) > 1) return Error{};
    return found->node;
  }

  std::ptrdiff_t count_dynamic(const std::string& anchor) const {
    return std::ranges::count_if(documents_.resources(), [&](const SchemaResource& resource) {
      return resource.root.document == kMoved && resource.dynamic_anchors.contains(anchor);
    });
  }

  // In draft-07, `items` may be the later prefixItems.
  bool has_tuple(NodeId schema) const {
    const auto items = index().find(schema, "items");
    return items && index()[*items].type == Type::array;
  }

  // The name of a member of a schema at its new location; empty if it is left out.
  std::string_view new_key(NodeId schema, NodeId member) const {
    const std::string_view key = index().key(member);
    const auto keyword = find_keyword(key, resource_of(schema).dialect);
    if (!keyword) return key;
    if (is_one_of(kNames, *keyword)) return {};
    if (!is_old(schema)) return *keyword == Keyword::dynamic_ref ? "$ref" : key;
    if (index().find(schema, "$ref") && !is_one_of(kBesideRef, *keyword)) return {};
    if (*keyword == Keyword::items && has_tuple(schema)) return "prefixItems";
    if (*keyword == Keyword::additional_items) {
      return has_tuple(schema) ? std::string_view("items") : std::string_view();
    }
    return *keyword == Keyword::dependencies ? std::string_view("dependentSchemas") : key;
  }

  // The pointer of a node at its new location.
  std::string pointer(NodeId to) {
    std::string text(location_);
    for (NodeId at = 0; at != to;) {
      if (!budget_.spend(1 + index()[at].count + text.size())) return text;
      const bool object = index()[at].type == Type::object;
      NodeId child = at + 1;
      int number = 0;
      for (; index()[child].next <= to; child = index()[child].next) ++number;
      const bool member = object && is_schema(at) && !new_key(at, child).empty();
      text += '/';
      text += object
                  ? percent_encoded(pointer_token(member ? new_key(at, child) : index().key(child)))
                  : fmt::to_string(number);
      at = child;
    }
    budget_.spend(text.size());
    return text;
  }

  // A pointer in a URI is percent-encoded.
  static std::string percent_encoded(std::string_view token) {
    std::string text;
    for (const char c : token) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || std::string_view("-._~$").contains(c);
      if (plain) {
        text += c;
      } else {
        fmt::format_to(std::back_inserter(text), "%{:02X}", static_cast<unsigned char>(c));
      }
    }
    return text;
  }

  void put_schema(std::string& text, NodeId at) {
    if (index()[at].type != Type::object) {
      text += index().raw(at);
      return;
    }
    // Two references in one schema become a `$ref` and one in `allOf`.
    const bool both = !is_old(at) && index().find(at, "$ref") && index().find(at, "$dynamicRef");
    Object object(text);
    for (NodeId child = at + 1; child != index()[at].next; child = index()[child].next) {
      if (both && (index().key(child) == "$dynamicRef" || index().key(child) == "allOf")) continue;
      put_member(object, text, at, child);
    }
    if (both) put_both(object, text, at);
  }

  void put_member(Object& object, std::string& text, NodeId schema, NodeId child) {
    const std::string_view key = new_key(schema, child);
    if (key.empty()) return;
    const auto keyword = find_keyword(index().key(child), resource_of(schema).dialect);
    if (keyword == Keyword::dependencies && is_old(schema)) {
      put_dependencies(object, child);
      return;
    }
    object.key(key);
    if (keyword == Keyword::ref || keyword == Keyword::dynamic_ref) {
      put_reference(text, child);
    } else {
      put_value(text, child);
    }
  }

  void put_reference(std::string& text, NodeId at) {
    const NodeId target = targets_[at];
    if (target == kElsewhere || target == kNone) {
      text += index().raw(at);
    } else {
      append_quoted(text, pointer(target));
    }
  }

  // A value that is a schema, has schemas in it, or is data.
  void put_value(std::string& text, NodeId at) {
    if (is_schema(at)) {
      put_schema(text, at);
      return;
    }
    const Node& node = index()[at];
    if (node.type == Type::object) {
      Object object(text);
      for (NodeId child = at + 1; child != node.next; child = index()[child].next) {
        object.key(index().key(child));
        put_value(text, child);
      }
    } else if (node.type == Type::array) {
      text += '[';
      for (NodeId child = at + 1; child != node.next; child = index()[child].next) {
        if (child != at + 1) text += ',';
        put_value(text, child);
      }
      text += ']';
    } else {
      text += index().raw(at);
    }
  }

  // Draft-07 has one keyword for two later ones.
  void put_dependencies(Object& object, NodeId at) {
    for (const bool lists : {true, false}) {
      std::string part;
      {
        Object members(part);
        for (NodeId child = at + 1; child != index()[at].next; child = index()[child].next) {
          if ((index()[child].type == Type::array) != lists) continue;
          members.key(index().key(child));
          put_value(part, child);
        }
      }
      if (part != "{}") object.raw(lists ? "dependentRequired" : "dependentSchemas", part);
    }
  }

  void put_both(Object& object, std::string& text, NodeId schema) {
    object.key("allOf");
    text += "[{\"$ref\":";
    put_reference(text, *index().find(schema, "$dynamicRef"));
    text += '}';
    if (const auto all = index().find(schema, "allOf")) {
      for (NodeId child = *all + 1; child < index()[*all].next; child = index()[child].next) {
        text += ',';
        put_value(text, child);
      }
    }
    text += ']';
  }

  static constexpr NodeId kElsewhere = kNone - 1;

  const std::string_view location_;
  const SchemaOptions options_;
  SchemaDocuments documents_{options_};
  Budget budget_{kMostWork};
  std::vector<NodeId> targets_;  // Of the values of `$ref` and `$dynamicRef`, by their node.
};

}  // namespace

std::string moved_schema(std::string_view schema, std::string_view location,
                         std::string_view name) {
  if (auto moved = Mover(location).move(schema)) return *std::move(moved);
  if (!schema.starts_with('{') || string_member(schema, "$id")) return std::string(schema);
  return with_member(schema, "$id", quote(name));
}

}  // namespace patchbay::json
