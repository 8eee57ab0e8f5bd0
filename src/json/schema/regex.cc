#include "json/schema/regex.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "json/schema/regex_scratch.h"
#include "json/text.h"

namespace patchbay::json {

// Emits the nodes as instructions. Recursion is bounded by the nesting of groups.
class Regex::Emitter {
 public:
  Emitter(const RegexSyntax& syntax, const RegexLimits& limits, Regex& out)
      : syntax_(syntax), most_(limits.instructions), looks_(limits.looks), out_(out) {}

  // The pattern, then each look-around that was found.
  bool emit_all() {
    if (!emit(syntax_.root) || !put(Instruction::Kind::match)) return false;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      out_.looks_[i].start = here();
      backwards_ = !out_.looks_[i].behind;
      if (!emit(bodies_[i]) || !put(Instruction::Kind::match)) return false;
    }
    return true;
  }

 private:
  bool emit(std::uint32_t id) {
    using Kind = Instruction::Kind;
    // A repeat of nothing emits nothing, so visits are counted, not only instructions.
    if (++visits_ > most_ * 2 || code_.size() >= most_) return false;
    const Term& term = syntax_.nodes[id];
    switch (term.kind) {
      case Term::Kind::characters:
        return put(Kind::characters, term.set);
      case Term::Kind::sequence:
        return sequence(term);
      case Term::Kind::alternation:
        return alternation(term);
      case Term::Kind::repeat:
        return repeat(term);
      case Term::Kind::begin:
        return put(Kind::begin);
      case Term::Kind::end:
        return put(Kind::end);
      case Term::Kind::boundary:
        return put(Kind::boundary);
      case Term::Kind::no_boundary:
        return put(Kind::no_boundary);
      case Term::Kind::look:
        return look(id, term);
    }
    return false;
  }

  bool sequence(const Term& term) {
    const auto each = [this](std::uint32_t part) { return emit(part); };
    if (backwards_) return std::ranges::all_of(term.parts.rbegin(), term.parts.rend(), each);
    return std::ranges::all_of(term.parts, each);
  }

  // Emitted several times it is still one look-around: its result depends only on the position.
  bool look(std::uint32_t id, const Term& term) {
    const auto [known, fresh] =
        known_looks_.try_emplace(id, static_cast<std::uint32_t>(bodies_.size()));
    if (fresh) {
      if (bodies_.size() >= looks_) return false;
      bodies_.push_back(term.parts.front());
      out_.looks_.push_back({.behind = term.behind, .negated = term.negated});
    }
    return put(Instruction::Kind::look, known->second);
  }

  bool put(Instruction::Kind kind, std::uint32_t a = 0, std::uint32_t b = 0) {
    code_.push_back({kind, a, b});
    return true;
  }
  std::uint32_t here() const { return static_cast<std::uint32_t>(code_.size()); }
  std::uint32_t split() {
    code_.push_back({Instruction::Kind::split, here() + 1, here() + 1});
    return here() - 1;
  }

  bool alternation(const Term& term) {
    std::vector<std::uint32_t> ends;
    for (std::size_t i = 0; i < term.parts.size(); ++i) {
      const bool last = i + 1 == term.parts.size();
      const std::uint32_t choice = last ? 0 : split();
      if (!emit(term.parts[i])) return false;
      if (last) break;
      ends.push_back(split());
      code_[choice].b = here();
    }
    for (const std::uint32_t end : ends) code_[end].a = code_[end].b = here();
    return true;
  }

  bool repeat(const Term& term) {
    const std::uint32_t part = term.parts.front();
    const bool unbounded = term.most == Term::kUnbounded;
    std::uint32_t before = here();
    for (std::uint32_t i = 0; i < term.least; ++i) {
      before = here();
      if (!emit(part)) return false;
    }
    if (unbounded) return term.least > 0 ? loop_back(before) : loop(part);
    std::vector<std::uint32_t> exits;
    for (std::uint32_t i = term.least; i < term.most; ++i) {
      exits.push_back(split());
      if (!emit(part)) return false;
    }
    for (const std::uint32_t exit : exits) code_[exit].b = here();
    return true;
  }

  bool loop_back(std::uint32_t to) {
    code_[split()].b = to;
    return true;
  }
  bool loop(std::uint32_t part) {
    const std::uint32_t enter = split();
    if (!emit(part)) return false;
    const std::uint32_t again = split();
    code_[again].a = code_[again].b = enter;
    code_[enter].b = here();
    return true;
  }

  const RegexSyntax& syntax_;
  const std::size_t most_;
  const std::size_t looks_;
  Regex& out_;
  std::vector<Instruction>& code_ = out_.code_;
  std::vector<std::uint32_t> bodies_;  // Of the looks.
  std::map<std::uint32_t, std::uint32_t> known_looks_;
  bool backwards_ = false;
  std::size_t visits_ = 0;
};

// Explores all reachable states, until there are no new ones or the table is too large.
class Regex::TableBuilder {
 public:
  TableBuilder(const Regex& regex, const RegexLimits& limits)
      : regex_(regex),
        limits_(limits),
        width_(regex.alphabet_.classes() + 1),
        scratch_(regex.code_.size()) {}

  std::vector<std::uint16_t> build() {
    std::vector<std::uint16_t> table(width_ * kStart, kDead);
    std::fill(table.begin() + static_cast<std::ptrdiff_t>(width_), table.end(), kFound);
    state_of({.reached = {0}, .at_begin = true});
    Position to;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (table.size() + width_ > limits_.table || order_.size() > 0xFFF0) return {};
      for (std::size_t c = 0; c < width_; ++c) {
        if (scratch_.work > limits_.table_work) return {};
        const bool found = regex_.step(*order_[i], static_cast<Class>(c), to, scratch_);
        table.push_back(found ? kFound : state_of(to));
      }
    }
    return table;
  }
  std::size_t work() const { return scratch_.work; }

 private:
  std::uint16_t state_of(Position position) {
    if (position.reached.empty()) return kDead;
    std::ranges::sort(position.reached);
    scratch_.work += position.reached.size();
    const auto id = static_cast<std::uint16_t>(kStart + order_.size());
    const auto [known, fresh] = states_.try_emplace(std::move(position), id);
    if (fresh) order_.push_back(&known->first);
    return known->second;
  }

  const Regex& regex_;
  const RegexLimits& limits_;
  const std::size_t width_;
  Scratch scratch_;
  std::map<Position, std::uint16_t> states_;
  std::vector<const Position*> order_;
};

Result<Regex> Regex::compile(std::string_view pattern, const RegexLimits& limits) {
  if (pattern.size() > limits.pattern) return Error{Code::too_large, "the pattern is too long"};
  auto syntax = parse_regex(pattern);
  if (!syntax) return syntax.error();
  if (!syntax->refused.empty()) return Error{Code::invalid_params, syntax->refused};
  Regex out;
  if (!Emitter(*syntax, limits, out).emit_all()) {
    return Error{Code::too_large, "the pattern is too large once its repeats are written out"};
  }
  out.uses_words_ = std::ranges::any_of(out.code_, [](const Instruction& one) {
    return one.kind == Instruction::Kind::boundary || one.kind == Instruction::Kind::no_boundary;
  });
  auto alphabet = Alphabet::of(syntax->sets, limits.alphabet);
  if (!alphabet) return Error{Code::too_large, "the pattern has too many sets of characters"};
  out.alphabet_ = *std::move(alphabet);
  out.find_anchor();
  if (!out.looks_.empty()) return out;  // A table would have to look ahead.
  TableBuilder builder(out, limits);
  auto table = builder.build();
  out.table_ = std::move(table);
  out.table_work_ = builder.work();
  return out;
}

void Regex::charge(RegexLimits& limits) const {
  limits.alphabet -= std::min(limits.alphabet, alphabet_.work());
  limits.table -= std::min(limits.table, table_.size());
  limits.table_work -= std::min(limits.table_work, table_work_);
}

void Regex::find_anchor() {
  Scratch scratch(code_.size());
  anchored_ = true;
  for (const bool after_word : {false, true}) {
    for (const bool before_word : {false, true}) {
      const Position later{.reached = {0}, .at_begin = false, .after_word = after_word};
      const bool matched = closure(later, before_word, false, scratch) ||
                           !scratch.characters.empty() || closure(later, false, true, scratch);
      if (matched) anchored_ = false;
    }
  }
}

// Follows each reached instruction as far as possible without a character.
bool Regex::closure(const Position& from, bool before_word, bool at_end, Scratch& scratch) const {
  const bool boundary = from.after_word != before_word;
  bool matched = false;
  ++scratch.round;
  scratch.characters.clear();
  scratch.open.assign(from.reached.begin(), from.reached.end());
  while (!scratch.open.empty()) {
    const std::uint32_t at = scratch.open.back();
    scratch.open.pop_back();
    if (!scratch.visit(at)) continue;
    ++scratch.work;
    const Instruction& now = code_[at];
    bool passes = false;
    switch (now.kind) {
      case Instruction::Kind::match:
        if (!scratch.goes_on) return true;
        matched = true;
        break;
      case Instruction::Kind::characters:
        scratch.characters.push_back(at);
        break;
      case Instruction::Kind::split:
        scratch.open.push_back(now.a);
        if (now.b != now.a) scratch.open.push_back(now.b);
        break;
      case Instruction::Kind::begin:
        passes = from.at_begin;
        break;
      case Instruction::Kind::end:
        passes = at_end;
        break;
      case Instruction::Kind::boundary:
        passes = boundary;
        break;
      case Instruction::Kind::no_boundary:
        passes = !boundary;
        break;
      case Instruction::Kind::look:
        passes = scratch.holds(now.a);
        break;
    }
    if (passes) scratch.open.push_back(at + 1);
  }
  return matched;
}

bool Regex::step(const Position& from, Class c, Position& to, Scratch& scratch) const {
  const bool at_end = c == alphabet_.classes();
  const bool word = uses_words_ && !at_end && alphabet_.is_word(c);
  to.reached.clear();
  to.at_begin = false;
  to.after_word = word;
  if (closure(from, word, at_end, scratch)) return true;
  if (at_end) return false;
  ++scratch.round;
  if (!anchored_) {
    scratch.visit(0);
    to.reached.push_back(0);
  }
  advance(c, to, scratch);
  return false;
}

void Regex::advance(Class c, Position& to, Scratch& scratch) const {
  for (const std::uint32_t at : scratch.characters) {
    if (alphabet_.contains(code_[at].a, c) && scratch.visit(at + 1)) to.reached.push_back(at + 1);
  }
}

bool Regex::search(std::string_view text, Budget& budget) const {
  if (!looks_.empty()) return search_looking(text, budget);
  if (!has_table()) return search_all(text, budget);
  return budget.spend(1 + text.size() / 16) && search_table(text);
}

bool Regex::search_table(std::string_view text) const {
  const std::size_t end = alphabet_.classes();
  std::size_t state = kStart;
  while (!text.empty()) {
    state = table_[state * (end + 1) + alphabet_.class_of(take_character(text))];
    if (state <= kFound) return state == kFound;
  }
  return table_[state * (end + 1) + end] == kFound;
}

bool Regex::search_all(std::string_view text, Budget& budget) const {
  Scratch scratch(code_.size());
  Position now{.reached = {0}, .at_begin = true};
  Position next;
  while (!text.empty()) {
    if (step(now, alphabet_.class_of(take_character(text)), next, scratch)) return true;
    if (next.reached.empty() || !budget.spend(1 + scratch.work / 2)) return false;
    scratch.work = 0;
    std::swap(now, next);
  }
  return step(now, static_cast<Class>(alphabet_.classes()), next, scratch);
}

bool is_regex(std::string_view pattern) {
  return pattern.size() <= RegexLimits().pattern && parse_regex(pattern);
}

}  // namespace patchbay::json
