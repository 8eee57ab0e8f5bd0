// A LineReader takes lines off a byte stream, one at a time, in bounded memory: a line that is too
// long is dropped and reported as such.
//
// Confined to the thread of its source.
#pragma once

#include <string>
#include <string_view>

#include "net/io/source.h"

namespace patchbay::agent {

class LineReader {
 public:
  // REQUIRES: `in` outlives the reader.
  LineReader(net::Source& in, std::size_t longest) : in_(in), longest_(longest) {}

  struct Line {
    std::string_view text;  // Without surrounding white space. Valid until the next call.
    bool too_long = false;
    char first = '\0';  // The first byte of its text, also of one that is too long.
  };

  // The next line that is not empty. Text before the end of the stream counts as a line even
  // without a line break. Code::unavailable at the end.
  Task<Line> next();

 private:
  Task<void> read_more();
  bool take_line(Line& line);
  bool take_rest(Line& line);

  net::Source& in_;
  const std::size_t longest_;
  std::string buffer_;
  std::size_t used_ = 0;       // Bytes at the front that have been consumed.
  std::size_t searched_ = 0;   // There is no line break before this offset.
  std::size_t in_a_row_ = 0;   // Bytes read since other tasks had their turn.
  bool skipping_ = false;      // In a line that is too long,
  char skipped_first_ = '\0';  // which begins with this.
  bool ended_ = false;
};

}  // namespace patchbay::agent
