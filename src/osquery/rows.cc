#include "osquery/rows.h"

#include <fmt/format.h>

#include <map>

#include "json/read.h"

namespace patchbay::osquery {

void RowWriter::begin_row() {
  if (format_ == Format::json) out_ += rows_ == 0 ? "[\n  {" : ",\n  {";
  if (format_ == Format::text && rows_ > 0) out_ += '\n';
  first_ = true;
}

void RowWriter::value(std::string_view name, std::string_view text) {
  if (format_ == Format::json) {
    out_ += first_ ? "\n    " : ",\n    ";
    json::append_quoted(out_, name);
    out_ += ": ";
    json::append_quoted(out_, text);
  } else {
    out_ += name;
    out_ += ": ";
    out_ += text;
    out_ += '\n';
  }
  first_ = false;
}

void RowWriter::end_row() {
  if (format_ == Format::json) out_ += first_ ? "}" : "\n  }";
  ++rows_;
}

std::string RowWriter::finish() {
  if (format_ == Format::json) out_ += rows_ == 0 ? "[]" : "\n]";
  if (format_ == Format::text && !out_.empty()) out_.pop_back();
  return std::move(out_);
}

Result<void> write_json_rows(std::string_view json, RowWriter& to) {
  if (auto good = json::check(json); !good) return good.error();
  if (json::type_of(json) != json::Type::array) {
    return Error{Code::upstream_failed, "its output is no array"};
  }
  bool objects = true;
  json::each_element(json, [&](std::string_view row) {
    objects = objects && json::type_of(row) == json::Type::object;
    if (!objects) return;
    to.begin_row();
    json::each_member(row, [&](std::string_view name, std::string_view raw) {
      to.value(name, json::as_string(raw).value_or(std::string(raw)));
    });
    to.end_row();
  });
  if (!objects) return Error{Code::upstream_failed, "a row of its output is no object"};
  return ok();
}

void make_unique(std::vector<std::string>& names) {
  std::map<std::string, int> seen;
  for (auto& name : names) {
    const int before = seen[name]++;
    if (before > 0) name = fmt::format("{}:{}", name, before);
  }
}

}  // namespace patchbay::osquery
