// Parsers of the files of dpkg and apt. Values only.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::osquery {

// One paragraph of `Key: value` lines, as dpkg and apt write them. Further lines of a value begin
// with a blank.
class Paragraph {
 public:
  explicit Paragraph(std::string_view text) : text_(text) {}

  // The value, its further lines joined by single blanks; empty if there is none.
  std::string operator[](std::string_view key) const;

 private:
  std::string_view text_;
};

// Calls `visit` for each paragraph until it yields false.
void each_paragraph(std::string_view text, const std::function<bool(const Paragraph&)>& visit);

// The revision in a Debian version: after the last hyphen; empty if there is none.
std::string_view debian_revision(std::string_view version);

struct AptSource {
  std::string uri;
  std::string release;
  std::string components;
  std::string architectures;
};

// A file of one-line entries (`deb [options] uri release components…`), and one of paragraphs.
// Sources of source code are left out.
std::vector<AptSource> parse_source_lines(std::string_view text);
std::vector<AptSource> parse_source_paragraphs(std::string_view text);

// The name of the file in which apt stores the index of a release.
std::string list_name(const AptSource& source, std::string_view file);

}  // namespace patchbay::osquery
