// A SchemaValidation is one run of a SchemaProgram over the Index of a value. It recurses as deep
// as subschemas apply inside one another, which is bounded, and every evaluated subschema costs a
// step of a budget. Used once, by one thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "json/equal.h"
#include "json/index.h"
#include "json/schema/program.h"
#include "json/schema/violation.h"

namespace patchbay::json {

// A violation in numbers. It becomes text only if it is reported.
struct SchemaFault {
  const SchemaStep* step = nullptr;
  Keyword keyword = Keyword::never;  // Of the step, or the one of several that it combines.
  NodeId node = 0;
  std::uint32_t detail = 0;  // A count, or the index of a name or a node.
};

class SchemaValidation {
 public:
  SchemaValidation(const SchemaProgram& program, const Index& value, std::size_t most)
      : program_(program), value_(value), most_(most), budget_(program.limits.steps) {}

  // Up to `most` violations.
  Result<std::vector<Violation>> run();

 private:
  using Fault = SchemaFault;
  // The fault, and inside alternatives that all failed the closest one.
  struct Report {
    Fault fault;
    Fault nearest;  // Without a step: there is none.
  };

  bool block(BlockId id, NodeId node, bool collect);
  bool step(const SchemaStep& step, NodeId node, bool collect);
  bool silently(BlockId id, NodeId node, bool collect);
  bool fail(const Fault& fault, const Fault& nearest = {});
  void evaluate(NodeId child, bool collect) {
    if (collect) evaluated_.push_back(child);
  }
  bool is_false(BlockId id) const;
  bool stop() const { return silent_ > 0 || reports_.size() >= most_ || exhausted(); }
  bool exhausted() const { return too_deep_ || budget_.spent(); }

  bool type(const SchemaStep& step, NodeId node);
  bool enumeration(const SchemaStep& step, NodeId node);
  bool number(const SchemaStep& step, NodeId node);
  bool string(const SchemaStep& step, NodeId node);
  bool items(const SchemaStep& step, NodeId node, bool collect);
  bool contains(const SchemaStep& step, NodeId node, bool collect);
  bool unique_items(const SchemaStep& step, NodeId node);
  bool members(const SchemaStep& step, NodeId node, bool collect);
  bool member(const SchemaStep& step, const SchemaMembers& table, NodeId child, bool collect,
              std::uint32_t& required);
  bool missing(const SchemaStep& step, const SchemaMembers& table, NodeId node);
  bool property_names(const SchemaStep& step, NodeId node);
  bool dependent(const SchemaStep& step, NodeId node, bool collect);
  bool all_of(const SchemaStep& step, NodeId node, bool collect);
  bool any_of(const SchemaStep& step, NodeId node, bool collect);
  bool one_of(const SchemaStep& step, NodeId node, bool collect);
  bool condition(const SchemaStep& step, NodeId node, bool collect);
  bool dynamic_ref(const SchemaStep& step, NodeId node, bool collect);
  bool unevaluated(const SchemaStep& step, NodeId node, bool collect, std::size_t from);

  // In violations.cc.
  Violation put_in_words(const Report& report) const;
  std::string reason(const Fault& fault) const;

  const SchemaProgram& program_;
  const Index& value_;
  const std::size_t most_;
  Budget budget_;
  std::size_t depth_ = 0;
  bool too_deep_ = false;
  int silent_ = 0;  // Inside a subschema that may fail.
  Report last_;
  std::vector<Report> reports_;

  // Members and elements that a subschema has evaluated, as far as needed; those of the current
  // block begin where it began. Those of a failed subschema are removed.
  std::vector<NodeId> evaluated_;
  std::vector<std::uint32_t> scope_;  // The resources entered, for `$dynamicRef`.
  std::string scratch_;
};

}  // namespace patchbay::json
