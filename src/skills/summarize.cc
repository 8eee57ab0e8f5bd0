#include "skills/summarize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/text.h"
#include "gateway/call/arguments.h"
#include "json/text.h"
#include "skills/goal_keywords.h"
#include "skills/sentences.h"
#include "skills/text_terms.h"

namespace patchbay {
namespace {

// Added to the number of words by which the score of a sentence is divided, so that a sentence of
// one frequent word does not beat an informative one.
constexpr double kShortSentenceWeight = 5;

// The bonus of the first sentence for its position; the last one gets none.
constexpr double kLeadBonus = 0.3;

using Sentences = std::vector<std::string_view>;

std::vector<double> score(const Sentences& sentences) {
  std::unordered_map<std::string, std::uint32_t> numbers;
  std::vector<std::uint32_t> frequency;  // By the number of a term.
  std::vector<std::vector<std::uint32_t>> terms(sentences.size());
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    each_term(sentences[i], [&](const std::string& term) {
      const auto next = static_cast<std::uint32_t>(frequency.size());
      const auto [entry, is_new] = numbers.try_emplace(term, next);
      if (is_new) frequency.push_back(0);
      ++frequency[entry->second];
      terms[i].push_back(entry->second);
    });
  }
  const double highest = frequency.empty() ? 1 : std::ranges::max(frequency);

  std::vector<double> scores;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    auto& own = terms[i];
    const auto length = static_cast<double>(own.size());
    std::ranges::sort(own);
    own.erase(std::ranges::unique(own).begin(), own.end());  // Repeating a word adds nothing.
    double sum = 0;
    for (const auto term : own) sum += frequency[term] / highest;
    const double from_end = 1 - static_cast<double>(i) / static_cast<double>(sentences.size());
    scores.push_back(sum / (length + kShortSentenceWeight) * (1 + kLeadBonus * from_end));
  }
  return scores;
}

// The indexes of the `count` best sentences, ascending. A repeated sentence is taken once.
std::vector<std::size_t> pick(const Sentences& sentences, std::size_t count) {
  const auto scores = score(sentences);
  std::vector<std::size_t> order(sentences.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(-scores[i], i); });

  std::vector<std::size_t> picked;
  std::unordered_set<std::string_view> seen;
  for (const auto index : order) {
    if (picked.size() == count) break;
    if (seen.insert(sentences[index]).second) picked.push_back(index);
  }
  std::ranges::sort(picked);
  return picked;
}

Result<std::string> run(std::string_view arguments) {
  if (auto names = check_argument_names(arguments, {"text", "sentences"}); !names) {
    return names.error();
  }
  auto text = text_argument(arguments, "text", kMaxSummarizedBytes);
  if (!text) return std::move(text).error();
  const auto count =
      whole_argument(arguments, "sentences", 1, kMaxSummarySentences, kDefaultSummarySentences);
  if (!count) return count.error();
  auto summary = summarize(*text, static_cast<std::size_t>(*count));
  if (summary.empty()) {
    return Error{Code::invalid_params, "'text' is blank; give the text to summarize"};
  }
  return summary;
}

constexpr auto kKeywords =
    std::to_array<std::string_view>({"summarize", "summarise", "summary", "tldr"});

bool can_handle(std::string_view goal) { return mentions(goal, kKeywords); }

// "summarize in 2 sentences: …" sets the length; `fallback` is for other goals.
int sentences_of(const GoalText& goal, int fallback) {
  const auto head = goal.whole.substr(0, goal.whole.find(':'));
  const auto digit = head.find_first_of("123456789");
  if (digit == std::string_view::npos || !ascii_lower(head).contains("sentence")) return fallback;
  int count = fallback;
  const auto read = std::from_chars(head.data() + digit, head.data() + head.size(), count);
  if (read.ec != std::errc()) return fallback;
  return std::min(count, kMaxSummarySentences);
}

Task<std::string> execute(GoalText goal, GoalTools& tools) {
  const auto text = subject_of(goal, kKeywords);
  if (text.empty()) co_return Error{Code::invalid_params, "No text to summarize"};
  const int count = sentences_of(goal, tools.settings().sentences);
  auto arguments = fmt::format(R"({{"text":{},"sentences":{}}})", json::quote(text), count);
  co_return co_await tools.call(std::move(arguments));
}

}  // namespace

std::string summarize(std::string_view text, std::size_t count) {
  const auto sentences = split_sentences(text);
  if (sentences.empty()) return "";
  if (sentences.size() <= count) {
    const auto& last = sentences.back();
    return std::string(sentences.front().data(), last.data() + last.size());
  }
  std::string summary;
  for (const auto index : pick(sentences, count)) {
    if (!summary.empty()) summary += ' ';
    append_on_one_line(summary, sentences[index]);
  }
  return summary;
}

constinit const Skill kSummarizeSkill{
    .name = "summarize",
    .title = "Summarize",
    .description =
        "Shortens a text to its most informative sentences, unchanged and in their order. Returns "
        "the "
        "whole text if it is no longer than that.",
    .input_schema =
        R"({"type":"object","properties":{)"
        R"("text":{"type":"string","minLength":1,"description":"The text, at most 1 MiB."},)"
        R"("sentences":{"type":"integer","minimum":1,"maximum":20,"default":3,)"
        R"("description":"How many sentences to keep."}},)"
        R"("required":["text"],"additionalProperties":false})",
    .run = run,
    .goal_name = "SummarizeSkill",
    .keywords = kKeywords,
    .can_handle = can_handle,
    .execute = execute,
};

}  // namespace patchbay
