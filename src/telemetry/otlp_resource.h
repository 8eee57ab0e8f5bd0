// The sender of exported data: the resource, and the name and version of the program as the scope.
//
// Values; the encoders use it on the thread of the exporter.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "telemetry/otlp_writer.h"
#include "telemetry/settings.h"

namespace patchbay::telemetry {

struct Resource {
  std::vector<std::pair<std::string, std::string>> texts;
  std::int64_t process_id = 0;  // 0: the settings have it as text.
};

// `instance` distinguishes processes of the same service. Attributes of the settings replace those
// of the same name.
Resource make_resource(const Settings& settings, const std::string& instance);

// Field names that the requests of all signals share.
namespace otlp {
inline constexpr OtlpField kResource{1, "resource"};
inline constexpr OtlpField kScope{1, "scope"};
inline constexpr OtlpField kAttributes{1, "attributes"};
inline constexpr OtlpField kScopeName{1, "name"};
inline constexpr OtlpField kScopeVersion{2, "version"};
inline constexpr std::string_view kProcessId = "process.pid";
}  // namespace otlp

// The three levels around the data of a request: one resource, and one scope in it. The names are
// those of the signal; `write` writes the list of data.
struct OtlpLevels {
  OtlpField of_resource;  // "resourceSpans"
  OtlpField of_scope;     // "scopeSpans"
};

template <class Writer>
void put_resource(Writer& out, const Resource& resource) {
  const auto attributes = [&] {
    for (const auto& [key, value] : resource.texts) {
      out.attribute(otlp::kAttributes, key, std::string_view(value));
    }
    if (resource.process_id == 0) return;
    out.attribute(otlp::kAttributes, otlp::kProcessId, resource.process_id);
  };
  out.message(otlp::kResource, [&] { out.list(otlp::kAttributes, attributes); });
}

void put_scope(ProtobufWriter& out);
void put_scope(OtlpJsonWriter& out);

template <class Writer, class Write>
void put_request(Writer& out, const OtlpLevels& levels, const Resource& resource, Write write) {
  const auto scope = [&] {
    put_scope(out);
    write();
  };
  const auto scopes = [&] { out.element(levels.of_scope, scope); };
  const auto of_resource = [&] {
    put_resource(out, resource);
    out.list(levels.of_scope, scopes);
  };
  const auto resources = [&] { out.element(levels.of_resource, of_resource); };
  out.document([&] { out.list(levels.of_resource, resources); });
}

}  // namespace patchbay::telemetry
