#include "skills/search.h"

#include <fmt/format.h>

#include <algorithm>

#include "async/hop.h"
#include "gateway/call/arguments.h"
#include "observe/log.h"
#include "skills/search_goal.h"

namespace patchbay {
namespace {

namespace fs = std::filesystem;

constexpr auto kTimeout = std::chrono::seconds(2);
constexpr int kMostWaiting = 64;          // Queries; more are refused at once.
constexpr int kEntriesPerTurn = 64;       // Names read before queries get their turn.
constexpr int kMostEntries = 10'000'000;  // Names read in one folder.

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

}  // namespace

FolderSearch::FolderSearch(SearchSettings settings)
    : settings_(std::move(settings)),
      index_(static_cast<std::size_t>(settings_.files), settings_.file.value,
             settings_.total.value) {}

FolderSearch::~FolderSearch() {
  if (!thread_.joinable()) return;
  loop_.quit();
  thread_.join();
}

void FolderSearch::start() {
  thread_ = std::thread([this] { loop_.run(); });
  loop_.post([this] { scope_.spawn(keep_current()); });
}

Task<void> FolderSearch::stop() {
  if (!thread_.joinable()) co_return ok();
  auto end = [this]() -> Task<void> {
    scope_.cancel();
    co_return co_await scope_.drain(kNever);
  };
  auto ended = co_await hop<void>(loop_, end);
  loop_.quit();
  thread_.join();
  co_return ended;
}

Task<void> FolderSearch::keep_current() {
  auto looked = co_await look_again_and_again();
  for (auto* const query : impatient_) query->deliver(ok());
  first_look_ = false;
  co_return looked;
}

Task<void> FolderSearch::look_again_and_again() {
  if (auto opened = index_.opened(); !opened) {
    log::Line(log::Level::error, "search index").add("why", opened.error().message);
    co_return opened;
  }
  for (;;) {
    for (const auto& folder : settings_.folders) {
      auto looked = co_await look_through(folder);
      if (!looked) co_return looked;
    }
    index_.forget_missing();
    if (std::exchange(first_look_, false)) {
      log::Line(log::Level::info, "search index").add("files", std::uint64_t{index_.files()});
      for (auto* const query : impatient_) query->deliver(ok());
    }
    if (settings_.refresh == config::Duration(0)) co_return ok();
    auto slept = co_await sleep_until(here().now() + settings_.refresh);
    if (!slept) co_return slept;
  }
}

// A partial index finds only a part: a query waits a little for the rest.
Task<void> FolderSearch::wait_for_first_look() {
  OneShot<void> ended;
  impatient_.push_back(&ended);
  auto waited = co_await ended.wait(here().now() + kTimeout);
  std::erase(impatient_, &ended);
  if (!waited && waited.error().code == Code::cancelled) co_return waited;
  co_return ok();
}

// Yields Code::cancelled when it is stopped meanwhile.
Task<void> FolderSearch::look_through(const std::string& folder) {
  std::error_code fault;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                         fault);
  if (fault) {
    log::Line(log::Level::warn, "search folder").add("folder", folder).add("why", fault.message());
    co_return ok();
  }
  Stop* const stop = co_await current_stop();
  const fs::recursive_directory_iterator end;
  for (int looked = 0; entry != end && looked < kMostEntries; ++looked) {
    if (is_hidden(entry->path())) {
      entry.disable_recursion_pending();
    } else if (wanted(*entry)) {
      index_.take(entry->path());
      co_await next_turn();
    } else if (looked % kEntriesPerTurn == 0) {
      co_await next_turn();
    }
    if (stop->requested()) co_return Error{Code::cancelled, "cancelled"};
    entry.increment(fault);
    if (fault) break;
  }
  co_return ok();
}

// Links are not followed: they may lead out of the folder.
bool FolderSearch::wanted(const fs::directory_entry& entry) const {
  std::error_code fault;
  if (entry.symlink_status(fault).type() != fs::file_type::regular || fault) return false;
  const auto name = entry.path().filename().string();
  return std::ranges::any_of(settings_.endings,
                             [&](const std::string& ending) { return name.ends_with(ending); });
}

Task<std::string> FolderSearch::run(std::string_view arguments) {
  auto query = sole_text_argument(arguments, "query", kMaxQueryBytes);
  if (!query) co_return query.error();
  if (waiting_.fetch_add(1) >= kMostWaiting) {
    waiting_.fetch_sub(1);
    co_return Error{Code::overloaded, "too many searches are waiting; try again"};
  }
  auto there = [this, query = *std::move(query)] { return answer(query); };
  auto answered = co_await hop<std::string>(loop_, std::move(there));
  waiting_.fetch_sub(1);
  co_return answered;
}

Task<std::string> FolderSearch::answer(const std::string& query) {
  if (auto opened = index_.opened(); !opened) co_return opened.error();
  if (first_look_) {
    auto waited = co_await wait_for_first_look();
    if (!waited) co_return waited.error();
  }
  auto hits = index_.find(query, settings_.results);
  if (!hits) co_return hits.error();
  std::string text = hits->empty() ? fmt::format("No results for '{}'", query)
                                   : fmt::format("Search results for '{}':", query);
  for (std::size_t i = 0; i < hits->size(); ++i) {
    text += fmt::format("\n{}) {} - {}", i + 1, (*hits)[i].path, (*hits)[i].snippet);
  }
  if (first_look_) text += fmt::format("\n(still reading: {} files so far)", index_.files());
  co_return text;
}

constinit const Skill kSearchSkill{
    .name = "search",
    .title = "Search",
    .description =
        "Finds text files in the configured folders by their words, best first, each "
        "with a line of its text.",
    .input_schema = R"({"type":"object","properties":{)"
                    R"("query":{"type":"string","minLength":1,"maxLength":1024,)"
                    R"("description":"Words that the files should contain."}},)"
                    R"("required":["query"],"additionalProperties":false})",
    .goal_name = "SearchSkill",
    .keywords = kSearchKeywords,
    .can_handle = is_search,
    .execute = search_for,
};

}  // namespace patchbay
