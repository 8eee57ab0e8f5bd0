#include "store/redis/settings.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "config/fields.h"
#include "net/http/syntax/percent.h"

namespace patchbay {
namespace store {
namespace {

constexpr std::array kSchemes{net::UrlScheme{"redis", false, 6379},
                              net::UrlScheme{"rediss", true, 6379}};
constexpr int kMaxDatabase = 1'000'000;

Result<void> take_user(std::string_view text, RedisAddress& address) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) {
    return Error{Code::invalid_params, "a user needs a password: redis://user:password@host"};
  }
  auto user = net::percent_decode(text.substr(0, colon));
  auto password = net::percent_decode(text.substr(colon + 1));
  if (!user || !password) {
    return Error{Code::invalid_params, "its user or password is not percent-encoded"};
  }
  address.user = *std::move(user);
  address.password = *std::move(password);
  return ok();
}

Result<int> database_of(std::string_view path) {
  if (path == "/") return 0;
  path.remove_prefix(1);
  int number = -1;
  const auto [end, fault] = std::from_chars(path.data(), path.data() + path.size(), number);
  const bool good = fault == std::errc() && end == path.data() + path.size();
  if (good && number >= 0 && number <= kMaxDatabase) return number;
  return Error{Code::invalid_params, "what follows the host is not the number of a database"};
}

}  // namespace

std::string RedisAddress::text() const {
  const bool bracketed = server.host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}", server.tls ? "rediss" : "redis", bracketed ? "[" : "",
                     server.host, bracketed ? "]" : "", server.port);
}

Result<RedisAddress> parse_redis_address(std::string_view url) {
  RedisAddress address;
  std::string plain(url);
  const auto begin = plain.find("://");
  const auto at = plain.rfind('@');
  if (begin != std::string::npos && at != std::string::npos && at > begin) {
    auto taken = take_user(std::string_view(plain).substr(begin + 3, at - begin - 3), address);
    if (!taken) return taken.error();
    plain.erase(begin + 3, at - begin - 2);
  }
  auto server = net::parse_url(plain, kSchemes);
  if (!server) return server.error();
  auto database = database_of(server->path);
  if (!database) return database.error();
  address.server = *std::move(server);
  address.database = *database;
  return address;
}

}  // namespace store

template <>
const config::Fields& config::fields<store::RedisSettings>() {
  static const Fields kFields = fields_of<store::RedisSettings>({
      {"url", &store::RedisSettings::url,
       "Address of the server: redis://user:password@host:port/database, or rediss:// for TLS. "
       "User, password and database may be absent; the port is 6379 unless stated. All gateways "
       "that act as one have the same."},
      {"tls", &store::RedisSettings::tls, "TLS for rediss://."},
      {"connect_timeout", &store::RedisSettings::connect_timeout,
       "Maximum time to connect, with TLS and authentication.",
       Range{Duration(100), Duration(60'000)}},
      {"request_timeout", &store::RedisSettings::request_timeout,
       "How long the server may be silent while requests wait for it. Then the connection is made "
       "anew.",
       Range{Duration(100), Duration(60'000)}},
      {"prefix", &store::RedisSettings::prefix,
       "What the names of all keys on the server begin with, so that several installations can "
       "share one server."},
  });
  return kFields;
}

}  // namespace patchbay
