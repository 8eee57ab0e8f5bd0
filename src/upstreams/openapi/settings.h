// The settings of an upstream that is a service with an OpenAPI document.
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
inline constexpr auto config::fields<upstreams::OpenapiSelect> = std::tuple{
    Field{"tags", &upstreams::OpenapiSelect::tags,
          "Patterns (`*`, `?`) of tags: operations with none of them are left out. Empty: tags do "
          "not matter."},
    Field{"operations", &upstreams::OpenapiSelect::operations,
          "Patterns of operations, by `operationId` or as `GET /pets/*`: others are left out. "
          "Empty: all."},
    Field{
        "methods", &upstreams::OpenapiSelect::methods,
        "The methods whose operations are offered: get, head, post, put, patch, delete, options."},
    Field{"deprecated", &upstreams::OpenapiSelect::deprecated,
          "Whether operations that the document calls deprecated are offered."},
};

template <>
inline constexpr auto config::fields<upstreams::OpenapiLimits> = std::tuple{
    Field{"document", &upstreams::OpenapiLimits::document, "The largest document.",
          Range{Bytes{1024}, Bytes{256 << 20}}},
    Field{"values", &upstreams::OpenapiLimits::values, "The most values in a document.",
          Range{100, 10'000'000}},
    Field{"operations", &upstreams::OpenapiLimits::operations,
          "The most operations that are offered; further ones are left out.", Range{1, 100'000}},
    Field{"schema", &upstreams::OpenapiLimits::schema,
          "The largest schema of one tool's arguments or results; what would be larger is not "
          "described.",
          Range{Bytes{1024}, Bytes{16 << 20}}},
    Field{"definitions", &upstreams::OpenapiLimits::definitions,
          "What the descriptions of all its tools may come to; further tools are left out.",
          Range{Bytes{64 << 10}, Bytes{1 << 30}}},
    Field{"head", &upstreams::OpenapiLimits::head,
          "The longest URL and header lines that a call may be made into.",
          Range{Bytes{1024}, Bytes{1 << 20}}},
};

template <>
inline constexpr auto config::fields<upstreams::OpenapiSettings> = std::tuple_cat(
    std::tuple{
        Field{"document", &upstreams::OpenapiSettings::document,
              "The OpenAPI document, 3.0 or 3.1, JSON or YAML: a file, or a URL.", Required{}},
        Field{"server", &upstreams::OpenapiSettings::server,
              "Where the service is, in place of what the document says."},
        Field{"variables", &upstreams::OpenapiSettings::variables,
              "Values for the variables of the document's server."},
        Field{"credentials", &upstreams::OpenapiSettings::credentials,
              "By the name of a security scheme: the key, the token, or `user:password`."},
        Field{"select", &upstreams::OpenapiSettings::select, "Which operations are offered."},
        Field{
            "gets", &upstreams::OpenapiSettings::gets,
            "What operations with GET are offered as. Those that cannot be resources stay tools."},
        Field{"timeout", &upstreams::OpenapiSettings::timeout,
              "The longest a call to it may take; 0: limits.call.",
              Range{Duration(0), Duration(86'400'000)}},
        Field{"refresh", &upstreams::OpenapiSettings::refresh,
              "How often the document is read again; 0: when a file changes, and on reload.",
              Range{Duration(0), Duration(86'400'000)}},
        Field{"retry", &upstreams::OpenapiSettings::retry,
              "How long after it could not be read it is tried again.",
              Range{Duration(100), Duration(3'600'000)}},
        Field{"fetch_time", &upstreams::OpenapiSettings::fetch_time,
              "How long fetching the document may take.", Range{Duration(100), Duration(600'000)}},
        Field{"limits", &upstreams::OpenapiSettings::limits, "What a document may cost."},
    },
    upstreams::kHttpClientFields);

}  // namespace patchbay
