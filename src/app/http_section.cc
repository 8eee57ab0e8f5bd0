#include "app/http_section.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<app::CorsSection>() {
  static const Fields kFields = fields_of<app::CorsSection>({
      {"origins", &app::CorsSection::origins,
       "Origins of web pages that may read responses, such as https://app.example. `*` allows "
       "all; it requires `auth` and excludes credentials."},
      {"headers", &app::CorsSection::headers,
       "Header fields that pages may send in addition to those of the frontends."},
      {"max_age", &app::CorsSection::max_age, "How long a browser may cache a preflight response.",
       Range{Duration(0), Duration(86'400'000)}},
      {"credentials", &app::CorsSection::credentials,
       "Whether a browser may send credentials, such as a password or a client certificate."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<app::HttpSection>() {
  static const Fields kFields = fields_of<app::HttpSection>({
      {"hosts", &app::HttpSection::hosts,
       "Names allowed in the Host header in addition to localhost, 127.0.0.1 and [::1]."},
      {"origins", &app::HttpSection::origins,
       "Origins of web pages that may send requests, in addition to the request's own Host and "
       "`hosts`."},
      {"cors", &app::HttpSection::cors, "Cross-origin access for web pages (CORS)."},
  });
  return kFields;
}

}  // namespace patchbay
