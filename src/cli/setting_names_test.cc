// Every key of every settings table follows the convention: maxima are `max_*`, times `*_timeout`
// or
// `*_interval`, sizes `*_size`. What is not so has a reason here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "app/configuration.h"
#include "osquery/settings.h"
#include "router/settings.h"
#include "sandbox/settings.h"

namespace patchbay::app {
namespace {

struct Exception {
  std::string_view key;
  std::string_view reason;
};

constexpr std::array kDurations{
    Exception{"leeway", "the term of JSON Web Token libraries"},
    Exception{"max_age", "the term of HTTP (Access-Control-Max-Age)"},
    Exception{"max_stale", "the term of HTTP caching"},
    Exception{"max_session_age", "how old it may be to be restored; nothing ends then"},
    Exception{"slow_call_threshold", "the term of tracing; nothing ends then"},
    Exception{"renew_before", "the term of certificate managers; relative to an expiry"},
};

constexpr std::array kSizes{
    Exception{"max_memory", "memory is a size by itself"},
    Exception{"max_read_bps", "bytes per second, the term of block devices"},
    Exception{"max_write_bps", "bytes per second, the term of block devices"},
};

constexpr std::array kNumbers{
    Exception{"breaker_threshold", "where a circuit breaker opens, which bounds nothing"},
    Exception{"burst", "the term of rate limiting"},
    Exception{"default_limit", "given by the document of the wire protocol"},
    Exception{"instances", "a number that there is, not a maximum"},
    Exception{"port", "not a quantity"},
    Exception{"registry_partitions", "a number that there is, not a maximum"},
    Exception{"replay_window_s", "given by the document of the wire protocol"},
    Exception{"requests_per_connection", "where a connection is added, which bounds nothing"},
    Exception{"response_timeout_ms", "given by the document of the Kafka bus"},
    Exception{"sample_ratio", "the term of OpenTelemetry"},
    Exception{"sentences", "a default, not a maximum"},
    Exception{"workers", "a number that there is, not a maximum"},
};

// Words that were replaced by the terms of the field.
constexpr std::array<std::string_view, 27> kRetired{
    "face", "patience", "word",   "words", "news",  "home",   "lane", "tell",   "told",
    "hear", "heard",    "kept",   "shown", "wish",  "keeper", "door", "asker",  "peer",
    "deaf", "bury",     "chores", "nap",   "amiss", "misfit", "era",  "legacy", "modern",
};

bool is_excepted(std::span<const Exception> exceptions, std::string_view key) {
  return std::ranges::find(exceptions, key, &Exception::key) != exceptions.end();
}

// True for `word` and for `…_word`.
bool ends_with_word(std::string_view key, std::string_view word) {
  if (key == word) return true;
  return key.ends_with(word) && key[key.size() - word.size() - 1] == '_';
}

bool ends_with_any(std::string_view key, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](auto word) { return ends_with_word(key, word); });
}

bool is_bound(std::string_view key) { return key.starts_with("max_") || key.starts_with("min_"); }

bool follows(config::Form form, std::string_view key) {
  switch (form) {
    case config::Form::duration:
      return ends_with_any(key, {"timeout", "interval", "ttl", "delay", "window"}) ||
             is_excepted(kDurations, key);
    case config::Form::bytes:
      return ends_with_word(key, "size") || is_excepted(kSizes, key);
    case config::Form::integer:
    case config::Form::number:
      return is_bound(key) || ends_with_any(key, {"size", "threads"}) || is_excepted(kNumbers, key);
    default:
      return true;
  }
}

// Calls `visit` for each field below `shape`, with its path.
template <class Visit>
void each_field(const config::Shape& shape, const std::string& path, const Visit& visit);

template <class Visit>
void each_field_of(const config::TypeShape& type, const std::string& path, const Visit& visit) {
  for (const auto& element : type.element) each_field_of(element, path + "[]", visit);
  each_field(type.section, path, visit);
  for (const auto& variant : type.variants) {
    each_field(variant.shape, path + "(" + variant.name + ")", visit);
  }
}

template <class Visit>
void each_field(const config::Shape& shape, const std::string& path, const Visit& visit) {
  for (const auto& field : shape.fields) {
    const std::string at = config::member_path(path, field.name);
    visit(field, at);
    each_field_of(field.of, at, visit);
  }
}

std::vector<config::Shape> all_tables() {
  return {configuration_shape(), config::shape_of<RouterSettings>(),
          config::shape_of<osquery::Settings>(), config::shape_of<sandbox::Settings>()};
}

std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : text) {
    const bool message = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (message) word += c;
    if (!message && !word.empty()) words.insert(std::exchange(word, ""));
  }
  if (!word.empty()) words.insert(word);
  return words;
}

TEST(SettingNames, FollowTheConvention) {
  for (const auto& table : all_tables()) {
    each_field(table, "", [](const config::FieldShape& field, const std::string& path) {
      EXPECT_TRUE(follows(field.of.form, field.name)) << path << " (" << field.type << ")";
    });
  }
}

TEST(SettingNames, HaveNoExceptionThatNothingNeeds) {
  std::set<std::string> used;
  for (const auto& table : all_tables()) {
    each_field(table, "", [&](const config::FieldShape& field, const std::string&) {
      used.insert(field.name);
    });
  }
  for (const auto& [key, reason] : kDurations) EXPECT_TRUE(used.contains(std::string(key))) << key;
  for (const auto& [key, reason] : kSizes) EXPECT_TRUE(used.contains(std::string(key))) << key;
  for (const auto& [key, reason] : kNumbers) EXPECT_TRUE(used.contains(std::string(key))) << key;
}

TEST(SettingNames, AndTheirSentencesUseNoRetiredWord) {
  for (const auto& table : all_tables()) {
    each_field(table, "", [](const config::FieldShape& field, const std::string& path) {
      EXPECT_FALSE(words_of(field.name).contains("most")) << path;
      auto words = words_of(field.name);
      words.merge(words_of(field.meaning));
      for (const auto word : kRetired) {
        EXPECT_FALSE(words.contains(std::string(word))) << path << ": " << field.meaning;
      }
    });
  }
}

// A section where an old key is the current key of another field could not be read.
TEST(SettingNames, NoAliasIsTheKeyOfAnotherField) {
  const auto check = [](const config::Shape& shape, const std::string& path) {
    std::set<std::string> keys;
    for (const auto& field : shape.fields) {
      EXPECT_TRUE(keys.insert(field.name).second) << path << ": " << field.name;
      if (field.alias.empty()) continue;
      EXPECT_TRUE(keys.insert(field.alias).second) << path << ": " << field.alias;
    }
  };
  for (const auto& table : all_tables()) {
    check(table, "");
    each_field(table, "", [&](const config::FieldShape& field, const std::string& path) {
      check(field.of.section, path);
      for (const auto& element : field.of.element) {
        check(element.section, path);
        for (const auto& variant : element.variants) check(variant.shape, path);
      }
    });
  }
}

}  // namespace
}  // namespace patchbay::app
