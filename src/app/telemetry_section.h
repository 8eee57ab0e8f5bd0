// The export destination of the section `telemetry`.
//
// Pure, except that it reads TLS files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/load.h"
#include "config/node.h"
#include "telemetry/collector.h"

namespace patchbay::app {

// The collector that the section names; null if it names none. Unusable values are faults;
// credentials that would be sent unencrypted are a warning. `file` is the configuration file, for
// messages. TLS files are added to `files`.
std::shared_ptr<const telemetry::Collector> read_collector(
    const telemetry::OtlpSettings& settings, const config::Node& root, const std::string& file,
    std::vector<std::string>& files, config::Faults& faults, config::Faults& warnings);

// The contents of the certificates that the section names, so that a renewed one counts as a
// change.
std::vector<std::string> collector_certificates(const telemetry::OtlpSettings& settings);

}  // namespace patchbay::app
