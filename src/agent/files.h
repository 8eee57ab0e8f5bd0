// The requests about files, each a function from parameters to the raw JSON of the result. They
// block on the disk.
//
// Callable on any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "agent/output.h"
#include "agent/tree.h"

namespace patchbay::agent {

struct ReadRequest {
  std::string path;
  Encoding encoding = Encoding::utf8;
  bool extended = false;  // Includes size and end of file.
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};
Result<std::string> read_file(const Tree& tree, const ReadRequest& request, std::uint64_t most);

struct WriteRequest {
  std::string path;
  std::string content;
  bool append = false;
  bool create_only = false;
  std::optional<std::uint64_t> offset;  // Writes into the file instead of replacing it.
  std::optional<std::uint64_t> mode;
};
Result<std::string> write_file(const Tree& tree, const WriteRequest& request);

struct ListRequest {
  std::string path;
  bool details = false;
};
Result<std::string> list_dir(const Tree& tree, const ListRequest& request, std::uint64_t most);

Result<std::string> stat_path(const Tree& tree, const std::string& path, bool follow);
Result<std::string> make_folder(const Tree& tree, const std::string& path, bool parents);
Result<std::string> remove_path(const Tree& tree, const std::string& path, bool recursive);
Result<std::string> move_path(const Tree& tree, const std::string& from, const std::string& to,
                              bool overwrite);

}  // namespace patchbay::agent
