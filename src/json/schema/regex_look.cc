// Look-around in linear time. Whether a look-around holds at a position depends only on the text,
// so each is evaluated over the whole text once, and its result at every position is stored:
// look-behinds from the front, look-aheads from the back, with a reversed program. Nested ones are
// evaluated first. After that a look-around costs no more than any other instruction.
#include "json/schema/regex.h"
#include "json/schema/regex_scratch.h"
#include "json/text.h"

namespace patchbay::json {

bool Regex::search_looking(std::string_view text, Budget& budget) const {
  // Every position costs at least one step for each look-around: if the budget does not suffice,
  // evaluation does not start.
  const std::size_t least = count_characters(text) * (looks_.size() + 1);
  if (least > budget.left()) {
    budget.spend(budget.left() + 1);
    return false;
  }
  std::vector<Class> classes;
  classes.reserve(text.size());
  while (!text.empty()) classes.push_back(alphabet_.class_of(take_character(text)));

  Scratch scratch(code_.size());
  scratch.looks.resize(looks_.size());
  scratch.goes_on = true;
  for (std::size_t i = looks_.size(); i-- > 0;) {
    if (!follow(looks_[i], classes, scratch, budget, scratch.looks[i])) return false;
  }
  scratch.goes_on = false;
  Position now{.reached = {0}, .at_begin = true};
  Position next;
  const auto end = static_cast<Class>(alphabet_.classes());
  for (scratch.position = 0; scratch.position <= classes.size(); ++scratch.position) {
    const bool last = scratch.position == classes.size();
    if (step(now, last ? end : classes[scratch.position], next, scratch)) return true;
    if (next.reached.empty() || !budget.spend(1 + scratch.work / 2)) return false;
    scratch.work = 0;
    std::swap(now, next);
  }
  return false;
}

// Stores at which positions between the characters of `text` the look-around holds. False once the
// budget is exhausted.
bool Regex::follow(const Look& look, const std::vector<Class>& text, Scratch& scratch,
                   Budget& budget, std::vector<bool>& holds) const {
  const auto is_word = [&](std::size_t at) { return alphabet_.is_word(text[at]); };
  const std::size_t size = text.size();
  holds.assign(size + 1, false);
  Position now;
  Position next;
  for (std::size_t done = 0; done <= size; ++done) {
    const std::size_t position = look.behind ? done : size - done;
    scratch.position = position;
    now.reached.push_back(look.start);
    now.at_begin = position == 0;
    now.after_word = position > 0 && is_word(position - 1);
    const bool before_word = position < size && is_word(position);
    holds[position] = closure(now, before_word, position == size, scratch) != look.negated;
    if (!budget.spend(1 + scratch.work / 2)) return false;
    scratch.work = 0;
    if (done == size) break;
    ++scratch.round;
    next.reached.clear();
    advance(look.behind ? text[position] : text[position - 1], next, scratch);
    std::swap(now, next);
  }
  return true;
}

}  // namespace patchbay::json
