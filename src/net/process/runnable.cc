#include "net/process/runnable.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/text.h"
#include "net/io/fd.h"

namespace patchbay::net {
namespace {

// The part of a script's first line that the kernel reads.
constexpr std::size_t kMostOfLine = 255;

std::string first_line(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, kMostOfLine> bytes{};
  const auto count = file ? ::read(file.get(), bytes.data(), bytes.size()) : 0;
  if (count <= 0) return {};
  const std::string_view text(bytes.data(), static_cast<std::size_t>(count));
  return std::string(text.substr(0, text.find('\n')));
}

std::string_view take(std::string_view& line) {
  line = trimmed(line);
  const auto end = std::min(line.find_first_of(" \t"), line.size());
  const auto part = line.substr(0, end);
  line.remove_prefix(end);
  return part;
}

}  // namespace

Result<void> check_folder(const Program& program) {
  std::error_code failed;
  if (!program.cwd.empty() && !std::filesystem::is_directory(program.cwd, failed)) {
    return Error{Code::unavailable,
                 fmt::format("cannot run {} in {}: {}", program.command, program.cwd,
                             failed ? failed.message() : "it is not a folder")};
  }
  return ok();
}

Result<void> check_runnable(const Program& program) {
  auto path = find_program(program);
  if (!path) return path.error();
  const std::string line = first_line(*path);
  if (!line.starts_with("#!")) return ok();
  std::string_view rest = std::string_view(line).substr(2);
  const std::string interpreter(take(rest));
  if (::access(interpreter.c_str(), X_OK) != 0) {
    return Error{Code::unavailable, fmt::format("cannot run {}: its interpreter {}: {}", *path,
                                                interpreter, std::strerror(errno))};
  }
  if (!interpreter.ends_with("/env")) return ok();
  std::string_view name = take(rest);
  if (name == "-S") name = take(rest);
  if (name.empty() || name.starts_with('-') || name.contains('=')) return ok();
  auto found = find_program({std::string(name), {}, program.environment, program.cwd});
  if (found) return ok();
  return Error{Code::unavailable,
               fmt::format("cannot run {}: its interpreter: {}", *path, found.error().message)};
}

}  // namespace patchbay::net
