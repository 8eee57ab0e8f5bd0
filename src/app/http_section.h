// The settings of the HTTP listener about web pages and host names.
//
// Values only.
#pragma once

#include <string>
#include <vector>

#include "config/settings.h"

namespace patchbay::app {

struct CorsSection {
  std::vector<std::string> origins;
  std::vector<std::string> headers;
  config::Duration max_age{600'000};
  bool credentials = false;
};

struct HttpSection {
  std::vector<std::string> hosts;
  std::vector<std::string> origins;
  CorsSection cors;
};

}  // namespace patchbay::app

namespace patchbay {

template <>
const config::Fields& config::fields<app::CorsSection>();

template <>
const config::Fields& config::fields<app::HttpSection>();

}  // namespace patchbay
