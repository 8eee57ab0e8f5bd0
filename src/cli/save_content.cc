#include "cli/save_content.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "app/write_file.h"
#include "cli/terminal.h"
#include "core/base64.h"
#include "json/read.h"

namespace patchbay::app {
namespace {

// A member of the piece, or of the resource inside it.
std::optional<std::string> member_of(std::string_view piece, std::string_view key) {
  if (auto found = json::string_member(piece, key)) return found;
  const auto resource = json::member(piece, "resource");
  return resource ? json::string_member(*resource, key) : std::nullopt;
}

Result<std::vector<std::string>> decoded(const std::vector<std::string_view>& pieces) {
  std::vector<std::string> all;
  for (const auto piece : pieces) {
    auto encoded = member_of(piece, "data");
    if (!encoded) encoded = member_of(piece, "blob");
    if (!encoded) continue;
    auto bytes = base64_decode(*encoded);
    if (!bytes) return Error{Code::upstream_failed, "the server sent content that is not base64"};
    all.push_back(*std::move(bytes));
  }
  return all;
}

std::string numbered(const std::string& file, std::size_t number) {
  if (number == 1) return file;
  const std::filesystem::path path(file);
  const auto name = fmt::format("{}-{}{}", path.stem().string(), number, path.extension().string());
  return (path.parent_path() / name).string();
}

}  // namespace

std::vector<std::string_view> content_of(std::string_view result) {
  std::vector<std::string_view> pieces;
  for (const std::string_view key : {"content", "contents"}) {
    json::each_element(json::member(result, key).value_or("[]"),
                       [&](std::string_view piece) { pieces.push_back(piece); });
  }
  return pieces;
}

Result<std::vector<std::string>> save_content(const std::vector<std::string_view>& pieces,
                                              const std::string& file) {
  auto contents = decoded(pieces);
  if (!contents) return contents.error();
  std::string text;
  for (const auto piece : pieces) {
    const auto found = member_of(piece, "text");
    if (found) text += (text.empty() ? "" : "\n") + *found;
  }
  if (contents->empty() && !text.empty()) contents->push_back(text + "\n");
  if (contents->empty()) return Error{Code::not_found, "the result has nothing to write"};
  std::vector<std::string> names;
  if (file == "-") {
    for (const auto& bytes : *contents) print_raw(bytes);
    return names;
  }
  for (const auto& bytes : *contents) {
    names.push_back(numbered(file, names.size() + 1));
    auto written = replace_file(names.back(), bytes, kAnyMode);
    if (!written) return written.error();
  }
  return names;
}

}  // namespace patchbay::app
