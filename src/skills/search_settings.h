// The settings of the skill `search`.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "config/settings.h"

namespace patchbay {

struct SearchSettings {
  std::vector<std::string> folders;
  std::vector<std::string> endings{".txt", ".md", ".rst", ".adoc", ".org", ".log", ".csv", ".html"};
  int files = 10'000;
  config::Bytes file{1 << 20};
  config::Bytes total{64 << 20};
  int results = 5;
  config::Duration refresh{60'000};
};

template <>
const config::Fields& config::fields<SearchSettings>();

}  // namespace patchbay
