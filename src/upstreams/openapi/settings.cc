#include "upstreams/openapi/settings.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<upstreams::OpenapiSelect>() {
  static const Fields kFields = fields_of<upstreams::OpenapiSelect>({
      {"tags", &upstreams::OpenapiSelect::tags,
       "Patterns (`*`, `?`) of tags. Operations with none of them are left out. Empty: all tags."},
      {"operations", &upstreams::OpenapiSelect::operations,
       "Patterns of operations, by `operationId` or as `GET /pets/*`. Other operations are left "
       "out. Empty: all operations."},
      {"methods", &upstreams::OpenapiSelect::methods,
       "HTTP methods whose operations are offered: get, head, post, put, patch, delete, options."},
      {"deprecated", &upstreams::OpenapiSelect::deprecated,
       "Whether deprecated operations are offered."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<upstreams::OpenapiLimits>() {
  static const Fields kFields = fields_of<upstreams::OpenapiLimits>({
      {"max_document_size", &upstreams::OpenapiLimits::document, "Maximum size of the document.",
       Range{Bytes{1024}, Bytes{256 << 20}}, Alias{"document"}},
      {"max_values", &upstreams::OpenapiLimits::values, "Maximum number of values in the document.",
       Range{100, 10'000'000}, Alias{"values"}},
      {"max_operations", &upstreams::OpenapiLimits::operations,
       "Maximum number of operations offered. Further ones are left out.", Range{1, 100'000},
       Alias{"operations"}},
      {"max_schema_size", &upstreams::OpenapiLimits::schema,
       "Maximum size of the schema of one tool's arguments or results. A larger one is omitted.",
       Range{Bytes{1024}, Bytes{16 << 20}}, Alias{"schema"}},
      {"max_definitions_size", &upstreams::OpenapiLimits::definitions,
       "Maximum total size of all tool definitions. Further tools are left out.",
       Range{Bytes{64 << 10}, Bytes{1 << 30}}, Alias{"definitions"}},
      {"max_head_size", &upstreams::OpenapiLimits::head,
       "Maximum size of the URL and header fields of a request.",
       Range{Bytes{1024}, Bytes{1 << 20}}, Alias{"head"}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<upstreams::OpenapiSettings>() {
  static const Fields kFields = join(
      {fields_of<upstreams::OpenapiSettings>({
           {"document", &upstreams::OpenapiSettings::document,
            "OpenAPI document, 3.0 or 3.1, JSON or YAML: a file, or a URL.", Required{}},
           {"server", &upstreams::OpenapiSettings::server,
            "URL of the service, instead of the one in the document."},
           {"variables", &upstreams::OpenapiSettings::variables,
            "Values of the server variables in the document."},
           {"credentials", &upstreams::OpenapiSettings::credentials,
            "Credentials by security scheme: the key, the token, or `user:password`."},
           {"select", &upstreams::OpenapiSettings::select, "Operations to offer."},
           {"gets", &upstreams::OpenapiSettings::gets,
            "What GET operations are offered as: tools, resources, or both. Those that cannot be "
            "resources stay tools."},
           {"timeout", &upstreams::OpenapiSettings::timeout,
            "Maximum duration of a call to this upstream. 0: limits.call_timeout. At most "
            "limits.max_call_timeout.",
            Range{Duration(0), Duration(86'400'000)}},
           {"refresh_interval", &upstreams::OpenapiSettings::refresh,
            "Interval at which the document is read again. 0: when the file changes, and on "
            "reload.",
            Range{Duration(0), Duration(86'400'000)}, Alias{"refresh"}},
           {"retry_interval", &upstreams::OpenapiSettings::retry,
            "Wait before a document that could not be read is tried again.",
            Range{Duration(100), Duration(3'600'000)}, Alias{"retry"}},
           {"fetch_timeout", &upstreams::OpenapiSettings::fetch_time,
            "Maximum duration of a fetch of the document.", Range{Duration(100), Duration(600'000)},
            Alias{"fetch_time"}},
           {"limits", &upstreams::OpenapiSettings::limits, "Limits of the document."},
       }),
       inherited<upstreams::OpenapiSettings, upstreams::HttpClientSettings>()});
  return kFields;
}

}  // namespace patchbay
