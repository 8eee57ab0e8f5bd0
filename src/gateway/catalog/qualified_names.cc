#include "gateway/catalog/qualified_names.h"

#include <algorithm>

namespace patchbay::gateway {

QualifiedNames::QualifiedNames(const std::vector<std::string>& upstreams,
                               const std::string& separator)
    : upstreams_(upstreams.begin(), upstreams.end()),
      separators_(kNameSeparators.begin(), kNameSeparators.end()) {
  for (const auto& name : upstreams) longest_ = std::max(longest_, name.size());
  separators_.push_back(separator);
}

bool QualifiedNames::may_have_name(std::string_view upstream, std::string_view name) const {
  return may_have(upstream, name, separators_);
}

bool QualifiedNames::may_have_uri(std::string_view upstream, std::string_view uri) const {
  return may_have(upstream, uri, uri_separators_);
}

bool QualifiedNames::may_have(std::string_view upstream, std::string_view name,
                              const std::vector<std::string>& separators) const {
  for (std::size_t size = std::min(longest_, name.size()); size > 0; --size) {
    const auto rest = name.substr(size);
    const auto follows = [&rest](const std::string& one) { return rest.starts_with(one); };
    if (std::ranges::none_of(separators, follows)) continue;
    const auto owner = name.substr(0, size);
    if (upstreams_.contains(owner)) return owner == upstream;
  }
  return true;
}

}  // namespace patchbay::gateway
