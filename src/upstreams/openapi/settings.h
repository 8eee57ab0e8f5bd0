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
    Field{
        "tags", &upstreams::OpenapiSelect::tags,
        "Patterns (`*`, `?`) of tags. Operations with none of them are left out. Empty: all tags."},
    Field{"operations", &upstreams::OpenapiSelect::operations,
          "Patterns of operations, by `operationId` or as `GET /pets/*`. Other operations are left "
          "out. Empty: all operations."},
    Field{
        "methods", &upstreams::OpenapiSelect::methods,
        "HTTP methods whose operations are offered: get, head, post, put, patch, delete, options."},
    Field{"deprecated", &upstreams::OpenapiSelect::deprecated,
          "Whether deprecated operations are offered."},
};

template <>
inline constexpr auto config::fields<upstreams::OpenapiLimits> = std::tuple{
    Field{"max_document_size", &upstreams::OpenapiLimits::document, "Maximum size of the document.",
          Range{Bytes{1024}, Bytes{256 << 20}}, Alias{"document"}},
    Field{"max_values", &upstreams::OpenapiLimits::values,
          "Maximum number of values in the document.", Range{100, 10'000'000}, Alias{"values"}},
    Field{"max_operations", &upstreams::OpenapiLimits::operations,
          "Maximum number of operations offered. Further ones are left out.", Range{1, 100'000},
          Alias{"operations"}},
    Field{"max_schema_size", &upstreams::OpenapiLimits::schema,
          "Maximum size of the schema of one tool's arguments or results. A larger one is omitted.",
          Range{Bytes{1024}, Bytes{16 << 20}}, Alias{"schema"}},
    Field{"max_definitions_size", &upstreams::OpenapiLimits::definitions,
          "Maximum total size of all tool definitions. Further tools are left out.",
          Range{Bytes{64 << 10}, Bytes{1 << 30}}, Alias{"definitions"}},
    Field{"max_head_size", &upstreams::OpenapiLimits::head,
          "Maximum size of the URL and header fields of a request.",
          Range{Bytes{1024}, Bytes{1 << 20}}, Alias{"head"}},
};

template <>
inline constexpr auto config::fields<upstreams::OpenapiSettings> = std::tuple_cat(
    std::tuple{
        Field{"document", &upstreams::OpenapiSettings::document,
              "OpenAPI document, 3.0 or 3.1, JSON or YAML: a file, or a URL.", Required{}},
        Field{"server", &upstreams::OpenapiSettings::server,
              "URL of the service, instead of the one in the document."},
        Field{"variables", &upstreams::OpenapiSettings::variables,
              "Values of the server variables in the document."},
        Field{"credentials", &upstreams::OpenapiSettings::credentials,
              "Credentials by security scheme: the key, the token, or `user:password`."},
        Field{"select", &upstreams::OpenapiSettings::select, "Operations to offer."},
        Field{"gets", &upstreams::OpenapiSettings::gets,
              "What GET operations are offered as: tools, resources, or both. Those that cannot be "
              "resources stay tools."},
        Field{"timeout", &upstreams::OpenapiSettings::timeout,
              "Maximum duration of a call to this upstream. 0: limits.call_timeout. At most "
              "limits.max_call_timeout.",
              Range{Duration(0), Duration(86'400'000)}},
        Field{"refresh_interval", &upstreams::OpenapiSettings::refresh,
              "Interval at which the document is read again. 0: when the file changes, and on "
              "reload.",
              Range{Duration(0), Duration(86'400'000)}, Alias{"refresh"}},
        Field{"retry_interval", &upstreams::OpenapiSettings::retry,
              "Wait before a document that could not be read is tried again.",
              Range{Duration(100), Duration(3'600'000)}, Alias{"retry"}},
        Field{"fetch_timeout", &upstreams::OpenapiSettings::fetch_time,
              "Maximum duration of a fetch of the document.",
              Range{Duration(100), Duration(600'000)}, Alias{"fetch_time"}},
        Field{"limits", &upstreams::OpenapiSettings::limits, "Limits of the document."},
    },
    upstreams::kHttpClientFields);

}  // namespace patchbay
