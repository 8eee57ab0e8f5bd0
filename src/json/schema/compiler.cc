#include "json/schema/compiler.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/decimal.h"
#include "json/read.h"
#include "json/text.h"

namespace patchbay::json {
namespace {

constexpr std::size_t kMaxDynamicNames = 64;
constexpr std::size_t kLongPattern = 80;  // Bytes of a pattern in a message.
constexpr std::string_view kNoSchema = "must be an object, true or false";

}  // namespace

Result<std::unique_ptr<const SchemaProgram>> SchemaCompiler::compile(std::string_view text) {
  if (text.size() > options_.limits.text) return Error{Code::too_large, "the schema is too large"};
  program_->limits = options_.limits;
  const auto root = documents_.open(text, "");
  if (!root) return Error{root.error().code, "the schema: " + root.error().message};
  block_at(*root);
  while (!failed_ && !to_do_.empty()) {
    const auto [id, location] = to_do_.back();
    to_do_.pop_back();
    compile_block(id, location);
    // The targets of a `$dynamicRef` are known only when everything else is compiled.
    if (to_do_.empty()) finish_dynamic();
  }
  if (failed_) return error_;
  return std::unique_ptr<const SchemaProgram>(std::move(program_));
}

void SchemaCompiler::fail_at(SchemaLocation location, std::string_view reason) {
  if (failed_) return;
  failed_ = true;
  error_ = {Code::invalid_params,
            fmt::format("the schema at {}: {}", documents_.describe(location), reason)};
}

void SchemaCompiler::fail_with(NodeId at, const Error& error) {
  if (failed_) return;
  fail(at, error.message);
  error_.code = error.code;
}

std::string SchemaCompiler::text(NodeId at) {
  std::string scratch;
  return std::string(subject_.index->text(at, scratch));
}

bool SchemaCompiler::expect(NodeId at, Type type, std::string_view what) {
  if (node(at).type == type) return true;
  fail(at, fmt::format("must be {}", what));
  return false;
}

BlockId SchemaCompiler::block_at(SchemaLocation location) {
  const auto id = static_cast<BlockId>(program_->blocks.size());
  const auto [known, fresh] = blocks_.try_emplace(location, id);
  if (!fresh) return known->second;
  if (id >= options_.limits.subschemas) {
    fail_at(location, fmt::format("there are more than {} subschemas", options_.limits.subschemas));
    error_.code = Code::too_large;
    return 0;
  }
  program_->blocks.emplace_back();
  to_do_.emplace_back(id, location);
  return id;
}

void SchemaCompiler::compile_block(BlockId id, SchemaLocation location) {
  subject_ = {location, &documents_.index(location), {}, documents_.resource_of(location)};
  if (subject_.resource == kNone) return fail(location.node, kNoSchema);
  subject_.dialect = documents_.resources()[subject_.resource].dialect;
  const auto first = static_cast<std::uint32_t>(program_->steps.size());
  if (node(location.node).type == Type::boolean) {
    if (subject_.index->raw(location.node) == "false") put({.keyword = Keyword::never});
  } else if (node(location.node).type != Type::object) {
    fail(location.node, kNoSchema);
  } else {
    read_keywords();
    put_type();
    put_constants();
    put_numbers();
    put_strings();
    put_arrays();
    put_objects();
    put_applicators();
    put_references();
    put_unevaluated();
  }
  SchemaBlock& out = program_->blocks[id];
  out.first = first;
  out.count = static_cast<std::uint32_t>(program_->steps.size()) - first;
  out.resource = subject_.resource;
  out.unevaluated = keyword(Keyword::unevaluated_items) || keyword(Keyword::unevaluated_properties);
}

void SchemaCompiler::read_keywords() {
  for (NodeId child = subject_.location.node + 1; child != next(subject_.location.node);
       child = next(child)) {
    if (const auto found = find_keyword(subject_.index->key(child), subject_.dialect)) {
      subject_.keywords[static_cast<std::size_t>(*found)] = child;
    }
  }
  // Up to draft-07 keywords beside a `$ref` are ignored.
  if (subject_.dialect.is_old() && keyword(Keyword::ref)) {
    const NodeId ref = keyword(Keyword::ref);
    subject_.keywords.fill(0);
    subject_.keywords[static_cast<std::size_t>(Keyword::ref)] = ref;
  }
}

std::uint32_t SchemaCompiler::name(std::string text) {
  const auto id = static_cast<std::uint32_t>(program_->names.size());
  const auto [known, fresh] = names_.try_emplace(std::move(text), id);
  if (fresh) program_->names.push_back(known->first);
  return known->second;
}

// A count beyond any possible text is stored as the maximum.
std::uint32_t SchemaCompiler::count(NodeId at) {
  if (!expect(at, Type::number, "a whole number from 0 on")) return 0;
  const Decimal value(subject_.index->raw(at));
  if (value.is_negative() || !value.is_whole()) {
    fail(at, "must be a whole number from 0 on");
    return 0;
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value.count().value_or(kNone), kNone));
}

std::uint32_t SchemaCompiler::number(NodeId at) {
  if (!expect(at, Type::number, "a number")) return 0;
  const std::string_view raw = subject_.index->raw(at);
  program_->numbers.push_back({std::string(raw), as_int(raw)});
  return static_cast<std::uint32_t>(program_->numbers.size() - 1);
}

std::uint32_t SchemaCompiler::constant(NodeId at) {
  SchemaConstant& out = program_->constants.emplace_back();
  out.text = subject_.index->raw(at);
  auto index = Index::of(out.text, options_.limits.values);
  if (index) {
    out.index = *std::move(index);
  } else {
    fail_with(at, index.error());
  }
  return static_cast<std::uint32_t>(program_->constants.size() - 1);
}

std::uint32_t SchemaCompiler::pattern(NodeId at, std::string_view text) {
  const auto id = static_cast<std::uint32_t>(program_->patterns.size());
  const auto [known, fresh] = patterns_.try_emplace(std::string(text), id);
  if (!fresh) return known->second;
  auto compiled = Regex::compile(text, regex_limits_);
  if (!compiled) {
    fail_with(at, {compiled.error().code,
                   fmt::format("the pattern {} cannot be used: {}", shortened(text, kLongPattern),
                               compiled.error().message)});
    return 0;
  }
  compiled->charge(regex_limits_);
  pattern_instructions_ += compiled->size();
  if (pattern_instructions_ > options_.limits.patterns) {
    fail_with(at, {Code::too_large, "the patterns are too large all together"});
  }
  program_->patterns.push_back(*std::move(compiled));
  return id;
}

std::uint32_t SchemaCompiler::block_list(NodeId at) {
  std::vector<std::uint32_t> blocks;
  for (NodeId child = at + 1; child != next(at); child = next(child))
    blocks.push_back(block(child));
  const auto first = static_cast<std::uint32_t>(program_->lists.size());
  program_->lists.insert(program_->lists.end(), blocks.begin(), blocks.end());
  return first;
}

std::uint32_t SchemaCompiler::name_list(NodeId at) {
  const auto first = static_cast<std::uint32_t>(program_->lists.size());
  for (NodeId child = at + 1; child != next(at); child = next(child)) {
    if (!expect(child, Type::string, "a string")) break;
    program_->lists.push_back(name(text(child)));
  }
  return first;
}

// The blocks of the dynamic anchors in use, in every resource that has one.
void SchemaCompiler::finish_dynamic() {
  const auto& resources = documents_.resources();
  if (dynamic_names_.size() > kMaxDynamicNames ||
      !budget_.spend(dynamic_names_.size() * resources.size())) {
    return fail_with(0, {Code::too_large, "there are too many dynamic anchors"});
  }
  program_->resources = static_cast<std::uint32_t>(resources.size());
  program_->dynamic.assign(dynamic_names_.size() * resources.size(), kNone);
  for (std::size_t name = 0; name < dynamic_names_.size(); ++name) {
    for (std::size_t i = 0; i < resources.size(); ++i) {
      const auto found = resources[i].dynamic_anchors.find(dynamic_names_[name]);
      if (found == resources[i].dynamic_anchors.end()) continue;
      program_->dynamic[name * resources.size() + i] =
          block_at({resources[i].root.document, found->second});
    }
  }
}

}  // namespace patchbay::json
