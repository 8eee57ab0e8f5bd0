// Problems that keep a valid configuration from working on this machine: missing files and
// programs, expired certificates. None of them prevents the start, because they can be solved while
// the gateway runs.
//
// Plain calls that read the disk: for the command line and the control thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/configuration.h"
#include "net/tls/certificate_dates.h"

namespace patchbay::app {

// One sentence for each problem, beginning with the setting.
std::vector<std::string> find_problems(const Configuration& configuration);

// The gateway's own certificates that can be read, by setting: `tls.cert`, `wire.tls.cert`,
// `tls.certificates[0].cert`.
std::map<std::string, net::CertificateDates> own_certificates(const Settings& settings);

}  // namespace patchbay::app
