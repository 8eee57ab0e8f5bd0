#include "app/problems.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <filesystem>

#include "config/trust.h"

namespace patchbay::app {
namespace {

void add_certificates(std::string_view section, const TlsSection& tls,
                      std::map<std::string, net::CertificateDates>& found) {
  const auto add = [&](std::string setting, const std::string& file) {
    if (auto dates = net::certificate_dates(file)) found.emplace(std::move(setting), *dates);
  };
  add(fmt::format("{}.cert", section), tls.cert);
  for (std::size_t i = 0; i < tls.certificates.size(); ++i) {
    add(fmt::format("{}.certificates[{}].cert", section, i), tls.certificates[i].cert);
  }
}

// Pins decide which tools can be called, and tokens are secrets: who can replace their files has
// both.
void add_state(const std::string& folder, std::vector<std::string>& problems) {
  constexpr int kMostFiles = 100;
  std::error_code fault;
  std::filesystem::directory_iterator at(folder, fault);
  for (int i = 0; !fault && i < kMostFiles && at != std::filesystem::directory_iterator(); ++i) {
    const std::string file = at->path().string();
    if (const auto why = config::untrusted_writers(file); !why.empty()) {
      return problems.push_back(fmt::format("state: {} {}", file, why));
    }
    at.increment(fault);
  }
}

}  // namespace

std::map<std::string, net::CertificateDates> own_certificates(const Settings& settings) {
  std::map<std::string, net::CertificateDates> found;
  if (settings.tls) add_certificates("tls", *settings.tls, found);
  if (settings.wire && settings.wire->tls) add_certificates("wire.tls", *settings.wire->tls, found);
  return found;
}

std::vector<std::string> find_problems(const Configuration& configuration) {
  const Settings& settings = configuration.settings;
  std::vector<std::string> problems;
  std::error_code ignored;
  const std::string& tokens = settings.auth.token_file;
  if (!tokens.empty() && !std::filesystem::exists(tokens, ignored)) {
    problems.push_back(fmt::format(
        "auth.token_file: {} does not exist, so no token of it is accepted; `patchbay token "
        "create` makes it",
        tokens));
  }
  const auto now = std::chrono::system_clock::now();
  for (const auto& [setting, dates] : own_certificates(settings)) {
    if (now >= dates.until) {
      problems.push_back(
          fmt::format("{}: the certificate expired on {:%F %T} UTC", setting, dates.until));
    } else if (now < dates.from) {
      problems.push_back(
          fmt::format("{}: the certificate is not valid before {:%F %T} UTC", setting, dates.from));
    }
  }
  if (const auto folder = state_folder(settings); !folder.empty()) add_state(folder, problems);
  for (const auto& plan : configuration.upstreams) {
    if (!plan.examine) continue;
    auto good = plan.examine();
    if (!good) problems.push_back(fmt::format("{}: {}", plan.path, good.error().message));
  }
  return problems;
}

}  // namespace patchbay::app
