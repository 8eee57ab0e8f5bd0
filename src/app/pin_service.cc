#include "app/pin_service.h"

#include "app/configuration.h"
#include "policy/pins/store.h"

namespace patchbay::app {

Result<void> PinService::open(const Settings& settings, std::function<void()> accepted) {
  const std::string folder = state_folder(settings);
  if (folder.empty()) {
    pins_.emplace();
    return ok();
  }
  auto store = policy::PinStore::open(folder);
  if (!store) return store.error();
  // If stored pins could not be read, every definition would count as a first one and be accepted.
  auto known = (*store)->read();
  if (!known) return known.error();
  pins_.emplace(*std::move(store), *std::move(known));
  const std::vector<std::string> files{policy::PinStore::file_in(folder)};
  watch_.emplace(files, [this, accepted = std::move(accepted)] {
    if (pins_->read_again()) accepted();
  });
  return ok();
}

}  // namespace patchbay::app
