#include "frontends/console/pages.h"

#include <fmt/format.h>

#include <string>

#include "core/text.h"
#include "frontends/console/assets.h"
#include "net/http/syntax/conditions.h"

namespace patchbay::frontends {

// Scripts, styles and requests only from and to ourselves, nothing inline, and no page around ours.
constexpr std::string_view kConsoleFields =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src "
    "'self' data: blob:; media-src 'self' data: blob:; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n";

namespace {

constexpr std::string_view kFolder = "/console/";
constexpr std::string_view kApi = "api/";
constexpr std::string_view kIndex = "index.html";
constexpr std::string_view kHtml = "text/html";

constexpr std::string_view kMissing = R"(<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Patchbay</title></head>
<body><p>The console is not in this build: npm could not be reached when it was made. Run <code>npm ci</code> and
<code>npm run build</code> in <code>web/console/</code>, and build again.</p></body>
</html>
)";

// True if a coding of that name is accepted, with a weight above 0 if it has one.
bool accepts_gzip(const net::HttpFields& fields) {
  std::string_view rest = fields.find("Accept-Encoding").value_or("");
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    const auto one = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto semicolon = std::min(one.find(';'), one.size());
    if (ascii_lower(trimmed(one.substr(0, semicolon))) != "gzip") continue;
    const auto weight = one.substr(semicolon);
    return weight.find_first_of("123456789") != std::string_view::npos || weight.empty();
  }
  return false;
}

// A browser that follows a link or an address that somebody typed.
bool wants_page(const net::HttpRequest& request) {
  const bool reads = request.method == "GET" || request.method == "HEAD";
  const auto accept = request.fields.find("Accept");
  return reads && accept && accept->find(kHtml) != std::string_view::npos;
}

Task<void> redirect(net::HttpExchange& exchange) {
  co_return co_await exchange.answer(302, "", {},
                                     "Location: /console/\r\nCache-Control: no-store\r\n"
                                     "Vary: Accept\r\n");
}

Task<void> send(net::HttpExchange& exchange, const ConsoleAsset& asset) {
  const bool packed = !asset.gzip.empty() && accepts_gzip(exchange.request.fields);
  // The two forms are different representations.
  const std::string etag = fmt::format("\"{}{}\"", asset.etag, packed ? "-gzip" : "");
  const std::string fields =
      fmt::format("ETag: {}\r\nCache-Control: {}\r\n{}{}{}", etag,
                  asset.is_immutable() ? "public, max-age=31536000, immutable" : "no-cache",
                  asset.gzip.empty() ? "" : "Vary: Accept-Encoding\r\n",
                  packed ? "Content-Encoding: gzip\r\n" : "", kConsoleFields);
  if (net::has_already(exchange.request.fields, etag)) {
    co_return co_await exchange.answer(304, asset.type, {}, fields);
  }
  co_return co_await exchange.answer(200, asset.type, {packed ? asset.gzip : asset.content},
                                     fields);
}

}  // namespace

Task<void> ConsolePages::handle(net::HttpExchange& exchange) {
  if (!is_served()) co_return co_await authenticator_.answer_nothing(exchange);
  std::string_view name = exchange.request.path;
  if (!name.starts_with(kFolder)) co_return co_await redirect(exchange);
  name.remove_prefix(kFolder.size());
  const bool is_view = name.find('.') == std::string_view::npos && !name.starts_with(kApi);
  if (is_view) name = kIndex;
  if (const auto* const asset = find_console_asset(name)) {
    co_return co_await send(exchange, *asset);
  }
  const bool missing = name == kIndex;
  const std::string fields = fmt::format("Cache-Control: no-store\r\n{}", kConsoleFields);
  const std::string_view text = missing ? kMissing : "There is no such file in the console.\n";
  const std::string_view type = missing ? "text/html; charset=utf-8" : "text/plain; charset=utf-8";
  co_return co_await exchange.answer(404, type, {text}, fields);
}

Task<void> ConsoleEntrance::handle(net::HttpExchange& exchange) {
  if (pages_.is_served() && wants_page(exchange.request)) co_return co_await redirect(exchange);
  co_return co_await authenticator_.answer_nothing(exchange);
}

}  // namespace patchbay::frontends
