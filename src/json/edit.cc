#include "json/edit.h"

#include <algorithm>
#include <utility>

namespace patchbay::json {

// A removal before the first remaining member is recorded after the changes inside that member.
void Edit::put_in_order() {
  std::ranges::sort(changes_, {},
                    [](const Change& change) { return std::pair(change.begin, change.end); });
}

std::string Edit::result() {
  put_in_order();
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

void Edit::apply_to(std::string& text) {
  const auto grows = [](const Change& change) { return !change.with.empty(); };
  if (std::ranges::any_of(changes_, grows)) {
    text = result();
    return;
  }
  put_in_order();
  char* to = text.data();
  const char* from = text.data();
  const auto move_up_to = [&](const char* end) {
    const auto size = static_cast<std::size_t>(end - from);
    if (to != from) std::memmove(to, from, size);
    to += size;
  };
  for (const auto& change : changes_) {
    move_up_to(change.begin);
    from = change.end;
  }
  move_up_to(text.data() + text.size());
  text.resize(static_cast<std::size_t>(to - text.data()));
}

std::size_t Edit::moved(std::size_t offset) const {
  std::size_t position = offset;
  for (const auto& change : changes_) {
    if (change.begin - text_.data() >= static_cast<std::ptrdiff_t>(offset)) continue;
    position += change.with.size();
    position -= static_cast<std::size_t>(change.end - change.begin);
  }
  return position;
}

}  // namespace patchbay::json
