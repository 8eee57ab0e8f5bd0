#include "app/client_keys.h"

#include <algorithm>
#include <array>

namespace patchbay::app {
namespace {

constexpr std::string_view kApproval =
    "the gateway requires no approval of a call, unless `rules` of its own configuration require "
    "approval";
constexpr std::string_view kSignIn =
    "not read; give the upstream `auth` in a configuration of the gateway to sign in";
constexpr std::string_view kSandbox =
    "not read, so the program is not confined; give the upstream `sandbox` in a configuration of "
    "the gateway";

constexpr std::array kClientKeys{
    ClientKey{"type", KeyUse::shared},
    ClientKey{"transport", KeyUse::shared},
    ClientKey{"transportType", KeyUse::shared},
    ClientKey{"disabled", KeyUse::shared},
    ClientKey{"enabled", KeyUse::shared},
    ClientKey{"timeout", KeyUse::shared},
    ClientKey{"tool_timeout_sec", KeyUse::shared},
    ClientKey{"startup_timeout_sec", KeyUse::shared},
    ClientKey{"startup_timeout_ms", KeyUse::shared},
    ClientKey{"includeTools", KeyUse::shared},
    ClientKey{"excludeTools", KeyUse::shared},
    ClientKey{"enabled_tools", KeyUse::shared},
    ClientKey{"disabled_tools", KeyUse::shared},
    ClientKey{"disabledTools", KeyUse::shared},
    ClientKey{"tools", KeyUse::shared},
    ClientKey{"source", KeyUse::shared},
    ClientKey{"command", KeyUse::program},
    ClientKey{"args", KeyUse::program},
    ClientKey{"env", KeyUse::program},
    ClientKey{"environment", KeyUse::program},
    ClientKey{"envFile", KeyUse::program},
    ClientKey{"env_vars", KeyUse::program},
    ClientKey{"cwd", KeyUse::program},
    ClientKey{"url", KeyUse::remote},
    ClientKey{"serverUrl", KeyUse::remote},
    ClientKey{"httpUrl", KeyUse::remote},
    ClientKey{"tcp", KeyUse::remote},
    ClientKey{"headers", KeyUse::remote},
    ClientKey{"http_headers", KeyUse::remote},
    ClientKey{"env_http_headers", KeyUse::remote},
    ClientKey{"bearer_token_env_var", KeyUse::remote},
    ClientKey{"trust", KeyUse::ignored, kApproval},
    ClientKey{"autoApprove", KeyUse::ignored, kApproval},
    ClientKey{"alwaysAllow", KeyUse::ignored, kApproval},
    ClientKey{"default_tools_approval_mode", KeyUse::ignored, kApproval},
    ClientKey{"oauth", KeyUse::ignored, kSignIn, true},
    ClientKey{"auth", KeyUse::ignored, kSignIn},
    ClientKey{"scopes", KeyUse::ignored, kSignIn},
    ClientKey{"oauth_resource", KeyUse::ignored, kSignIn},
    ClientKey{"headersHelper", KeyUse::ignored, kSignIn},
    ClientKey{"authProviderType", KeyUse::ignored, kSignIn},
    ClientKey{"targetAudience", KeyUse::ignored, kSignIn},
    ClientKey{"targetServiceAccount", KeyUse::ignored, kSignIn},
    ClientKey{"sandbox", KeyUse::ignored, kSandbox, true},
    ClientKey{"sandboxEnabled", KeyUse::ignored, kSandbox, true},
};

}  // namespace

const ClientKey* find_client_key(std::string_view name) {
  const auto* const found = std::ranges::find(kClientKeys, name, &ClientKey::name);
  return found == kClientKeys.end() ? nullptr : found;
}

}  // namespace patchbay::app
