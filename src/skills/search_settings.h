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
          "Folders whose files are searched. Absent: only the mock search is offered."},
    Field{"endings", &SearchSettings::endings, "File name extensions of the files to index."},
    Field{"max_files", &SearchSettings::files, "Maximum number of files in the index.",
          Range{1, 1'000'000}, Alias{"files"}},
    Field{"max_file_size", &SearchSettings::file, "Maximum size of an indexed file.",
          Range{Bytes{1}, Bytes{64 << 20}}, Alias{"file"}},
    Field{"max_total_size", &SearchSettings::total, "Maximum size of the indexed text in memory.",
          Range{Bytes{1024}, Bytes{std::uint64_t{4} << 30}}, Alias{"total"}},
    Field{"max_results", &SearchSettings::results, "Maximum number of results returned.",
          Range{1, 100}, Alias{"results"}},
    Field{"refresh_interval", &SearchSettings::refresh,
          "Interval between scans of the folders. 0: never.",
          Range{Duration(0), Duration(86'400'000)}, Alias{"refresh"}},
};

}  // namespace patchbay
