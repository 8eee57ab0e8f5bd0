// The settings of an upstream that is a service with an OpenAPI document.
//
// Values only.
#pragma once

#include <string>
#include <vector>

#include "mcp_client/connect/http_settings.h"

namespace patchbay::upstreams {

enum class GetsAs : std::uint8_t { tools, resources, both };

struct OpenapiSelect {
  std::vector<std::string> tags;
  std::vector<std::string> operations;
  std::vector<std::string> methods{"get", "post", "put", "patch", "delete"};
  bool deprecated = true;
};

struct OpenapiLimits {
  config::Bytes document{16 << 20};
  int values = 1'000'000;
  int operations = 2'000;
  config::Bytes schema{64 << 10};
  config::Bytes definitions{64 << 20};
  config::Bytes head{32 << 10};
};

struct OpenapiSettings : HttpClientSettings {
  std::string document;
  std::string server;
  config::Dict<std::string> variables;
  config::Dict<std::string> credentials;
  OpenapiSelect select;
  GetsAs gets = GetsAs::tools;
  config::Duration timeout{0};
  config::Duration refresh{0};
  config::Duration retry{5'000};
  config::Duration fetch_time{30'000};
  OpenapiLimits limits;
};

}  // namespace patchbay::upstreams

namespace patchbay {

template <>
inline constexpr auto config::choices<upstreams::GetsAs> = std::array{
    Choice{"tools", upstreams::GetsAs::tools},
    Choice{"resources", upstreams::GetsAs::resources},
    Choice{"both", upstreams::GetsAs::both},
};

template <>
const config::Fields& config::fields<upstreams::OpenapiSelect>();

template <>
const config::Fields& config::fields<upstreams::OpenapiLimits>();

template <>
const config::Fields& config::fields<upstreams::OpenapiSettings>();

}  // namespace patchbay
