// The validity period of a certificate.
//
// Plain calls that read a file: not for workers.
#pragma once

#include <chrono>
#include <string>

#include "core/result.h"

namespace patchbay::net {

struct CertificateDates {
  std::chrono::sys_seconds from;
  std::chrono::sys_seconds until;
};

// Of the first certificate in a PEM file.
Result<CertificateDates> certificate_dates(const std::string& file);

}  // namespace patchbay::net
