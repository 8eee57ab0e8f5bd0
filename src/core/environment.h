// The environment of the process, from which secrets are removed once they have been read. Their
// values stay available here, because a reload and a restarted program need them.
//
// Other programs of the same user can read the block of variables that the kernel gave us; removed
// values are overwritten there. Callable on any thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay {

// The variables that every program inherits from us: paths and locale. Never removed.
inline constexpr std::array<const char*, 10> kUsualVariables{
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TMPDIR", "TZ"};

// The variables that a program needs to reach the network: proxies, and the certificates to trust.
inline constexpr std::array<const char*, 13> kNetworkVariables{
    "HTTP_PROXY",          "HTTPS_PROXY",        "ALL_PROXY",     "NO_PROXY",      "http_proxy",
    "https_proxy",         "all_proxy",          "no_proxy",      "SSL_CERT_FILE", "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"};

// A variable; empty if it is not set.
std::optional<std::string> read_variable(const std::string& name);

// The same for a variable that may be a secret: from now on it can be read only here. Common
// variables, and those that libraries read, are not removed.
std::optional<std::string> take_variable(const std::string& name);

// All variables as NAME=value, including removed values: for a process that replaces this one.
std::vector<std::string> whole_environment();

}  // namespace patchbay
