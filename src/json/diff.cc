#include "json/diff.h"

#include <map>

#include "json/equal.h"
#include "json/index.h"

namespace patchbay::json {
namespace {

constexpr std::size_t kMostComparedValues = 1'000'000;
constexpr std::uint64_t kMostSteps = 50'000'000;

class Comparison {
 public:
  Comparison(const Index& before, const Index& after, std::size_t most)
      : before_(before), after_(after), most_(most) {}

  void compare(NodeId a, NodeId b) {
    if (found_.size() >= most_ || equal(before_, a, after_, b, budget_)) return;
    if (before_[a].type != Type::object || after_[b].type != Type::object) {
      found_.push_back(
          {before_.pointer(a), std::string(before_.raw(a)), std::string(after_.raw(b))});
      return;
    }
    // A look-up in an Index scans all members, so they are sorted first.
    const Members old_members = members(before_, a);
    const Members new_members = members(after_, b);
    for (NodeId x = a + 1; x != before_[a].next; x = before_[x].next) {
      const auto y = new_members.find(before_.key(x));
      if (y != new_members.end()) {
        compare(x, y->second);
      } else if (found_.size() < most_) {
        found_.push_back({before_.pointer(x), std::string(before_.raw(x)), ""});
      }
    }
    for (NodeId y = b + 1; y != after_[b].next; y = after_[y].next) {
      if (old_members.contains(after_.key(y)) || found_.size() >= most_) continue;
      found_.push_back({after_.pointer(y), "", std::string(after_.raw(y))});
    }
  }

  std::vector<Difference> found() && { return std::move(found_); }

 private:
  using Members = std::map<std::string_view, NodeId>;

  static Members members(const Index& index, NodeId object) {
    Members out;
    for (NodeId child = object + 1; child != index[object].next; child = index[child].next) {
      out.emplace(index.key(child), child);
    }
    return out;
  }

  const Index& before_;
  const Index& after_;
  const std::size_t most_;
  Budget budget_{kMostSteps};
  std::vector<Difference> found_;
};

}  // namespace

std::vector<Difference> differences(std::string_view before, std::string_view after,
                                    std::size_t most) {
  const auto first = Index::of(before, kMostComparedValues);
  const auto second = Index::of(after, kMostComparedValues);
  if (!first || !second) {
    if (before == after || most == 0) return {};
    return {{"", std::string(before), std::string(after)}};
  }
  Comparison comparison(*first, *second, most);
  comparison.compare(0, 0);
  return std::move(comparison).found();
}

}  // namespace patchbay::json
