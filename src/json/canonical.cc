#include "json/canonical.h"

#include <algorithm>
#include <vector>

#include "json/decimal.h"
#include "json/index.h"
#include "json/text.h"

namespace patchbay::json {
namespace {

constexpr std::size_t kMostCanonicalValues = 1'000'000;

Error two_readings() { return {Code::invalid_params, "a string has an unpaired surrogate"}; }

class Writer {
 public:
  explicit Writer(const Index& index) : index_(index) {}

  Result<std::string> write() {
    if (!value(0)) return two_readings();
    return std::move(out_);
  }

 private:
  bool value(NodeId at) {
    const Node& node = index_[at];
    switch (node.type) {
      case Type::object:
        return object(at);
      case Type::array:
        return array(at);
      case Type::string: {
        auto text = unquote(index_.raw(at));
        if (text) append_quoted(out_, *text);
        return static_cast<bool>(text);
      }
      case Type::number:
        out_ += Decimal(index_.raw(at)).text();
        return true;
      default:
        out_ += index_.raw(at);
        return true;
    }
  }

  bool object(NodeId at) {
    std::vector<NodeId> members;
    for (NodeId child = at + 1; child != index_[at].next; child = index_[child].next) {
      members.push_back(child);
    }
    std::ranges::sort(members, {}, [this](NodeId member) { return index_.key(member); });
    out_ += '{';
    for (const NodeId member : members) {
      if (member != members.front()) out_ += ',';
      const auto key = index_.key(member);
      // In a decoded key, U+FFFD may replace an unpaired surrogate.
      if (index_[member].key_decoded && key.contains(kReplacement)) return false;
      append_quoted(out_, key);
      out_ += ':';
      if (!value(member)) return false;
    }
    out_ += '}';
    return true;
  }

  bool array(NodeId at) {
    out_ += '[';
    for (NodeId child = at + 1; child != index_[at].next; child = index_[child].next) {
      if (child != at + 1) out_ += ',';
      if (!value(child)) return false;
    }
    out_ += ']';
    return true;
  }

  const Index& index_;
  std::string out_;
};

}  // namespace

Result<std::string> canonical(std::string_view text) {
  auto index = Index::of(text, kMostCanonicalValues);
  if (!index) return index.error();
  return Writer(*index).write();
}

}  // namespace patchbay::json
