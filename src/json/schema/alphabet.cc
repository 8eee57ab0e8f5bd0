#include "json/schema/alphabet.h"

#include <algorithm>

namespace patchbay::json {
namespace {

constexpr Alphabet::Class kNoClass = 0xFFFF;  // A pattern has far fewer classes than bytes.

}  // namespace

std::optional<Alphabet> Alphabet::of(const std::vector<CharSet>& sets, std::size_t most) {
  Alphabet out;
  out.sets_ = sets.size();
  std::vector<const CharSet*> all;
  for (const CharSet& set : sets) all.push_back(&set);
  all.push_back(&word_characters());
  out.find_bounds(all);
  if (out.work() > most) return std::nullopt;

  // [set][bound]: whether the characters from that bound on are in the set. First all are one
  // class, then each set splits the classes.
  const std::size_t width = out.bounds_.size();
  std::vector<std::vector<bool>> inside;
  out.bound_classes_.assign(width, 0);
  for (const CharSet* const set : all) {
    std::vector<bool>& row = inside.emplace_back(width, false);
    for (const CharRange& range : set->ranges()) {
      const auto from = std::ranges::lower_bound(out.bounds_, range.first) - out.bounds_.begin();
      const auto to = std::ranges::upper_bound(out.bounds_, range.last) - out.bounds_.begin();
      std::fill(row.begin() + from, row.begin() + to, true);
    }
    out.part(row);
  }
  out.members_.assign(all.size() * out.classes_, false);
  for (std::size_t set = 0; set < all.size(); ++set) {
    for (std::size_t i = 0; i < width; ++i) {
      out.members_[set * out.classes_ + out.bound_classes_[i]] = inside[set][i];
    }
  }
  for (std::size_t c = 0; c < out.ascii_.size(); ++c)
    out.ascii_[c] = out.look_up(static_cast<char32_t>(c));
  return out;
}

void Alphabet::find_bounds(const std::vector<const CharSet*>& sets) {
  bounds_.push_back(0);
  for (const CharSet* const set : sets) {
    for (const CharRange& range : set->ranges()) {
      bounds_.push_back(range.first);
      if (range.last < kLastCharacter) bounds_.push_back(range.last + 1);
    }
  }
  std::ranges::sort(bounds_);
  const auto twice = std::ranges::unique(bounds_);
  bounds_.erase(twice.begin(), twice.end());
}

void Alphabet::part(const std::vector<bool>& inside) {
  std::vector<Class> parted(classes_ * 2, kNoClass);  // [class so far][in the set]
  std::size_t count = 0;
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    Class& now = parted[bound_classes_[i] * 2U + inside[i]];
    if (now == kNoClass) now = static_cast<Class>(count++);
    bound_classes_[i] = now;
  }
  classes_ = count;
}

Alphabet::Class Alphabet::look_up(char32_t c) const {
  const auto after = std::ranges::upper_bound(bounds_, c);
  return bound_classes_[static_cast<std::size_t>(after - bounds_.begin() - 1)];
}

}  // namespace patchbay::json
