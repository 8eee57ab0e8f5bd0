#include "config/interpolate.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "config/file.h"
#include "core/environment.h"
#include "json/text.h"

namespace patchbay::config {
namespace {

constexpr std::size_t kMaxValueFile = std::size_t{1} << 20;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_name_part(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The `scheme` of text that begins with `scheme:` and continues like a name or a path; empty
// otherwise. The form of a shell (`${x:-default}`) continues with a sign.
std::string_view source_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {};
  const std::string_view scheme = text.substr(0, colon);
  if (!std::ranges::all_of(scheme, is_lower)) return {};
  if (scheme == "env" || scheme == "file") return scheme;
  const bool goes_on = colon + 1 < text.size() && is_name_part(text[colon + 1]);
  return goes_on ? scheme : std::string_view();
}

// `text` is NAME, or NAME:-DEFAULT.
void from_environment(Interpolated& result, const std::string& text) {
  const std::size_t mark = text.find(":-");
  const std::string name = text.substr(0, mark);
  if (name.empty() || !std::ranges::all_of(name, is_name_part)) {
    result.problems.push_back(fmt::format("\"{}\" cannot be an environment variable", name));
  } else if (const auto value = take_variable(name)) {
    result.text += *value;
  } else if (mark != std::string::npos) {
    result.text += text.substr(mark + 2);
  } else {
    result.problems.push_back(fmt::format("the environment variable {} is not set", name));
  }
}

void from_file(Interpolated& result, const std::string& name, const std::string& folder) {
  const std::string path = std::filesystem::path(folder) / name;
  result.files.push_back(path);
  auto file = read_trusted_file(path, kMaxValueFile);
  if (!file) {
    result.problems.push_back(fmt::format("the file {} {}", path, file.error().message));
    return;
  }
  std::string_view text = *file;
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (!json::is_utf8(text)) {
    result.problems.push_back(fmt::format("the file {} is not UTF-8 text", path));
    return;
  }
  result.text += text;
}

// Replaces the `${source:name}` at the front of `text`; returns its length.
std::size_t replace(Interpolated& result, std::string_view text, std::string_view source,
                    const std::string& folder) {
  const std::size_t end = text.find('}');
  if (end == std::string_view::npos) {
    result.problems.push_back(fmt::format("${{{}: has no closing brace", source));
    return text.size();
  }
  const std::size_t from = 2 + source.size() + 1;
  const std::string name(text.substr(from, end - from));
  if (source == "env") {
    from_environment(result, name);
  } else if (source == "file") {
    from_file(result, name, folder);
  } else {
    result.problems.push_back(fmt::format(
        "\"{}\" is not a source of values: write ${{env:NAME}} or ${{file:PATH}}, or $${{ for a "
        "literal ${{",
        source));
  }
  result.changed = true;
  return end + 1;
}

}  // namespace

Interpolated interpolate(std::string_view text, const std::string& folder) {
  Interpolated result;
  while (!text.empty()) {
    const std::size_t dollar = text.find('$');
    result.text += text.substr(0, dollar);
    if (dollar == std::string_view::npos) break;
    text.remove_prefix(dollar);
    std::string_view source;
    if (text.starts_with("$${")) {
      result.text += "${";
      text.remove_prefix(3);
    } else if (text.starts_with("${") && !(source = source_of(text.substr(2))).empty()) {
      text.remove_prefix(replace(result, text, source, folder));
    } else {
      result.text += '$';
      text.remove_prefix(1);
    }
  }
  return result;
}

}  // namespace patchbay::config
