#include "mcp/capabilities.h"

#include <fmt/format.h>

#include <array>

#include "json/edit.h"
#include "json/read.h"
#include "json/write.h"

namespace patchbay::mcp {
namespace {

constexpr Revision kElicitation = Revision::v2025_06_18;
constexpr Revision kFinerGrained = Revision::v2025_11_25;  // sampling.tools, elicitation.url, …

// In the order of their bits.
constexpr std::array kBits{&Abilities::roots,          &Abilities::sampling,
                           &Abilities::sampling_tools, &Abilities::sampling_context,
                           &Abilities::form,           &Abilities::url};

bool declares(std::string_view object, std::string_view key) {
  return json::type_of(json::member(object, key).value_or("")) == json::Type::object;
}

std::string object_of(std::initializer_list<std::pair<bool, std::string_view>> members) {
  std::string out;
  {
    json::Object object(out);
    for (const auto& [there, name] : members) {
      if (there) object.raw(name, "{}");
    }
  }
  return out;
}

}  // namespace

Abilities common(const Abilities& one, const Abilities& other) {
  return abilities_of_bits(bits_of(one) & bits_of(other));
}

unsigned bits_of(const Abilities& abilities) {
  unsigned bits = 0;
  for (std::size_t i = 0; i < kBits.size(); ++i) {
    if (abilities.*kBits[i]) bits |= 1U << i;
  }
  return bits;
}

unsigned bits_of_capability(std::string_view capability) {
  Abilities part;
  part.roots = capability == "roots";
  part.sampling = part.sampling_tools = part.sampling_context = capability == "sampling";
  part.form = part.url = capability == "elicitation";
  return bits_of(part);
}

Abilities abilities_of_bits(unsigned bits) {
  Abilities abilities;
  for (std::size_t i = 0; i < kBits.size(); ++i) abilities.*kBits[i] = (bits >> i & 1U) != 0;
  return abilities;
}

Abilities abilities_of(Revision revision, std::string_view capabilities) {
  Abilities can;
  const bool fine = revision >= kFinerGrained;
  json::each_member(capabilities, [&](std::string_view key, std::string_view raw) {
    if (json::type_of(raw) != json::Type::object) return;
    if (key == "roots") can.roots = true;
    if (key == "sampling") {
      can.sampling = true;
      can.sampling_tools = fine && declares(raw, "tools");
      // Before this capability existed, every client supported forms.
      can.sampling_context = !fine || declares(raw, "context");
    }
    if (key == "elicitation" && revision >= kElicitation) {
      can.url = fine && declares(raw, "url");
      can.form = !can.url || declares(raw, "form");  // An empty declaration means forms.
    }
    if (key == "extensions" && info(revision).stateless) can.tasks = declares(raw, kTasksExtension);
  });
  return can;
}

std::string client_capabilities(Revision to, const Abilities& abilities) {
  const bool fine = to >= kFinerGrained;
  std::string out;
  {
    json::Object object(out);
    if (abilities.roots) object.raw("roots", "{}");
    if (abilities.sampling) {
      object.raw("sampling", object_of({{fine && abilities.sampling_context, "context"},
                                        {fine && abilities.sampling_tools, "tools"}}));
    }
    if (fine ? abilities.form || abilities.url : abilities.form && to >= kElicitation) {
      object.raw("elicitation",
                 object_of({{fine && abilities.form, "form"}, {fine && abilities.url, "url"}}));
    }
    if (abilities.tasks && info(to).stateless) {
      object.raw("extensions", object_of({{true, kTasksExtension}}));
    }
  }
  return out;
}

std::string server_capabilities(Revision to, bool tasks) {
  std::string out;
  {
    json::Object object(out);
    object.raw("tools", R"({"listChanged":true})");
    object.raw("prompts", R"({"listChanged":true})");
    object.raw("resources", R"({"listChanged":true,"subscribe":true})");
    object.raw("logging", "{}");
    if (to >= Revision::v2025_03_26) object.raw("completions", "{}");
    if (tasks && to == Revision::v2025_11_25) {
      object.raw("tasks", R"({"cancel":{},"requests":{"tools":{"call":{}}}})");
    }
    if (tasks && info(to).stateless) object.raw("extensions", object_of({{true, kTasksExtension}}));
  }
  return out;
}

std::string implementation_for(Revision to, std::string_view implementation) {
  json::Edit edit(implementation);
  edit.members([&](std::string_view key) {
    if (key == "title") return edit.keep_if(to >= Revision::v2025_06_18);
    const bool rich = key == "description" || key == "icons" || key == "websiteUrl";
    return edit.keep_if(!rich || to >= Revision::v2025_11_25);
  });
  return edit.changed() ? edit.result() : std::string(implementation);
}

}  // namespace patchbay::mcp
