// The Members are the nodes of a cluster: the gateways that share a store. Each node has an entry
// in the store that expires unless the node renews it (a lease), and reads those of the others. A
// node whose entry has expired has ended, or cannot be reached by anybody who matters; it joins
// again as a new one.
//
// The lease is renewed on the control thread; everything that is const is for any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/scope.h"
#include "store/store.h"

namespace patchbay::cluster {

inline constexpr store::Table kNodeTable{"nodes"};

// One membership of a process; random, so that no other has the same. 0: none.
using Run = std::uint64_t;

struct Member {
  Run run = 0;
  std::string name = {};     // For people.
  std::string address = {};  // Where other nodes reach it.
  std::string version = {};  // Of the program.
  store::Time joined{};      // By its own clock.
  bool leaving = false;      // It takes no more sessions.

  bool operator==(const Member&) const = default;
};

// As text, and back. None: it is of a version that this one does not understand.
std::string text_of(const Member& member);
std::optional<Member> member_of(std::string_view text);

// Constant.
class MemberList {
 public:
  MemberList() = default;
  explicit MemberList(std::vector<Member> members);

  const std::vector<Member>& all() const { return members_; }
  // Null: it is no member, or not any more.
  const Member* find(Run run) const;
  // The member on which something with this key is placed: the same on every node that sees the
  // same members, and for most keys the same when a member joins or leaves. Null: there is none.
  const Member* member_for(std::string_view key) const;

 private:
  std::vector<Member> members_;  // In the order of their runs.
};

struct MembersSettings {
  std::string name;
  std::string address;
  std::chrono::nanoseconds lease = std::chrono::seconds(2);
};

class Members {
 public:
  // Alone, until join(). REQUIRES: the store outlives it.
  explicit Members(store::Store& store);

  // Our membership. It changes when our lease was lost.
  Run run() const { return run_.load(std::memory_order_relaxed); }
  bool joined() const { return joined_.load(std::memory_order_relaxed); }
  std::shared_ptr<const MemberList> list() const;
  // Whether it is a member. One that is not on the list may have joined since the list was read:
  // its entry is looked up, and if it is there, the member is on the list from now on.
  Task<bool> has(Run run) const;

  // False: this process was not running for so long that its lease may be lost, which it is about
  // to find out.
  bool certain() const;
  // Waits for that, but not for long.
  Task<void> sync() const;

  std::chrono::nanoseconds lease() const { return settings_.lease; }

  // The following are for the control thread.

  // Takes part until stop(). Yields once the first list is complete, or could not be read.
  Task<void> join(MembersSettings settings);
  // Takes no more sessions.
  Task<void> leave();
  Task<void> stop();

 private:
  Task<void> keep();
  Task<void> renew();
  Task<std::optional<store::Version>> put_own(Deadline deadline);
  void join_as_new();
  Task<void> refresh();
  void publish(std::vector<Member> members);
  void add(Member member) const;
  Member own() const;

  store::Store& store_;
  std::atomic<Run> run_;
  std::atomic<bool> joined_ = false;
  std::atomic<std::int64_t> contact_ = 0;  // When the store last answered or failed; clock ticks.
  MembersSettings settings_;
  store::Time since_{};
  store::Version version_ = store::kAbsent;
  bool leaving_ = false;
  bool failing_ = false;  // The store; logged once.
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const MemberList> list_ = std::make_shared<const MemberList>();
  Scope scope_;
};

}  // namespace patchbay::cluster
