// What keeps a configuration without faults from working on this machine: files and programs that
// are missing, certificates that are out of date. Nothing of it prevents the start, since it can be
// mended while the gateway runs.
//
// Plain calls that look at the disk: for the command line and the control thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/configuration.h"
#include "net/tls/certificate_dates.h"

namespace patchbay::app {

// One sentence for each, which begins with the setting.
std::vector<std::string> find_problems(const Configuration& configuration);

// The gateway's own certificates that can be read, by setting: `tls.cert`, `wire.tls.cert`,
// `tls.certificates[0].cert`.
std::map<std::string, net::CertificateDates> own_certificates(const Settings& settings);

}  // namespace patchbay::app
