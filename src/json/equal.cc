#include "json/equal.h"

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

// Keys are unique in an Index, so equal counts and each key found mean the same set of keys.
bool equal_objects(const Index& first, NodeId a, const Index& second, NodeId b, Budget& budget) {
  const auto same_key = [&](NodeId x, NodeId y) {
    return first[x].key_hash == second[y].key_hash && first.key(x) == second.key(y);
  };
  NodeId next = b + 1;  // Most often the order is the same: look here first.
  for (NodeId x = a + 1; x != first[a].next; x = first[x].next) {
    NodeId y = next;
    if (y == second[b].next || !same_key(x, y)) {
      for (y = b + 1; y != second[b].next && !same_key(x, y); y = second[y].next) {
        if (!budget.spend(1)) return false;
      }
    }
    if (y == second[b].next || !equal(first, x, second, y, budget)) return false;
    next = second[y].next;
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
