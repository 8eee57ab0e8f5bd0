// The skill `search`: finds text files of configured folders by their content. The index belongs to
// a FolderSearch, which fills and queries it on a thread of its own, file by file and query by
// query, so that no worker ever waits for a disk.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "async/scope.h"
#include "net/io/loop.h"
#include "skills/search_index.h"
#include "skills/search_settings.h"
#include "skills/skill.h"

namespace patchbay {

// start() and stop() on the control thread, run() on any worker.
class FolderSearch final : public SkillState {
 public:
  explicit FolderSearch(SearchSettings settings);
  ~FolderSearch() override;

  void start() override;
  Task<std::string> run(std::string_view arguments) override;
  Task<void> stop() override;

 private:
  // On the thread of the index.
  Task<void> keep_current();
  Task<void> look_again_and_again();
  Task<void> wait_for_first_look();
  Task<void> look_through(const std::string& folder);
  Task<std::string> answer(const std::string& query);
  bool wanted(const std::filesystem::directory_entry& entry) const;

  const SearchSettings settings_;
  std::atomic<int> waiting_ = 0;  // Queries in progress.
  net::Loop loop_;
  std::thread thread_;

  // Touched on the thread of the index only.
  Scope scope_;
  SearchIndex index_;
  bool first_look_ = true;                 // The first scan has not ended yet.
  std::vector<OneShot<void>*> impatient_;  // Queries that wait for its end.
};

extern const Skill kSearchSkill;

}  // namespace patchbay
