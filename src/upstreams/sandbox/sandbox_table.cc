#include "upstreams/sandbox/sandbox_table.h"

#include <fmt/format.h>

#include "core/ids.h"
#include "observe/log.h"

namespace patchbay::upstreams {
namespace {

constexpr std::size_t kIdBytes = 16;

Error no_sandbox() { return {Code::not_found, "Sandbox not found or invalid ID"}; }

}  // namespace

// Fires when the time to live of a sandbox is over.
class SandboxTable::Watch final : public Timer {
 public:
  Watch(SandboxTable& table, std::string id) : table_(table), id_(std::move(id)) {}
  void on_deadline() override { table_.expire(id_); }

 private:
  SandboxTable& table_;
  const std::string id_;
};

struct SandboxTable::Entry {
  std::shared_ptr<Sandbox> sandbox;
  Watch watch;
};

SandboxTable::SandboxTable(SandboxPool& pool, const SandboxSettings& settings,
                           const SandboxCounters& counters)
    : pool_(pool), settings_(settings), counters_(counters) {}

SandboxTable::~SandboxTable() = default;

Result<void> SandboxTable::reserve(const std::string& owner) {
  if (count_ >= settings_.most) {
    return Error{Code::overloaded, "there are too many sandboxes; try again when one is destroyed"};
  }
  int& own = counts_[owner];
  if (own >= settings_.most_each) {
    return Error{
        Code::overloaded,
        fmt::format("you have {} sandboxes, which is the maximum; destroy one first", own)};
  }
  ++own;
  ++count_;
  counters_.used->add(1);
  return ok();
}

void SandboxTable::put_back(const std::string& owner) {
  const auto own = counts_.find(owner);
  if (--own->second == 0) counts_.erase(own);
  --count_;
  counters_.used->add(-1);
}

std::shared_ptr<Sandbox> SandboxTable::enter(const std::string& owner, SandboxPool::Taken taken,
                                             const SandboxLimits& limits, config::Duration ttl) {
  auto sandbox = std::make_shared<Sandbox>();
  sandbox->id = random_hex(kIdBytes);
  sandbox->owner = owner;
  sandbox->guest = std::move(taken.guest);
  sandbox->guest->call(sandbox->id);
  sandbox->warm = taken.warm;
  sandbox->limits = limits;
  sandbox->created = std::chrono::system_clock::now();
  sandbox->ttl = ttl;
  entries_.emplace(sandbox->id,
                   std::unique_ptr<Entry>(new Entry{sandbox, Watch(*this, sandbox->id)}));
  begin_use(*sandbox);
  end_use(sandbox);
  return sandbox;
}

Result<std::shared_ptr<Sandbox>> SandboxTable::find(const std::string& owner, std::string_view id) {
  auto found = find_any(id);
  if (found && (*found)->owner != owner) return no_sandbox();
  return found;
}

Result<std::shared_ptr<Sandbox>> SandboxTable::find_any(std::string_view id) const {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return no_sandbox();
  return found->second->sandbox;
}

std::vector<std::shared_ptr<Sandbox>> SandboxTable::all() const {
  std::vector<std::shared_ptr<Sandbox>> all;
  for (const auto& [id, entry] : entries_) all.push_back(entry->sandbox);
  return all;
}

std::vector<std::shared_ptr<Sandbox>> SandboxTable::of(const std::string& owner) const {
  std::vector<std::shared_ptr<Sandbox>> all;
  for (const auto& [id, entry] : entries_) {
    if (entry->sandbox->owner == owner) all.push_back(entry->sandbox);
  }
  return all;
}

void SandboxTable::remove(const Sandbox& sandbox) {
  const auto found = entries_.find(sandbox.id);
  if (found == entries_.end()) return;
  const auto stored = found->second->sandbox;
  entries_.erase(found);
  put_back(stored->owner);
  pool_.discard(stored->guest);
}

void SandboxTable::begin_use(Sandbox& sandbox) { ++sandbox.uses; }

void SandboxTable::end_use(const std::shared_ptr<Sandbox>& sandbox) {
  --sandbox->uses;
  const auto found = entries_.find(sandbox->id);
  if (found == entries_.end()) return;
  sandbox->expires = here().now() + sandbox->ttl;
  found->second->watch.drop();
  here().timers().set(found->second->watch, sandbox->expires);
}

void SandboxTable::expire(std::string id) {
  const auto found = entries_.find(id);
  // A sandbox in use gets a new deadline when its use ends.
  if (found == entries_.end() || found->second->sandbox->uses > 0) return;
  log::Line(log::Level::info, "sandbox expired")
      .add("sandbox", id)
      .add("who", found->second->sandbox->owner);
  remove(*std::shared_ptr(found->second->sandbox));
}

void SandboxTable::clear() {
  while (!entries_.empty()) remove(*std::shared_ptr(entries_.begin()->second->sandbox));
}

}  // namespace patchbay::upstreams
