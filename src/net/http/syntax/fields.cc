#include "net/http/syntax/fields.h"

#include <algorithm>

#include "core/http_token.h"

namespace patchbay::net {

std::optional<std::string_view> HttpFields::search(std::string_view name) const {
  for (const auto& field : fields_) {
    if (field.name.size() == name.size() && same_token(field.name, name)) return field.value;
  }
  return std::nullopt;
}

std::size_t HttpFields::count(std::string_view name) const {
  if (!may_have(name)) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(fields_, [&](const HttpField& field) {
    return field.name.size() == name.size() && same_token(field.name, name);
  }));
}

}  // namespace patchbay::net
