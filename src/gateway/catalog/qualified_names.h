// QualifiedNames determines to which upstream a name belongs that begins with the name of an
// upstream: `files.read`, `files__read` and `files_read` belong to the upstream `files`, whether or
// not it offers `read` at the moment. No other upstream can have such a name, because it would
// receive calls that are meant for `files`.
//
// Immutable; read on any thread.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/text_hash.h"

namespace patchbay::gateway {

// The separators between the name of an upstream and that of its tool or prompt, besides the one in
// the configuration.
inline constexpr std::array<std::string_view, 3> kNameSeparators{"__", ".", "_"};
// The separator between the name of an upstream and a URI that another upstream has too.
inline constexpr std::string_view kUriSeparator = "+";

class QualifiedNames {
 public:
  QualifiedNames(const std::vector<std::string>& upstreams, const std::string& separator);

  // Whether an item of `upstream` may have that name. If the names of two upstreams match, the
  // longer one counts.
  bool may_have_name(std::string_view upstream, std::string_view name) const;
  // The same for a URI, or a URI template.
  bool may_have_uri(std::string_view upstream, std::string_view uri) const;

 private:
  bool may_have(std::string_view upstream, std::string_view name,
                const std::vector<std::string>& separators) const;

  std::unordered_set<std::string, TextHash, std::equal_to<>> upstreams_;
  std::size_t longest_ = 0;  // Of their names.
  std::vector<std::string> separators_;
  const std::vector<std::string> uri_separators_{std::string(kUriSeparator)};
};

}  // namespace patchbay::gateway
