#include "cluster/members.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/discard.h"
#include "core/ids.h"
#include "core/version.h"
#include "json/read.h"
#include "json/write.h"
#include "observe/log.h"

namespace patchbay::cluster {
namespace {

constexpr std::size_t kMostMembers = 1000;
constexpr int kRenewals = 5;  // Within the time of a lease.
constexpr auto kLookAgain = std::chrono::milliseconds(10);

Run new_run() {
  Run run = 0;
  const std::string digits = random_hex(8);
  std::from_chars(digits.data(), digits.data() + digits.size(), run, 16);
  return run == 0 ? 1 : run;
}

std::string key_of(Run run) { return fmt::format("{:016x}", run); }

// A hash of the key and the member that differs in all bits (FNV-1a, then the finalizer of
// MurmurHash3).
std::uint64_t weight(std::string_view key, Run run) {
  std::uint64_t hash = 0xcbf29ce484222325U ^ run;
  for (const char byte : key) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  }
  hash = (hash ^ (hash >> 33U)) * 0xff51afd7ed558ccdU;
  hash = (hash ^ (hash >> 33U)) * 0xc4ceb9fe1a85ec53U;
  return hash ^ (hash >> 33U);
}

std::int64_t ticks_now() { return Clock::now().time_since_epoch().count(); }

}  // namespace

std::string text_of(const Member& member) {
  using std::chrono::milliseconds;
  const auto joined =
      std::chrono::duration_cast<milliseconds>(member.joined.time_since_epoch()).count();
  std::string text;
  json::Object object(text);
  object.raw("run", json::quote(key_of(member.run)));
  object.raw("name", json::quote(member.name));
  object.raw("address", json::quote(member.address));
  object.raw("version", json::quote(member.version));
  object.raw("joined", fmt::format("{}", joined));
  if (member.leaving) object.raw("leaving", "true");
  object.end();
  return text;
}

std::optional<Member> member_of(std::string_view text) {
  Member member;
  const auto run = json::string_member(text, "run").value_or("");
  const auto [end, fault] = std::from_chars(run.data(), run.data() + run.size(), member.run, 16);
  if (fault != std::errc() || end != run.data() + run.size() || member.run == 0) {
    return std::nullopt;
  }
  member.name = json::string_member(text, "name").value_or("");
  member.address = json::string_member(text, "address").value_or("");
  member.version = json::string_member(text, "version").value_or("");
  const auto joined = json::member(text, "joined").and_then(json::as_int).value_or(0);
  member.joined = store::Time(std::chrono::milliseconds(joined));
  member.leaving = json::member(text, "leaving").and_then(json::as_bool).value_or(false);
  return member;
}

MemberList::MemberList(std::vector<Member> members) : members_(std::move(members)) {
  std::ranges::sort(members_, {}, &Member::run);
}

const Member* MemberList::find(Run run) const {
  const auto found = std::ranges::lower_bound(members_, run, {}, &Member::run);
  return found == members_.end() || found->run != run ? nullptr : &*found;
}

const Member* MemberList::member_for(std::string_view key) const {
  const Member* best = nullptr;
  std::uint64_t most = 0;
  for (const auto& member : members_) {
    const std::uint64_t weighs = weight(key, member.run);
    if (member.leaving || (best && weighs <= most)) continue;
    best = &member;
    most = weighs;
  }
  return best;
}

Members::Members(store::Store& store) : store_(store), run_(new_run()) {}

std::shared_ptr<const MemberList> Members::list() const {
  const std::lock_guard lock(mutex_);
  return list_;
}

void Members::publish(std::vector<Member> members) {
  auto made = std::make_shared<const MemberList>(std::move(members));
  const std::lock_guard lock(mutex_);
  list_ = std::move(made);
}

void Members::add(Member member) const {
  const std::lock_guard lock(mutex_);
  if (list_->find(member.run)) return;
  std::vector<Member> members = list_->all();
  members.push_back(std::move(member));
  list_ = std::make_shared<const MemberList>(std::move(members));
}

Task<bool> Members::has(Run run) const {
  if (list()->find(run)) co_return true;
  if (run == 0 || !joined()) co_return false;
  const Deadline deadline = here().now() + settings_.lease / 2;
  auto entry = co_await store_.get(kNodeTable, key_of(run), deadline);
  if (!entry) co_return entry.error();
  auto member = *entry ? member_of((*entry)->value) : std::nullopt;
  if (!member) co_return false;
  add(*std::move(member));
  co_return true;
}

bool Members::certain() const {
  return !joined() || ticks_now() - contact_.load(std::memory_order_relaxed) <
                          std::chrono::duration_cast<Clock::duration>(settings_.lease).count();
}

Task<void> Members::sync() const {
  const Deadline until = here().now() + settings_.lease;
  while (!certain() && here().now() < until) {
    auto slept = co_await sleep_until(here().now() + kLookAgain);
    if (!slept) co_return slept;
  }
  co_return ok();
}

Member Members::own() const {
  return {run(), settings_.name, settings_.address, std::string(kVersion), since_, leaving_};
}

Task<void> Members::join(MembersSettings settings) {
  settings_ = std::move(settings);
  since_ = std::chrono::system_clock::now();
  publish({own()});
  joined_ = true;
  contact_ = ticks_now();
  auto renewed = co_await renew();
  discard(renewed, "it is logged, and tried again");
  scope_.spawn(keep());
  co_return ok();
}

Task<void> Members::keep() {
  for (;;) {
    auto slept = co_await sleep_until(here().now() + settings_.lease / kRenewals);
    if (!slept) co_return slept;
    auto renewed = co_await renew();
    if (!renewed && renewed.error().code == Code::cancelled) co_return renewed;
  }
}

Task<void> Members::renew() {
  const Deadline deadline = here().now() + settings_.lease / 2;
  auto put = co_await put_own(deadline);
  if (put && !*put) {
    // A renewal that seemed to fail may have succeeded; otherwise there is no entry any more.
    auto there = co_await store_.get(kNodeTable, key_of(run()), deadline);
    if (there) {
      if (!*there) join_as_new();
      version_ = *there ? (*there)->version : store::kAbsent;
      put = co_await put_own(deadline);
    }
  }
  if (put && *put) version_ = **put;
  auto read = put ? co_await refresh() : Result<void>(put.error());
  contact_ = ticks_now();
  if (!read && read.error().code != Code::cancelled && !std::exchange(failing_, true)) {
    log::Line(log::Level::error, "the members of the cluster are unknown: the store fails")
        .add("why", read.error().message)
        .add("setting", "cluster.store");
  }
  if (read) failing_ = false;
  co_return read;
}

Task<std::optional<store::Version>> Members::put_own(Deadline deadline) {
  const auto expires = std::chrono::system_clock::now() +
                       std::chrono::duration_cast<store::Time::duration>(settings_.lease);
  return store_.put_if(kNodeTable, {key_of(run()), text_of(own()), expires}, version_, deadline);
}

// The lease was lost, and sessions of ours may be elsewhere by now.
void Members::join_as_new() {
  const Run before = run();
  run_ = new_run();
  since_ = std::chrono::system_clock::now();
  log::Line(log::Level::warn, "membership lost: this node joins again as a new one")
      .add("was", key_of(before))
      .add("now", key_of(run()))
      .add("setting", "cluster.lease_timeout");
}

Task<void> Members::refresh() {
  auto entries =
      co_await store_.scan(kNodeTable, "", kMostMembers, here().now() + settings_.lease / 2);
  if (!entries) co_return entries.error();
  std::vector<Member> members;
  for (const auto& entry : *entries) {
    auto member = member_of(entry.value);
    if (member) members.push_back(*std::move(member));
  }
  publish(std::move(members));
  co_return ok();
}

Task<void> Members::leave() {
  if (!joined() || leaving_) co_return ok();
  leaving_ = true;
  co_return co_await renew();
}

Task<void> Members::stop() {
  if (!joined()) co_return ok();
  scope_.cancel();
  auto drained = co_await scope_.drain(kNever);
  if (!drained) co_return drained;
  auto erased =
      co_await store_.erase(kNodeTable, key_of(run()), here().now() + settings_.lease / 2);
  co_return erased;
}

}  // namespace patchbay::cluster
