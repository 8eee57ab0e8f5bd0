#include "osquery/table.h"

#include <algorithm>
#include <array>
#include <limits>

#include "osquery/text.h"

namespace patchbay::osquery {

std::string_view type_name(Type type) {
  constexpr std::array<std::string_view, 3> kNames{"TEXT", "INTEGER", "BIGINT"};
  return kNames[static_cast<std::size_t>(type)];
}

const Given* Scan::given(int column) const {
  const auto found = std::ranges::find(given_, column, &Given::column);
  return found == given_.end() ? nullptr : &*found;
}

std::optional<std::int64_t> Scan::given_number(int column) const {
  const Given* const found = given(column);
  return found && !found->like ? number<std::int64_t>(found->text) : std::nullopt;
}

bool Scan::row() {
  if (cells_.size() * sizeof(Cell) + texts_.size() > most_bytes_) {
    failure_ = Error{Code::too_large, "the table holds more than the query may keep in memory"};
    return false;
  }
  cells_.resize(cells_.size() + table_.columns.size());
  return true;
}

void Scan::set(int column, std::int64_t value) { cell(column) = {Cell::Kind::number, 0, value}; }

void Scan::set(int column, std::string_view text) {
  text = text.substr(0, std::numeric_limits<std::uint32_t>::max());
  cell(column) = {Cell::Kind::text, static_cast<std::uint32_t>(text.size()),
                  static_cast<std::int64_t>(texts_.size())};
  texts_ += text;
}

Result<void> Scan::read() {
  auto done = table_.read(*this);
  if (failure_) return *failure_;
  return done;
}

}  // namespace patchbay::osquery
