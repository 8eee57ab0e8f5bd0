// The AuthService makes the Authenticator of the running configuration, and a new one whenever
// tokens or passwords have changed in the files that the configuration names. A broken, empty or
// missing file changes nothing.
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

// Reads the files that the settings name. A missing token file has no tokens. The error begins with
// the setting.
Result<policy::AuthFiles> read_auth_files(const policy::AuthSettings& settings);

// Adds a fault for each part of the section that cannot be used.
void check_auth(const policy::AuthSettings& settings, const config::Node& root,
                const std::string& file, config::Faults& faults);

class AuthService {
 public:
  using Notify = std::function<void(std::shared_ptr<const policy::Authenticator>)>;

  // Calls `notify` with each new Authenticator, or with null where no credentials are needed.
  // `refusals` outlives this object.
  AuthService(Executor& control, metrics::Registry& registry, Refusals& refusals,
              policy::Digester digester, Notify notify);

  // REQUIRES: check_auth() has found no fault. If files have become invalid since then, it fails
  // and changes nothing.
  Result<void> apply(const policy::AuthSettings& settings);

  // In use; null before the first.
  const std::optional<policy::AuthSettings>& settings() const { return settings_; }

  // Uses what the files have now. If they are gone, empty or invalid, it fails and changes nothing.
  Result<void> renew_if_changed();

  Task<void> stop();

 private:
  Result<void> renew();
  void on_files_changed();
  Result<std::vector<std::shared_ptr<policy::KeySource>>> sources(
      const std::vector<policy::JwtSettings>& issuers);

  Refusals& refusals_;
  const policy::Digester digester_;
  const Notify notify_;
  std::optional<policy::AuthSettings> settings_;
  std::vector<std::string> files_;  // The files that the settings name.
  policy::Digest seen_{};           // The digest of their contents.
  std::vector<FileStamp> stamps_;   // The stamps of the files when they were last used.
  JwksSource::Owner owner_;
  // The inputs of the current sources: unchanged settings keep their keys.
  std::vector<std::pair<std::string, std::shared_ptr<JwksSource>>> sources_;
  std::unique_ptr<net::FileWatch> watch_;
};

}  // namespace patchbay::app
