#include "skills/search_settings.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<SearchSettings>() {
  static const Fields kFields = fields_of<SearchSettings>({
      {"folders", &SearchSettings::folders,
       "Folders whose files are searched. Absent: only the mock search is offered."},
      {"endings", &SearchSettings::endings, "File name extensions of the files to index."},
      {"max_files", &SearchSettings::files, "Maximum number of files in the index.",
       Range{1, 1'000'000}, Alias{"files"}},
      {"max_file_size", &SearchSettings::file, "Maximum size of an indexed file.",
       Range{Bytes{1}, Bytes{64 << 20}}, Alias{"file"}},
      {"max_total_size", &SearchSettings::total, "Maximum size of the indexed text in memory.",
       Range{Bytes{1024}, Bytes{std::uint64_t{4} << 30}}, Alias{"total"}},
      {"max_results", &SearchSettings::results, "Maximum number of results returned.",
       Range{1, 100}, Alias{"results"}},
      {"refresh_interval", &SearchSettings::refresh,
       "Interval between scans of the folders. 0: never.", Range{Duration(0), Duration(86'400'000)},
       Alias{"refresh"}},
  });
  return kFields;
}

}  // namespace patchbay
