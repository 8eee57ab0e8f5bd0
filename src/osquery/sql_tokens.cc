#include "osquery/sql_tokens.h"

#include "osquery/text.h"

namespace patchbay::osquery {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_name(char c) { return begins_name(c) || is_digit(c) || c == '$'; }

// Why a character is refused outside quotes; empty if it is accepted. There SQLite has special
// rules, and a different reading could hide the name of a table.
const char* objection(char c) {
  // `$a(/*)` is one variable, whatever is in its parentheses.
  if (std::string_view("?:@$#").contains(c))
    return "the SQL has a variable; write the value itself";
  // SQLite reads a byte order mark as white space, every other byte as a letter.
  if ((c & 0x80) != 0) return "names and signs that are not ASCII must be in quotes";
  return nullptr;
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view sql) : sql_(sql) {}

  Result<std::vector<Token>> run() {
    while (at_ < sql_.size()) {
      if (!step()) return Error{Code::invalid_params, why_};
    }
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0';
  }

  bool step() {
    const char c = peek();
    if (is_blank(c)) {
      ++at_;
    } else if (c == '-' && peek(1) == '-') {
      at_ = std::min(sql_.find('\n', at_), sql_.size());
    } else if (c == '/' && peek(1) == '*' && at_ + 2 < sql_.size()) {
      const auto end = sql_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? sql_.size() : end + 2;
    } else if (c == '\'') {
      return quoted('\'', Token::Kind::string);
    } else if (c == '"' || c == '`') {
      return quoted(c, Token::Kind::name);
    } else if (c == '[') {
      return bracketed();
    } else if (begins_name(c)) {
      take(Token::Kind::bare, continues_name);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      take(Token::Kind::number, [](char one) { return continues_name(one) || one == '.'; });
    } else if (const char* const why = objection(c)) {
      why_ = why;
      return false;
    } else {
      add(Token::Kind::sign, std::string(1, c), at_ + 1);
    }
    return true;
  }

  void add(Token::Kind kind, std::string text, std::size_t end) {
    tokens_.push_back({kind, std::move(text), at_, end});
    at_ = end;
  }

  template <class Continues>
  void take(Token::Kind kind, Continues continues) {
    std::size_t end = at_ + 1;
    while (end < sql_.size() && continues(sql_[end])) ++end;
    add(kind, ascii_lower(sql_.substr(at_, end - at_)), end);
  }

  // A quote inside is written twice.
  bool quoted(char quote, Token::Kind kind) {
    std::string text;
    for (std::size_t end = at_ + 1; end < sql_.size(); ++end) {
      if (sql_[end] != quote) {
        text += sql_[end];
      } else if (end + 1 < sql_.size() && sql_[end + 1] == quote) {
        text += sql_[++end];
      } else {
        add(kind, kind == Token::Kind::string ? text : ascii_lower(text), end + 1);
        return true;
      }
    }
    return false;
  }

  bool bracketed() {
    const auto end = sql_.find(']', at_);
    if (end == std::string_view::npos) return false;
    add(Token::Kind::name, ascii_lower(sql_.substr(at_ + 1, end - at_ - 1)), end + 1);
    return true;
  }

  const std::string_view sql_;
  std::size_t at_ = 0;
  const char* why_ = "a quote in the SQL is not closed";  // The text is refused.
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view sql) { return Tokenizer(sql).run(); }

}  // namespace patchbay::osquery
