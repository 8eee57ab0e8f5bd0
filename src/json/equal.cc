#include "json/equal.h"

#include <algorithm>
#include <vector>

#include "json/decimal.h"

namespace patchbay::json {
namespace {

std::uint64_t stir(std::uint64_t hash) {
  hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9;
  return hash ^ hash >> 27;
}

bool equal_strings(const Index& first, NodeId a, const Index& second, NodeId b) {
  if (first.raw(a) == second.raw(b)) return true;
  std::string decoded_a;
  std::string decoded_b;
  return first.text(a, decoded_a) == second.text(b, decoded_b);
}

bool equal_arrays(const Index& first, NodeId a, const Index& second, NodeId b, Budget& budget) {
  NodeId y = b + 1;
  for (NodeId x = a + 1; x != first[a].next; x = first[x].next, y = second[y].next) {
    if (!equal(first, x, second, y, budget)) return false;
  }
  return true;
}

std::vector<NodeId> members(const Index& index, NodeId object) {
  std::vector<NodeId> out;
  out.reserve(index[object].count);
  for (NodeId child = object + 1; child != index[object].next; child = index[child].next) {
    out.push_back(child);
  }
  return out;
}

void sort_by_key(const Index& index, std::vector<NodeId>& members) {
  std::ranges::sort(members, [&index](NodeId a, NodeId b) {
    if (index[a].key_hash != index[b].key_hash) return index[a].key_hash < index[b].key_hash;
    return index.key(a) < index.key(b);
  });
}

// Keys are unique in an Index, so equal counts and each key found mean equal sets of keys. Usually
// the order is the same; otherwise both are sorted, so that no key is searched for.
bool equal_objects(const Index& first, NodeId a, const Index& second, NodeId b, Budget& budget) {
  const auto same_key = [&](NodeId x, NodeId y) {
    return first[x].key_hash == second[y].key_hash && first.key(x) == second.key(y);
  };
  std::vector<NodeId> ones = members(first, a);
  std::vector<NodeId> others = members(second, b);
  if (!std::ranges::equal(ones, others, same_key)) {
    if (!budget.spend(ones.size())) return false;
    sort_by_key(first, ones);
    sort_by_key(second, others);
    if (!std::ranges::equal(ones, others, same_key)) return false;
  }
  for (std::size_t i = 0; i < ones.size(); ++i) {
    if (!equal(first, ones[i], second, others[i], budget)) return false;
  }
  return true;
}

}  // namespace

bool equal(const Index& first, NodeId a, const Index& second, NodeId b, Budget& budget) {
  const Node& one = first[a];
  const Node& other = second[b];
  if (one.type != other.type || one.count != other.count) return false;
  if (!budget.spend(1 + one.size / 64)) return false;
  switch (one.type) {
    case Type::object:
      return equal_objects(first, a, second, b, budget);
    case Type::array:
      return equal_arrays(first, a, second, b, budget);
    case Type::string:
      return equal_strings(first, a, second, b);
    case Type::number:
      return first.raw(a) == second.raw(b) || Decimal(first.raw(a)) == Decimal(second.raw(b));
    default:
      return first.raw(a) == second.raw(b);
  }
}

std::uint64_t hash_value(const Index& index, NodeId at, Budget& budget) {
  const Node& node = index[at];
  std::uint64_t hash = static_cast<std::uint64_t>(node.type) << 32 | node.count;
  if (!budget.spend(1 + (node.count == 0 ? node.size / 64 : 0))) return hash;
  std::string scratch;
  switch (node.type) {
    case Type::object:
      for (NodeId child = at + 1; child != node.next; child = index[child].next) {
        hash += stir(hash_value(index, child, budget) + index[child].key_hash);
      }
      break;
    case Type::array:
      for (NodeId child = at + 1; child != node.next; child = index[child].next) {
        hash = stir(hash * 31 + hash_value(index, child, budget));
      }
      break;
    case Type::string:
      hash += hash_key(index.text(at, scratch));
      break;
    case Type::number:
      hash += Decimal(index.raw(at)).hash();
      break;
    default:
      hash += static_cast<unsigned char>(index.raw(at).front());
  }
  return stir(hash);
}

}  // namespace patchbay::json
