#include "skills/sentences.h"

#include <algorithm>
#include <array>
#include <string>

#include "skills/characters.h"
#include "skills/text_terms.h"

namespace patchbay {
namespace {

// Abbreviations are compared in lower case and without their last dot.

// A sentence continues after these.
constexpr auto kGoOn = std::to_array<std::string_view>({
    "al",     "approx", "capt", "cf",  "cmdr",  "col", "dept", "dr",   "e.g", "eg",
    "esp",    "est",    "gen",  "gov", "hon",   "i.e", "ie",   "incl", "lt",  "maj",
    "messrs", "mme",    "mr",   "mrs", "ms",    "mt",  "pres", "prof", "rep", "resp",
    "rev",    "sen",    "sgt",  "st",  "u.s.c", "viz", "vs",   "z.b",
});

// And after these if a number follows: "No. 5", "Jan. 5".
constexpr auto kGoOnBeforeNumber = std::to_array<std::string_view>({
    "apr", "art", "aug", "ca",  "ch", "dec", "eq", "feb", "fig", "figs", "jan", "jul",  "jun",
    "mar", "no",  "nos", "nov", "nr", "oct", "p",  "par", "pp",  "sec",  "sep", "sept", "vol",
});

// These may close a sentence, and do if a capital follows.
constexpr auto kEndBeforeCapital = std::to_array<std::string_view>({"a.m", "etc", "p.m"});

// These may close a sentence too, but names with capitals often follow them: "Acme Inc. Europe".
constexpr auto kOftenBeforeNames = std::to_array<std::string_view>({
    "bros",
    "co",
    "corp",
    "inc",
    "jr",
    "ltd",
    "ph.d",
    "sr",
});

constexpr std::size_t kLongestUnknownAbbreviation = 3;  // Bytes, before a small letter.

template <class Words>
bool contains(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// A full stop of a script that puts no space after it.
bool is_wide_stop(char32_t code) {
  return code == U'。' || code == U'！' || code == U'？' || code == U'｡';
}

bool is_stop(char32_t code) {
  return code == '.' || code == '!' || code == '?' || code == U'…' || code == U'؟' ||
         code == U'۔' || code == U'।' || is_wide_stop(code);
}

// Some languages close a quote with the mark that opens it in others.
bool is_closer(char32_t code) {
  return std::u32string_view(U"\"')]}*_”’“»›«」』）】》〉").contains(code);
}

bool is_opener(char32_t code) {
  return std::u32string_view(U"\"'([{*_“‘„«‹¿¡「『（【《〈").contains(code);
}

// "J", "U.S": single letters with dots between them.
bool is_initials(std::string_view word) {
  for (std::size_t at = 0; at < word.size();) {
    const auto [code, bytes] = character_at(word, at);
    if (!is_upper(code) && !is_lower(code)) return false;
    at += bytes;
    if (at < word.size() && word[at++] != '.') return false;
  }
  return !word.empty();
}

std::string lower_case(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, bytes] = character_at(text, at);
    append_character(out, to_lower(code));
    at += bytes;
  }
  return out;
}

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  std::vector<std::string_view> run() {
    begin_at(0);
    while (at_ < text_.size()) {
      const auto [code, bytes] = character_at(text_, at_);
      if (is_stop(code)) {
        pass_stop();
      } else if (code == '\n' && skip_space(at_).blank_line) {
        cut();
      } else {
        at_ += bytes;
        (is_white_space(code) ? word_ : solid_end_) = at_;
      }
    }
    cut();
    return std::move(sentences_);
  }

 private:
  struct Stop {
    std::size_t at;     // Where its first character stands.
    bool wide = false;  // Ends a sentence without a space after it.
    bool ellipsis = false;
    bool one_dot = false;
    bool closed = false;  // A closing quote or bracket follows.
  };

  struct Space {
    std::size_t end;
    bool blank_line;
  };

  char32_t code_at(std::size_t at) const {
    return at < text_.size() ? character_at(text_, at).code : 0;
  }

  void pass_stop() {
    Stop stop{at_};
    int dots = 0;
    for (char32_t code; is_stop(code = code_at(at_)); at_ += character_at(text_, at_).bytes) {
      stop.wide |= is_wide_stop(code);
      stop.ellipsis |= code == U'…';
      dots += code == '.';
    }
    stop.ellipsis |= dots > 1;
    stop.one_dot = dots == 1 && at_ == stop.at + 1;
    stop.closed = pass_closers();
    solid_end_ = at_;
    const bool apart = at_ == text_.size() || is_white_space(code_at(at_));
    if (stop.wide || (apart && ends_sentence(stop))) cut();
  }

  // Quotes, brackets and "[12]" marks that belong to the ended sentence.
  bool pass_closers() {
    const auto first = at_;
    while (true) {
      if (code_at(at_) == '[' && is_digit(code_at(at_ + 1))) {
        auto end = at_ + 1;
        while (is_digit(code_at(end))) ++end;
        if (code_at(end) != ']') break;
        at_ = end + 1;
      } else if (is_closer(code_at(at_))) {
        at_ += character_at(text_, at_).bytes;
      } else {
        break;
      }
    }
    return at_ != first;
  }

  bool ends_sentence(const Stop& stop) const {
    const auto space = skip_space(at_);
    if (space.end == text_.size() || space.blank_line) return true;
    auto next = space.end;
    while (is_opener(code_at(next))) next += character_at(text_, next).bytes;
    const bool small_follows = is_lower(code_at(next));
    // "Really?" he asked. Well... maybe.
    if (stop.closed || stop.ellipsis) return !small_follows;
    if (!stop.one_dot) return true;

    const auto word = word_before(stop.at);
    if (word.data() == text_.data() + begin_ && std::ranges::all_of(word, is_digit)) {
      return false;  // The number of a list's item.
    }
    const auto key = lower_case(word);
    if (contains(kGoOn, key)) return false;
    if (contains(kGoOnBeforeNumber, key)) return !is_digit(code_at(next)) && !small_follows;
    if (contains(kEndBeforeCapital, key)) return is_upper(code_at(next));
    if (contains(kOftenBeforeNames, key) || is_initials(word)) return begins_with_stop_word(next);
    const bool may_be_abbreviation =
        word.size() <= kLongestUnknownAbbreviation && !is_stop_word(key);
    return !(small_follows && may_be_abbreviation);
  }

  // The word before `end`, without the quotes and brackets before it.
  std::string_view word_before(std::size_t end) const {
    auto first = word_;
    while (first < end && is_opener(code_at(first))) first += character_at(text_, first).bytes;
    return text_.substr(first, end - first);
  }

  // "The", "It": after an abbreviation, more likely the first word of a sentence than a name.
  bool begins_with_stop_word(std::size_t at) const {
    if (!is_upper(code_at(at))) return false;
    auto end = at;
    while (end < text_.size() && is_in_word(code_at(end))) end += character_at(text_, end).bytes;
    return code_at(end) != '.' && is_stop_word(lower_case(text_.substr(at, end - at)));
  }

  Space skip_space(std::size_t at) const {
    int lines = 0;
    while (is_white_space(code_at(at))) {
      lines += text_[at] == '\n';
      at += character_at(text_, at).bytes;
    }
    return {at, lines > 1};
  }

  // Everything since the last cut is a sentence.
  void cut() {
    if (solid_end_ > begin_) sentences_.push_back(text_.substr(begin_, solid_end_ - begin_));
    begin_at(at_);
  }

  void begin_at(std::size_t at) { begin_ = word_ = solid_end_ = at_ = skip_space(at).end; }

  const std::string_view text_;
  std::size_t begin_ = 0;      // Of the sentence.
  std::size_t word_ = 0;       // Start of the current word.
  std::size_t solid_end_ = 0;  // After the last character that is not white space.
  std::size_t at_ = 0;
  std::vector<std::string_view> sentences_;
};

}  // namespace

std::vector<std::string_view> split_sentences(std::string_view text) {
  return Splitter(text).run();
}

}  // namespace patchbay
