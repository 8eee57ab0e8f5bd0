// The settings of the skill `search`.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "config/fields.h"

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
inline constexpr auto config::fields<SearchSettings> = std::tuple{
    Field{"folders", &SearchSettings::folders,
          "The folders whose files are searched. Absent: there is only the mock search."},
    Field{"endings", &SearchSettings::endings, "How the names of files that are read end."},
    Field{"files", &SearchSettings::files, "The most files in the index.", Range{1, 1'000'000}},
    Field{"file", &SearchSettings::file, "The largest file that is read.",
          Range{Bytes{1}, Bytes{64 << 20}}},
    Field{"total", &SearchSettings::total, "How much text the index holds in memory.",
          Range{Bytes{1024}, Bytes{std::uint64_t{4} << 30}}},
    Field{"results", &SearchSettings::results, "How many results are shown.", Range{1, 100}},
    Field{"refresh", &SearchSettings::refresh,
          "How long after one look at the folders the next one comes; 0: never.",
          Range{Duration(0), Duration(86'400'000)}},
};

}  // namespace patchbay
