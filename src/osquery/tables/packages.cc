#include "osquery/tables/packages.h"

#include "osquery/text.h"

namespace patchbay::osquery {
namespace {

bool same_key(std::string_view line, std::string_view key) {
  if (line.size() <= key.size() || line[key.size()] != ':') return false;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if ((line[i] | 0x20) != (key[i] | 0x20)) return false;
  }
  return true;
}

// The value of `arch=amd64,i386 signed-by=…` for one key.
std::string option(std::string_view options, std::string_view key) {
  while (!options.empty()) {
    std::string_view value = take_field(options);
    if (take_until(value, '=') != key) continue;
    std::string found(value);
    for (char& c : found) {
      if (c == ',') c = ' ';
    }
    return found;
  }
  return {};
}

}  // namespace

std::string Paragraph::operator[](std::string_view key) const {
  std::string value;
  bool inside = false;
  each_line(text_, [&](std::string_view line) {
    const bool further = line.starts_with(' ') || line.starts_with('\t');
    if (!further) inside = same_key(line, key);
    if (!inside) return;
    const auto part = trimmed(further ? line : line.substr(key.size() + 1));
    if (!value.empty() && !part.empty()) value += ' ';
    value += part;
  });
  return value;
}

void each_paragraph(std::string_view text, const std::function<bool(const Paragraph&)>& visit) {
  while (!text.empty()) {
    const auto end = std::min(text.find("\n\n"), text.size());
    const auto one = text.substr(0, end);
    if (!trimmed(one).empty() && !visit(Paragraph(one))) return;
    text.remove_prefix(std::min(end + 2, text.size()));
  }
}

std::string_view debian_revision(std::string_view version) {
  const auto hyphen = version.rfind('-');
  return hyphen == std::string_view::npos ? std::string_view() : version.substr(hyphen + 1);
}

std::vector<AptSource> parse_source_lines(std::string_view text) {
  std::vector<AptSource> sources;
  each_line(text, [&](std::string_view line) {
    line = line.substr(0, line.find('#'));
    if (take_field(line) != "deb") return;
    line = trimmed(line);
    AptSource source;
    if (line.starts_with('[')) {
      line.remove_prefix(1);
      source.architectures = option(take_until(line, ']'), "arch");
    }
    source.uri = take_field(line);
    source.release = take_field(line);
    source.components = trimmed(line);
    if (!source.release.empty()) sources.push_back(std::move(source));
  });
  return sources;
}

std::vector<AptSource> parse_source_paragraphs(std::string_view text) {
  std::vector<AptSource> sources;
  each_paragraph(text, [&](const Paragraph& entry) {
    const std::string types = " " + entry["Types"] + " ";
    if (types.find(" deb ") == std::string::npos || ascii_lower(entry["Enabled"]) == "no")
      return true;
    const std::string all_uris = entry["URIs"];
    const std::string all_releases = entry["Suites"];
    std::string_view uris = all_uris;
    for (auto uri = take_field(uris); !uri.empty(); uri = take_field(uris)) {
      std::string_view releases = all_releases;
      for (auto release = take_field(releases); !release.empty(); release = take_field(releases)) {
        sources.push_back(
            {std::string(uri), std::string(release), entry["Components"], entry["Architectures"]});
      }
    }
    return true;
  });
  return sources;
}

std::string list_name(const AptSource& source, std::string_view file) {
  std::string_view uri = source.uri;
  if (const auto scheme = uri.find("://"); scheme != std::string_view::npos) {
    uri.remove_prefix(scheme + 3);
  }
  while (uri.ends_with('/')) uri.remove_suffix(1);
  std::string name = std::string(uri) + "_dists_" + source.release + "_" + std::string(file);
  for (char& c : name) {
    if (c == '/') c = '_';
  }
  return name;
}

}  // namespace patchbay::osquery
