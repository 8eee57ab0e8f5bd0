#include "app/telemetry_section.h"

#include <fmt/format.h>

#include "config/file.h"

namespace patchbay::app {
namespace {

constexpr std::size_t kLargestCertificates = 1 << 20;

}  // namespace

std::vector<std::string> collector_certificates(const telemetry::OtlpSettings& settings) {
  std::vector<std::string> contents;
  for (const auto& path : {settings.tls.ca, settings.tls.cert}) {
    auto file = path.empty() ? Result<std::string>(std::string())
                             : config::read_file(path, kLargestCertificates);
    contents.push_back(file ? *std::move(file) : "");
  }
  return contents;
}

std::shared_ptr<const telemetry::Collector> read_collector(
    const telemetry::OtlpSettings& settings, const config::Node& root, const std::string& file,
    std::vector<std::string>& files, config::Faults& faults, config::Faults& warnings) {
  if (settings.endpoint.empty()) return nullptr;
  const config::Node* const section = root.find("telemetry");
  const config::Node* const otlp = section ? section->find("otlp") : nullptr;
  const auto line_of = [otlp](std::string_view key) {
    const config::Node* const node = otlp ? otlp->find(key) : nullptr;
    return node ? node->line : otlp ? otlp->line : 0;
  };
  for (const auto& name : {settings.tls.ca, settings.tls.cert, settings.tls.key}) {
    if (!name.empty()) files.push_back(name);
  }
  auto collector = telemetry::make_collector(settings);
  if (!collector) {
    faults.push_back({file, line_of("endpoint"), "telemetry.otlp", collector.error().message});
    return nullptr;
  }
  if ((*collector)->exposes_headers) {
    warnings.push_back({file, line_of("headers"), "telemetry.otlp.headers",
                        fmt::format("are sent to {} in clear text: use https:// if they are "
                                    "credentials",
                                    settings.endpoint)});
  }
  return *std::move(collector);
}

}  // namespace patchbay::app
