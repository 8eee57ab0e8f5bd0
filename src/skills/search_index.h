// A SearchIndex finds text files by their content: an SQLite index (FTS5) in memory, bounded in
// files and text.
//
// Confined to one thread, which the disk may block: never a worker.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/sqlite.h"

namespace patchbay {

struct SearchHit {
  std::string path;
  std::string snippet;  // On one line.
};

class SearchIndex {
 public:
  SearchIndex(std::size_t most_files, std::size_t most_file_bytes, std::size_t most_bytes);

  // Why the index cannot be used; ok if it can.
  Result<void> opened() const { return opened_; }

  // Reads the file if the index does not have its current version. False if it cannot be indexed:
  // it is too large or not text, or the index is full.
  bool take(const std::filesystem::path& path);

  // Removes the files that have not been added since the last call.
  void forget_missing();

  std::size_t files() const { return files_.size(); }

  // The best hits for the terms of `query`: files that have all of them, else some.
  Result<std::vector<SearchHit>> find(std::string_view query, int most);

 private:
  struct File {
    std::int64_t row = 0;
    std::size_t bytes = 0;
    std::filesystem::file_time_type changed;
    bool seen = false;  // Since forget_missing().
  };

  bool add(const std::string& path, const std::string& body, std::int64_t row);
  void remove(std::map<std::string, File>::iterator file);
  Result<std::vector<SearchHit>> match(const std::string& expression, int most);

  const std::size_t most_files_;
  const std::size_t most_file_bytes_;
  const std::size_t most_bytes_;
  sqlite::Database database_;
  Result<void> opened_;
  std::map<std::string, File> files_;  // By path.
  std::size_t bytes_ = 0;
  std::int64_t last_row_ = 0;
};

}  // namespace patchbay
