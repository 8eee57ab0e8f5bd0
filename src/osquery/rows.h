// A RowWriter turns the rows of an answer into the text of a tool result, in one of two forms. All
// values are strings, as osqueryi writes them.
//
// Values only; confined to one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace patchbay::osquery {

enum class Format : std::uint8_t {
  json,  // An array of objects, indented by two.
  text,  // `name: value` lines, a blank line between rows.
};

class RowWriter {
 public:
  explicit RowWriter(Format format) : format_(format) {}

  void begin_row();
  void value(std::string_view name, std::string_view text);
  void end_row();

  std::size_t size() const { return out_.size(); }
  std::size_t rows() const { return rows_; }

  // The whole text; the writer is empty afterwards.
  std::string finish();

 private:
  const Format format_;
  std::string out_;
  std::size_t rows_ = 0;
  bool first_ = true;  // Value of its row.
};

// Writes the output of osqueryi: a JSON array of objects. An Error if it is something else.
Result<void> write_json_rows(std::string_view json, RowWriter& to);

// Repeated names get a number: `name`, `name:1`.
void make_unique(std::vector<std::string>& names);

}  // namespace patchbay::osquery
