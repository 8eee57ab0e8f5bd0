#include "osquery/statement.h"

#include <algorithm>
#include <set>
#include <utility>

#include "osquery/sql_tokens.h"
#include "osquery/text.h"

namespace patchbay::osquery {
namespace {

Error refused(std::string why) { return {Code::invalid_params, std::move(why)}; }

constexpr std::string_view kOnlyReads =
    "only one SELECT, WITH … SELECT or EXPLAIN of these is accepted";

// Walks over the tokens of a statement and collects the names in table positions: after FROM, JOIN,
// a comma between tables, and IN. Each pair of parentheses is a level; the names that WITH defines
// are known from there to the end of its level.
class TableFinder {
 public:
  explicit TableFinder(const std::vector<Token>& tokens) : tokens_(tokens), levels_(1) {}

  Result<std::vector<std::string>> run(std::size_t first) {
    for (at_ = first; at_ < tokens_.size(); ++at_) {
      if (tokens_[at_].kind == Token::Kind::sign) {
        if (!sign(tokens_[at_].text[0])) return refused("the parentheses do not match");
      } else if (auto good = name_or_keyword(tokens_[at_]); !good) {
        return good.error();
      }
    }
    return std::move(tables_);
  }

 private:
  struct Level {
    bool fresh = true;         // Nothing of it has been read.
    bool tables = false;       // Among the tables of a FROM.
    bool expects = false;      // The next name is a table.
    bool definitions = false;  // Among the queries of a WITH.
    std::vector<std::string> defined = {};
  };

  const Token* ahead(std::size_t count) const {
    return at_ + count < tokens_.size() ? &tokens_[at_ + count] : nullptr;
  }

  bool sign(char c) {
    Level& level = levels_.back();
    if (c == '(') {
      // Parentheses where a table is expected hold a query, or tables again.
      const bool among_tables = std::exchange(level.expects, false);
      level.fresh = false;
      levels_.push_back({.tables = among_tables, .expects = among_tables});
      return true;
    }
    if (c == ')') {
      levels_.pop_back();
      return !levels_.empty();
    }
    level.fresh = false;
    if (c == ',' && level.tables) level.expects = true;
    if (c == ',' && level.definitions) define();
    return true;
  }

  Result<void> name_or_keyword(const Token& token) {
    Level& level = levels_.back();
    const bool fresh = std::exchange(level.fresh, false);
    const bool keyword = token.kind == Token::Kind::bare;
    if (fresh && keyword && (token.text == "select" || token.text == "values")) {
      level.tables = level.expects = false;
      return ok();
    }
    if (fresh && token.is("with")) {
      level.tables = level.expects = false;
      level.definitions = true;
      define();
      return ok();
    }
    if (level.expects) {
      level.expects = false;
      table();
      return ok();
    }
    return keyword ? clause(token.text) : ok();
  }

  Result<void> clause(std::string_view keyword) {
    Level& level = levels_.back();
    const Token* const before = at_ > 0 ? &tokens_[at_ - 1] : nullptr;
    if (level.definitions && before && before->is(')') && keyword != "as") {
      if (keyword != "select" && keyword != "values") return refused(std::string(kOnlyReads));
      level.definitions = false;
    }
    // `a IS DISTINCT FROM b` is a comparison.
    if (keyword == "from" && !(before && before->is("distinct")))
      level.tables = level.expects = true;
    if (keyword == "join") level.tables = level.expects = true;
    for (const auto end :
         {"where", "group", "having", "order", "limit", "union", "intersect", "except"}) {
      if (keyword == end) level.tables = false;
    }
    // `x IN (…)` is a list or a query; `x IN name` reads a table.
    if (keyword == "in" && ahead(1) && !ahead(1)->is('(')) level.expects = true;
    return ok();
  }

  // The token is a table, or a schema with a table after it.
  void table() {
    const bool qualified = ahead(1) && ahead(1)->is('.') && ahead(2);
    if (qualified) at_ += 2;
    const std::string name = ascii_lower(tokens_[at_].text);
    const bool defined = std::ranges::any_of(levels_, [&](const Level& level) {
      return std::ranges::find(level.defined, name) != level.defined.end();
    });
    if (defined && !qualified) return;
    if (known_.insert(name).second) tables_.push_back(name);
  }

  // After WITH, or a comma in it: `[RECURSIVE] name [(columns)] AS`.
  void define() {
    if (ahead(1) && ahead(1)->is("recursive") && ahead(2) && !ahead(2)->is("as")) ++at_;
    if (ahead(1) && ahead(1)->kind != Token::Kind::sign) {
      ++at_;
      levels_.back().defined.push_back(ascii_lower(tokens_[at_].text));
    }
  }

  const std::vector<Token>& tokens_;
  std::size_t at_ = 0;
  std::vector<Level> levels_;
  std::vector<std::string> tables_;  // In the order met, each once.
  std::set<std::string> known_;      // The same.
};

// Where the statement proper begins: after EXPLAIN [QUERY PLAN].
std::size_t body_begin(const std::vector<Token>& tokens) {
  if (!tokens[0].is("explain")) return 0;
  const bool plan = tokens.size() > 2 && tokens[1].is("query") && tokens[2].is("plan");
  return plan ? 3 : 1;
}

std::string key_of(const std::vector<Token>& tokens) {
  std::string key;
  for (const auto& token : tokens) {
    key += static_cast<char>('0' + static_cast<int>(token.kind));
    key += token.text;
    key += '\0';
  }
  return key;
}

}  // namespace

Result<Statement> examine(std::string_view sql) {
  sql = trimmed(sql);
  if (sql.empty()) return refused("the SQL is empty");
  // osqueryi would read these as options and commands of its own.
  if (sql.front() == '-' || sql.front() == '.') return refused("SQL must not begin with - or .");
  if (sql.find('\0') != std::string_view::npos) return refused("SQL must not contain zero bytes");
  auto tokens = tokenize(sql);
  if (!tokens) return tokens.error();
  while (!tokens->empty() && tokens->back().is(';')) tokens->pop_back();
  if (std::ranges::any_of(*tokens, [](const Token& token) { return token.is(';'); })) {
    return refused("only one statement is accepted at a time");
  }
  const std::size_t body = tokens->empty() ? 0 : body_begin(*tokens);
  if (body >= tokens->size() || !((*tokens)[body].is("select") || (*tokens)[body].is("with"))) {
    return refused(std::string(kOnlyReads));
  }
  auto tables = TableFinder(*tokens).run(body);
  if (!tables) return tables.error();
  const std::size_t begin = tokens->front().begin;
  return Statement{std::string(sql.substr(begin, tokens->back().end - begin)), key_of(*tokens),
                   *std::move(tables)};
}

}  // namespace patchbay::osquery
