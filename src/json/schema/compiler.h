// A SchemaCompiler turns the text of a schema into a SchemaProgram. Subschemas are taken from a
// work list, so neither nesting nor circular references make it recurse. Only what is reachable
// from the root is compiled. Used once, by one thread.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "json/schema/documents.h"
#include "json/schema/program.h"

namespace patchbay::json {

class SchemaCompiler {
 public:
  explicit SchemaCompiler(const SchemaOptions& options)
      : options_(options),
        documents_(options),
        budget_(options.limits.compile),
        regex_limits_(options.limits.regex) {}

  Result<std::unique_ptr<const SchemaProgram>> compile(std::string_view text);

 private:
  // The current subschema: its location and its keywords.
  struct Subject {
    SchemaLocation location;
    const Index* index = nullptr;
    Dialect dialect;
    std::uint32_t resource = 0;
    std::array<NodeId, kKeywords.size()> keywords{};  // 0: absent.
  };

  // After a fault nothing else counts; the first one is stored.
  void fail(NodeId node, std::string_view reason) {
    fail_at({subject_.location.document, node}, reason);
  }
  void fail_at(SchemaLocation location, std::string_view reason);
  void fail_with(NodeId node, const Error& error);

  NodeId keyword(Keyword which) const { return subject_.keywords[static_cast<std::size_t>(which)]; }
  const Node& node(NodeId at) const { return (*subject_.index)[at]; }
  NodeId next(NodeId at) const { return node(at).next; }
  std::string text(NodeId at);
  bool expect(NodeId at, Type type, std::string_view what);

  // The operands of a keyword, added to the arrays of the program.
  BlockId block_at(SchemaLocation location);
  BlockId block(NodeId at) { return block_at({subject_.location.document, at}); }
  std::uint32_t name(std::string text);
  std::uint32_t count(NodeId at);
  std::uint32_t number(NodeId at);
  std::uint32_t constant(NodeId at);
  std::uint32_t pattern(NodeId at, std::string_view text);
  std::uint32_t block_list(NodeId at);
  std::uint32_t name_list(NodeId at);

  void compile_block(BlockId id, SchemaLocation location);
  void read_keywords();
  void put(SchemaStep step) { program_->steps.push_back(step); }

  // One function for each group of keywords, in the order of evaluation.
  void put_type();
  void put_constants();
  void put_numbers();
  void put_old_bound(Keyword which, NodeId at);
  void put_strings();
  void put_arrays();
  void put_items();
  void put_contains();
  void put_objects();
  void put_members();
  void put_dependents();
  void put_applicators();
  void put_references();
  void put_dynamic_reference();
  void put_unevaluated();
  void put_counts(std::uint8_t type, Keyword least, Keyword most);
  void fill_slots(SchemaMembers& members);
  void finish_dynamic();

  const SchemaOptions& options_;
  SchemaDocuments documents_;
  Budget budget_;
  RegexLimits regex_limits_;  // What is left of them.
  std::unique_ptr<SchemaProgram> program_ = std::make_unique<SchemaProgram>();
  Subject subject_;
  std::map<SchemaLocation, BlockId> blocks_;
  std::vector<std::pair<BlockId, SchemaLocation>> to_do_;
  std::map<std::string, std::uint32_t, std::less<>> names_;
  std::map<std::string, std::uint32_t, std::less<>> patterns_;
  std::vector<std::string> dynamic_names_;
  std::size_t pattern_instructions_ = 0;
  bool failed_ = false;
  Error error_;
};

}  // namespace patchbay::json
