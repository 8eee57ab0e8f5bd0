// The AuthService makes the Authenticator of the running configuration, and makes it anew whenever
// the tokens or passwords in the files it names have changed. A file that is broken, empty or gone
// changes nothing.
//
// Lives on the control thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/jwks_source.h"
#include "app/refusals.h"
#include "config/node.h"
#include "net/process/file_watch.h"
#include "policy/auth/authenticator.h"

namespace patchbay::app {

// Reads the files that the settings name. A token file that is not there yet has no tokens. The
// error begins with the setting.
Result<policy::AuthFiles> read_auth_files(const policy::AuthSettings& settings);

// Adds a fault for everything in the section that cannot be used.
void check_auth(const policy::AuthSettings& settings, const config::Node& root,
                const std::string& file, config::Faults& faults);

class AuthService {
 public:
  using Notify = std::function<void(std::shared_ptr<const policy::Authenticator>)>;

  // `tell` is called with each new Authenticator; with null where no credentials are needed.
  // `refusals` outlives this.
  AuthService(Executor& control, metrics::Registry& registry, Refusals& refusals,
              policy::Digester digester, Notify notify);

  // REQUIRES: check_auth() has found no fault. Fails, and changes nothing, if files have become bad
  // since.
  Result<void> apply(const policy::AuthSettings& settings);

  Task<void> stop();

 private:
  Result<void> renew();
  Result<void> renew_if_changed();
  void on_files_changed();
  Result<std::vector<std::shared_ptr<policy::KeySource>>> sources(
      const std::vector<policy::JwtSettings>& issuers);

  Refusals& refusals_;
  const policy::Digester digester_;
  const Notify notify_;
  std::optional<policy::AuthSettings> settings_;  // In use; none before the first.
  std::vector<std::string> files_;                // That the settings name.
  policy::Digest seen_{};                         // Of what is in them.
  std::vector<FileStamp> stamps_;                 // Of the files, when they were last used.
  JwksSource::Home owner_;
  // With what they were made from: unchanged settings keep their keys.
  std::vector<std::pair<std::string, std::shared_ptr<JwksSource>>> sources_;
  std::unique_ptr<net::FileWatch> watch_;
};

}  // namespace patchbay::app
