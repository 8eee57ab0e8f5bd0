#include "telemetry/otlp_resource.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/version.h"

namespace patchbay::telemetry {
namespace {

constexpr std::string_view kProgram = "patchbay";

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return {};
  return name.data();
}

template <class Writer>
void put_scope_into(Writer& out) {
  const auto scope = [&] {
    out.text(otlp::kScopeName, kProgram);
    out.text(otlp::kScopeVersion, kVersion);
  };
  out.message(otlp::kScope, scope);
}

}  // namespace

Resource make_resource(const Settings& settings, const std::string& instance) {
  Resource resource;
  resource.process_id = ::getpid();
  resource.texts = {
      {"service.name", settings.service_name}, {"service.version", std::string(kVersion)},
      {"service.instance.id", instance},       {"telemetry.sdk.name", std::string(kProgram)},
      {"telemetry.sdk.language", "cpp"},       {"telemetry.sdk.version", std::string(kVersion)}};
  if (auto host = host_name(); !host.empty()) {
    resource.texts.emplace_back("host.name", std::move(host));
  }
  for (const auto& [key, value] : settings.resource) {
    if (key == otlp::kProcessId) resource.process_id = 0;
    const auto same =
        std::ranges::find(resource.texts, key, [](const auto& one) { return one.first; });
    if (same != resource.texts.end()) {
      same->second = value;
    } else {
      resource.texts.emplace_back(key, value);
    }
  }
  return resource;
}

void put_scope(ProtobufWriter& out) { put_scope_into(out); }
void put_scope(OtlpJsonWriter& out) { put_scope_into(out); }

}  // namespace patchbay::telemetry
