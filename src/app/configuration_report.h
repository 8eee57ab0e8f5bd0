// The ConfigurationReport has what admins may see of the configuration. It receives each one that
// is applied, and each reload.
//
// Usable from any thread.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "app/configuration.h"
#include "frontends/configuration_view.h"

namespace patchbay::app {

class ConfigurationReport final : public frontends::ConfigurationView {
 public:
  // `configuration` is in force.
  void use(const Configuration& configuration, const Overrides& overrides);
  void add_reload(std::string why, bool applied, std::vector<std::string> details);

  frontends::ConfigurationPage page() const override;
  const std::string& schema() const override;
  std::vector<frontends::TextFault> check(std::string_view text) const override;

 private:
  mutable std::mutex mutex_;
  std::string file_;
  std::string text_;
  std::string digest_;
  Overrides overrides_;
  bool editable_ = false;
  std::size_t most_reloads_ = 0;
  std::deque<frontends::ReloadLine> reloads_;  // The newest first.
};

}  // namespace patchbay::app
