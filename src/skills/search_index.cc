#include "skills/search_index.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "async/timers.h"
#include "config/file.h"
#include "core/text.h"
#include "json/text.h"
#include "skills/characters.h"

namespace patchbay {
namespace {

constexpr auto kMostQueryTime = std::chrono::seconds(2);
constexpr int kStepsBetweenLooks = 10'000;  // Of SQLite's machine, at the clock.
constexpr std::size_t kMaxQueryTerms = 32;

// Each term in quotes, so that nothing in it is an operator of the index.
std::vector<std::string> quoted_terms(std::string_view query) {
  std::vector<std::string> terms;
  for (std::size_t at = 0; at < query.size() && terms.size() < kMaxQueryTerms;) {
    std::string term;
    for (; at < query.size() && !is_space(query[at]); ++at) {
      if (query[at] != '"' && query[at] != '\0') term += query[at];
    }
    ++at;
    if (!term.empty()) terms.push_back('"' + term + '"');
  }
  return terms;
}

std::string joined(const std::vector<std::string>& terms, std::string_view between) {
  std::string text;
  for (const auto& term : terms) text += (text.empty() ? "" : std::string(between)) + term;
  return text;
}

}  // namespace

SearchIndex::SearchIndex(std::size_t most_files, std::size_t most_file_bytes,
                         std::size_t most_bytes)
    : most_files_(most_files), most_file_bytes_(most_file_bytes), most_bytes_(most_bytes) {
  auto database = sqlite::Database::open(":memory:");
  if (!database) {
    opened_ = database.error();
    return;
  }
  database_ = *std::move(database);
  opened_ = database_.run(
      "CREATE VIRTUAL TABLE pages USING fts5(path UNINDEXED, body, "
      "tokenize = 'unicode61 remove_diacritics 2')");
}

bool SearchIndex::take(const std::filesystem::path& path) {
  std::error_code fault;
  const auto changed = std::filesystem::last_write_time(path, fault);
  const auto name = path.string();
  const auto known = files_.find(name);
  if (known != files_.end() && !fault && known->second.changed == changed) {
    known->second.seen = true;
    return true;
  }
  if (known != files_.end()) remove(known);
  auto text = config::read_file(name, most_file_bytes_);
  if (fault || !text || files_.size() >= most_files_ || bytes_ + text->size() > most_bytes_) {
    return false;
  }
  const std::string& body = *text;
  if (body.contains('\0') || !json::is_utf8(body) || !json::is_utf8(name)) return false;
  if (!add(name, body, ++last_row_)) return false;
  files_[name] = {last_row_, body.size(), changed, true};
  bytes_ += body.size();
  return true;
}

bool SearchIndex::add(const std::string& path, const std::string& body, std::int64_t row) {
  sqlite::Statement insert(database_, "INSERT INTO pages(rowid, path, body) VALUES (?, ?, ?)");
  insert.bind(1, row);
  insert.bind(2, path);
  insert.bind(3, body);
  return insert.step() == SQLITE_DONE;
}

void SearchIndex::remove(std::map<std::string, File>::iterator file) {
  sqlite::Statement forget(database_, "DELETE FROM pages WHERE rowid = ?");
  forget.bind(1, file->second.row);
  forget.step();
  bytes_ -= file->second.bytes;
  files_.erase(file);
}

void SearchIndex::forget_missing() {
  for (auto file = files_.begin(); file != files_.end();) {
    const auto next = std::next(file);
    if (!std::exchange(file->second.seen, false)) remove(file);
    file = next;
  }
}

Result<std::vector<SearchHit>> SearchIndex::find(std::string_view query, int most) {
  const auto terms = quoted_terms(query);
  if (terms.empty()) return std::vector<SearchHit>();
  auto hits = match(joined(terms, " "), most);
  if (!hits || !hits->empty() || terms.size() == 1) return hits;
  return match(joined(terms, " OR "), most);
}

Result<std::vector<SearchHit>> SearchIndex::match(const std::string& expression, int most) {
  Deadline deadline = Clock::now() + kMostQueryTime;
  const auto too_late = [](void* when) {
    return Clock::now() > *static_cast<Deadline*>(when) ? 1 : 0;
  };
  ::sqlite3_progress_handler(database_.get(), kStepsBetweenLooks, too_late, &deadline);
  sqlite::Statement select(database_,
                           "SELECT path, snippet(pages, 1, '', '', '…', 16) FROM pages "
                           "WHERE pages MATCH ? ORDER BY rank LIMIT ?");
  select.bind(1, std::string_view(expression));
  select.bind(2, std::int64_t{most});
  std::vector<SearchHit> hits;
  int stepped = SQLITE_ROW;
  while ((stepped = select.step()) == SQLITE_ROW) {
    auto& hit = hits.emplace_back();
    hit.path = select.text(0);
    append_on_one_line(hit.snippet, select.text(1));
  }
  ::sqlite3_progress_handler(database_.get(), 0, nullptr, nullptr);
  if (stepped == SQLITE_INTERRUPT) return Error{Code::timeout, "the search took too long"};
  if (stepped != SQLITE_DONE) {
    return Error{Code::invalid_params, "the index cannot search for this"};
  }
  return hits;
}

}  // namespace patchbay
