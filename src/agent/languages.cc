#include "agent/languages.h"

#include <algorithm>
#include <array>

#include "core/text.h"

namespace patchbay::agent {
namespace {

constexpr std::string_view kPython =
    "exec(compile(open(3, encoding='utf-8').read(), '<string>', 'exec'))";
constexpr std::string_view kNode = "(0, eval)(require('fs').readFileSync(3, 'utf8'))";
constexpr std::string_view kShell = ". /proc/self/fd/3";

constexpr std::array kLanguages{
    Language{"python", "python3", "-c", kPython}, Language{"python3", "python3", "-c", kPython},
    Language{"node", "node", "-e", kNode},        Language{"javascript", "node", "-e", kNode},
    Language{"js", "node", "-e", kNode},          Language{"bash", "bash", "-c", kShell},
    Language{"sh", "sh", "-c", kShell},
};

}  // namespace

std::span<const Language> languages() { return kLanguages; }

const Language* find_language(std::string_view name) {
  const auto* const found =
      std::ranges::find(kLanguages, ascii_lower(name),
                        [](const Language& language) { return std::string(language.name); });
  return found == kLanguages.end() ? nullptr : found;
}

}  // namespace patchbay::agent
