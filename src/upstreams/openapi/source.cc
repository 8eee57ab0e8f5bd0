#include "upstreams/openapi/source.h"

#include <fmt/format.h>

#include <functional>

#include "config/file.h"
#include "mcp_client/connect/http.h"
#include "net/http/client/pool.h"

namespace patchbay::upstreams {
namespace {

using Text = std::optional<std::string>;

}  // namespace

OpenapiSource::OpenapiSource(const OpenapiSettings& settings, std::optional<net::Url> url,
                             std::shared_ptr<const net::TlsContext> tls, std::string fields)
    : settings_(settings), url_(std::move(url)), tls_(std::move(tls)), fields_(std::move(fields)) {}

Task<Text> OpenapiSource::read(Deadline deadline) {
  if (url_) co_return co_await fetch(deadline);
  auto file = config::read_file(settings_.document, settings_.limits.document.value);
  if (!file) {
    co_return Error{file.error().code,
                    fmt::format("{} {}", settings_.document, file.error().message)};
  }
  Version version{"", "", std::hash<std::string>()(*file)};
  co_return unless_stored(*std::move(file), std::move(version));
}

Text OpenapiSource::unless_stored(std::string text, Version version) {
  if (stored_ && stored_->hash == version.hash) return std::nullopt;
  last_ = std::move(version);
  return text;
}

Task<Text> OpenapiSource::fetch(Deadline deadline) {
  // A document is fetched rarely, so its connection is not reused.
  net::HttpPool pool(*url_, url_->tls ? tls_ : nullptr, pool_settings(settings_));
  std::string fields = fields_ +
                       "Accept: application/json, application/yaml, */*;q=0.5\r\n"
                       "Accept-Encoding: identity\r\nConnection: close\r\n";
  if (stored_ && !stored_->tag.empty()) {
    fields += fmt::format("If-None-Match: {}\r\n", stored_->tag);
  } else if (stored_ && !stored_->modified.empty()) {
    fields += fmt::format("If-Modified-Since: {}\r\n", stored_->modified);
  }
  auto response = co_await pool.request({"GET", url_->path, fields, "", nullptr}, deadline);
  if (!response) co_return response.error();
  const int status = (*response)->status();
  if (status == 304 && stored_) co_return Text();
  if (status != 200) {
    const bool moved = status >= 300 && status <= 399;
    co_return Error{
        Code::upstream_failed,
        fmt::format("HTTP status {}{}", status,
                    moved ? "; redirects are not followed, configure the new URL" : "")};
  }
  Version version{std::string((*response)->field("ETag")),
                  std::string((*response)->field("Last-Modified")), 0};
  auto body = co_await (*response)->read_all(settings_.limits.document.value, deadline);
  if (!body) co_return body.error();
  version.hash = std::hash<std::string>()(*body);
  auto text = unless_stored(*std::move(body), version);
  // The same text with another tag: later requests use that tag.
  if (!text) stored_ = version;
  co_return text;
}

}  // namespace patchbay::upstreams
