// What the configuration says about web pages and names of the HTTP listener. Values only.
#pragma once

#include <string>
#include <vector>

#include "config/fields.h"

namespace patchbay::app {

struct CorsSection {
  std::vector<std::string> origins;
  std::vector<std::string> headers;
  config::Duration max_age{600'000};
  bool credentials = false;
};

struct HttpSection {
  std::vector<std::string> hosts;
  std::vector<std::string> origins;
  CorsSection cors;
};

}  // namespace patchbay::app

namespace patchbay {

template <>
inline constexpr auto config::fields<app::CorsSection> = std::tuple{
    Field{"origins", &app::CorsSection::origins,
          "Origins of web pages that may read responses, such as https://app.example. `*` allows "
          "all; it requires `auth` and excludes credentials."},
    Field{"headers", &app::CorsSection::headers,
          "Header fields that pages may send in addition to those of the front ends."},
    Field{"max_age", &app::CorsSection::max_age,
          "How long a browser may cache a preflight response.",
          Range{Duration(0), Duration(86'400'000)}},
    Field{"credentials", &app::CorsSection::credentials,
          "Whether a browser may send credentials, such as a password or a client certificate."},
};

template <>
inline constexpr auto config::fields<app::HttpSection> = std::tuple{
    Field{"hosts", &app::HttpSection::hosts,
          "Names allowed in the Host header in addition to localhost, 127.0.0.1 and [::1]."},
    Field{"origins", &app::HttpSection::origins,
          "Origins of web pages that may send requests, in addition to the request's own Host and "
          "`hosts`."},
    Field{"cors", &app::HttpSection::cors, "Cross-origin access for web pages (CORS)."},
};

}  // namespace patchbay
