#include "skills/text_terms.h"

#include <algorithm>
#include <array>

namespace patchbay {
namespace {

// Sorted. Halves of contractions ("don" of "don't") are included, since words end at an apostrophe.
constexpr auto kStopWords = std::to_array<std::string_view>({
    "a",        "about",    "above",   "across",   "after",      "again",   "all",     "almost",
    "also",     "although", "always",  "am",       "among",      "an",      "and",     "another",
    "any",      "are",      "aren",    "around",   "as",         "at",      "be",      "became",
    "because",  "been",     "before",  "being",    "below",      "between", "both",    "but",
    "by",       "can",      "cannot",  "could",    "couldn",     "did",     "didn",    "do",
    "does",     "doesn",    "doing",   "don",      "down",       "during",  "each",    "either",
    "even",     "ever",     "every",   "few",      "for",        "from",    "further", "had",
    "hadn",     "has",      "hasn",    "have",     "haven",      "having",  "he",      "hence",
    "her",      "here",     "hers",    "herself",  "him",        "himself", "his",     "how",
    "however",  "i",        "if",      "in",       "indeed",     "instead", "into",    "is",
    "isn",      "it",       "its",     "itself",   "just",       "ll",      "many",    "may",
    "me",       "might",    "more",    "moreover", "most",       "much",    "must",    "my",
    "myself",   "neither",  "never",   "no",       "nor",        "not",     "now",     "of",
    "off",      "often",    "on",      "once",     "one",        "only",    "or",      "other",
    "others",   "our",      "ours",    "out",      "over",       "own",     "per",     "perhaps",
    "quite",    "rather",   "re",      "same",     "several",    "shall",   "she",     "should",
    "shouldn",  "since",    "so",      "some",     "still",      "such",    "than",    "that",
    "the",      "their",    "theirs",  "them",     "themselves", "then",    "there",   "therefore",
    "these",    "they",     "this",    "those",    "though",     "through", "thus",    "to",
    "together", "too",      "toward",  "under",    "until",      "up",      "upon",    "us",
    "ve",       "very",     "was",     "wasn",     "we",         "were",    "weren",   "what",
    "when",     "where",    "whether", "which",    "while",      "who",     "whom",    "whose",
    "why",      "will",     "with",    "within",   "without",    "won",     "would",   "wouldn",
    "yet",      "you",      "your",    "yours",    "yourself",
});
static_assert(std::ranges::is_sorted(kStopWords));

}  // namespace

bool is_stop_word(std::string_view word) { return std::ranges::binary_search(kStopWords, word); }

}  // namespace patchbay
