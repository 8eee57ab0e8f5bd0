#include "json/edit.h"

#include <algorithm>
#include <utility>

namespace patchbay::json {

std::string Edit::result() {
  // A cut before the first member that stays is noted after the changes inside that member.
  std::ranges::sort(changes_, {},
                    [](const Change& change) { return std::pair(change.begin, change.end); });
  std::size_t size = text_.size();
  for (const auto& change : changes_) size += change.with.size();
  std::string out;
  out.reserve(size);
  const char* from = text_.data();
  for (const auto& change : changes_) {
    out.append(from, change.begin);
    out += change.with;
    from = change.end;
  }
  out.append(from, text_.data() + text_.size());
  return out;
}

std::size_t Edit::moved(std::size_t offset) const {
  std::size_t place = offset;
  for (const auto& change : changes_) {
    if (change.begin - text_.data() >= static_cast<std::ptrdiff_t>(offset)) continue;
    place += change.with.size();
    place -= static_cast<std::size_t>(change.end - change.begin);
  }
  return place;
}

}  // namespace patchbay::json
