#include "store/sealed_value.h"

#include <fmt/format.h>

namespace patchbay::store {
namespace {

std::string context_of(std::string_view table, std::string_view key) {
  return fmt::format("{}:{} {}", table.size(), table, key);
}

}  // namespace

std::string seal_value(const policy::Keyring& keys, std::string_view table, std::string_view key,
                       std::string_view value) {
  return keys.seal(policy::Purpose::store, value, context_of(table, key));
}

Result<std::string> open_value(const policy::Keyring& keys, std::string_view table,
                               std::string_view key, std::string_view sealed) {
  auto value = keys.open(policy::Purpose::store, sealed, context_of(table, key));
  if (value) return value;
  return Error{Code::internal, fmt::format("an entry of '{}' cannot be opened: its key is gone "
                                           "from cluster.keys, or it was changed in the store",
                                           table)};
}

}  // namespace patchbay::store
