#include "app/auth_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "config/file.h"
#include "config/read_value.h"
#include "observe/log.h"

namespace patchbay::app {
namespace {

using policy::AuthFiles;
using policy::AuthSettings;
using policy::JwtSettings;

// The name under which /ready lists why the files of `auth` were refused.
constexpr const char* kCredentials = "auth";

Error in(std::string_view setting, std::string_view file, const Error& why) {
  return {why.code, fmt::format("{}: {} {}", setting, file, why.message)};
}

// The parameters of a source of keys for one issuer.
std::string origin_of(const JwtSettings& one) {
  return fmt::format("{}\n{}\n{}\n{} {} {} {} {} {}", one.issuer, one.jwks, one.ca,
                     one.refresh.count(), one.refetch.count(), one.max_stale.count(),
                     one.fetch_time.count(), one.answer.value, one.keys);
}

bool is_resource(const std::string& text) {
  const auto url = net::parse_url(text);
  return url && !text.ends_with('/') && text.find('?') == std::string::npos;
}

// The faults of the issuers; empty if there are none.
std::string fault_of(const JwtSettings& one) {
  if (auto url = jwks_url(one.jwks); !url) return "jwks: " + url.error().message;
  for (const auto& name : one.algorithms) {
    if (!policy::find_algorithm(name)) {
      return fmt::format(
          "algorithms: '{}' is none of RS256, RS384, RS512, PS256, PS384, PS512, "
          "ES256, ES384, ES512, EdDSA",
          name);
    }
  }
  return {};
}

}  // namespace

Result<AuthFiles> read_auth_files(const AuthSettings& settings) {
  AuthFiles files;
  std::error_code ignored;
  if (!settings.token_file.empty() && std::filesystem::exists(settings.token_file, ignored)) {
    auto text = config::read_trusted_file(settings.token_file, policy::TokenTable::kMostBytes);
    if (!text) return in("token_file", settings.token_file, text.error());
    auto table = policy::TokenTable::parse(*text);
    if (!table) return in("token_file", settings.token_file, table.error());
    files.tokens = *std::move(table);
    files.text += *text;
  }
  if (settings.basic) {
    const std::string& path = settings.basic->file;
    auto text = config::read_trusted_file(path, policy::Htpasswd::kMostBytes);
    if (!text) return in("basic.file", path, text.error());
    auto users = policy::Htpasswd::parse(*text);
    if (!users) return in("basic.file", path, users.error());
    files.users = *std::move(users);
    files.text += '\0' + *text;
  }
  return files;
}

void check_auth(const AuthSettings& settings, const config::Node& root, const std::string& file,
                config::Faults& faults) {
  const config::Node* const section = root.find("auth");
  if (!section) return;
  const config::Location at{file, "auth", faults};
  const auto line_of = [&](std::string_view key) {
    const auto* const given = section->find(key);
    return given ? given->line : section->line;
  };
  if (!settings.resource.empty() && !is_resource(settings.resource)) {
    at.member("resource")
        .fault(line_of("resource"),
               "is no URI such as https://gateway.example/mcp, without a slash, "
               "query or fragment at its end");
  }
  if (!settings.jwt.empty() && settings.resource.empty()) {
    at.member("resource")
        .fault(section->line, "is required with jwt: tokens must be made for this gateway");
  }
  for (std::size_t i = 0; i < settings.jwt.size(); ++i) {
    const std::string fault = fault_of(settings.jwt[i]);
    if (!fault.empty()) at.member("jwt").element(i).fault(line_of("jwt"), fault);
    const auto same =
        std::ranges::count(settings.jwt, settings.jwt[i].issuer, &JwtSettings::issuer);
    if (same > 1) at.member("jwt").element(i).fault(line_of("jwt"), "this issuer is there twice");
  }
  auto files = read_auth_files(settings);
  if (!files) {
    at.fault(section->line, files.error().message);
    return;
  }
  auto made = policy::Authenticator::make(settings, *std::move(files), policy::Digester({}), {});
  if (!made) at.fault(section->line, made.error().message);
}

AuthService::AuthService(Executor& control, metrics::Registry& registry, Refusals& refusals,
                         policy::Digester digester, Notify notify)
    : refusals_(refusals),
      digester_(digester),
      notify_(std::move(notify)),
      owner_{control,
             {},
             registry.counter("patchbay_jwks_fetches_total", "Fetches of an issuer's keys.",
                              metrics::labels({{"outcome", "ok"}})),
             registry.counter("patchbay_jwks_fetches_total", "Fetches of an issuer's keys.",
                              metrics::labels({{"outcome", "failed"}}))} {}

Result<void> AuthService::apply(const AuthSettings& settings) {
  if (settings_ == settings) return ok();
  // Watched before they are read, so that no change is missed.
  std::vector<std::string> files;
  if (!settings.token_file.empty()) files.push_back(settings.token_file);
  if (settings.basic) files.push_back(settings.basic->file);
  auto stamps = stamps_of(files);
  auto watch = std::make_unique<net::FileWatch>(files, [this] { on_files_changed(); });
  auto before = std::exchange(settings_, settings);
  auto renewed = renew();
  if (renewed) {
    watch_ = std::move(watch);
    files_ = std::move(files);
    stamps_ = std::move(stamps);
    refusals_.set(kCredentials, {});
  } else {
    settings_ = std::move(before);
  }
  return renewed;
}

Result<void> AuthService::renew() {
  if (!settings_->on()) {
    sources_.clear();
    notify_(nullptr);
    return ok();
  }
  auto files = read_auth_files(*settings_);
  if (!files) return files.error();
  seen_ = digester_.of("files", files->text);
  auto keys = sources(settings_->jwt);
  if (!keys) return keys.error();
  auto made =
      policy::Authenticator::make(*settings_, *std::move(files), digester_, *std::move(keys));
  if (!made) return made.error();
  notify_(*std::move(made));
  return ok();
}

void AuthService::on_files_changed() {
  auto renewed = renew_if_changed();
  std::vector<std::string> reasons;
  if (!renewed) {
    log::Line(log::Level::error, "credentials not reloaded").add("why", renewed.error().message);
    reasons.push_back("auth." + renewed.error().message);
  }
  refusals_.set(kCredentials, std::move(reasons));
}

// An empty file is probably being written, or was truncated by mistake, and a missing one may come
// back. Neither is a reason to revoke access.
Result<void> AuthService::renew_if_changed() {
  auto stamps = stamps_of(files_);
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (stamps_[i].size == 0 || stamps[i].size > 0) continue;
    const bool gone = stamps[i].inode == 0;
    return Error{Code::invalid_params,
                 fmt::format("{}: {} {}; its earlier content stays in use until a restart",
                             files_[i] == settings_->token_file ? "token_file" : "basic.file",
                             files_[i], gone ? "is gone" : "is empty")};
  }
  auto files = read_auth_files(*settings_);
  // The files are being changed right now; the watch will report again.
  if (stamps_of(files_) != stamps) return ok();
  if (files && digester_.of("files", files->text) == seen_) return ok();
  auto renewed = renew();
  if (!renewed) return renewed;
  stamps_ = std::move(stamps);
  log::Line(log::Level::info, "credentials reloaded");
  return ok();
}

Result<std::vector<std::shared_ptr<policy::KeySource>>> AuthService::sources(
    const std::vector<JwtSettings>& issuers) {
  std::vector<std::pair<std::string, std::shared_ptr<JwksSource>>> next;
  std::vector<std::shared_ptr<policy::KeySource>> all;
  for (const auto& issuer : issuers) {
    const std::string origin = origin_of(issuer);
    const auto had = std::ranges::find(sources_, origin, [](const auto& one) { return one.first; });
    if (had != sources_.end()) {
      next.push_back(*had);
    } else {
      auto made = JwksSource::make(owner_, issuer);
      if (!made) return made.error();
      (*made)->keep_fresh();
      next.emplace_back(origin, *std::move(made));
    }
    all.push_back(next.back().second);
  }
  sources_ = std::move(next);
  return all;
}

Task<void> AuthService::stop() {
  watch_.reset();
  owner_.fetches.cancel();
  co_return co_await owner_.fetches.drain(kNever);
}

}  // namespace patchbay::app
