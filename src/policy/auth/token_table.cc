#include "policy/auth/token_table.h"

#include <fmt/format.h>

#include "json/index.h"
#include "json/read.h"
#include "json/write.h"

namespace patchbay::policy {
namespace {

constexpr std::size_t kMostLineValues = 1'000;  // In one line.

std::string text_list(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const auto& text : texts) {
    if (list.size() > 1) list += ',';
    json::append_quoted(list, text);
  }
  return list + "]";
}

std::vector<std::string> texts_of(std::string_view raw) {
  std::vector<std::string> texts;
  json::each_element(raw, [&](std::string_view one) {
    if (auto text = json::as_string(one)) texts.push_back(*std::move(text));
  });
  return texts;
}

void add_members(json::Object& object, const StoredToken& token) {
  object.raw("id", json::quote(token.hash.id()));
  object.raw("name", json::quote(token.name));
  object.raw("roles", text_list(token.roles));
  object.raw("scopes", text_list(token.scopes));
  object.raw("created", std::to_string(token.created));
  if (token.expires) object.raw("expires", std::to_string(*token.expires));
}

Result<StoredToken> read_line(std::string_view line) {
  // Duplicate keys are refused too.
  auto index = json::Index::of(line, kMostLineValues);
  if (!index) return index.error();
  const auto name = json::string_member(line, "name");
  const auto hash = json::string_member(line, "hash");
  const auto created = json::as_int(json::member(line, "created").value_or(""));
  if (!name || name->empty() || !hash || !created) {
    return Error{Code::invalid_params, "a token needs at least name, hash and created"};
  }
  auto parsed = TokenHash::parse(*hash);
  if (!parsed) return Error{Code::invalid_params, fmt::format("hash {}", parsed.error().message)};
  if (parsed->id().empty()) return Error{Code::invalid_params, "the hash of a token needs an id"};
  const auto given = json::member(line, "expires");
  const auto expires = given ? json::as_int(*given) : std::nullopt;
  if (given && !expires) return Error{Code::invalid_params, "expires is not a whole number"};
  return StoredToken{*std::move(parsed),
                     *name,
                     texts_of(json::member(line, "roles").value_or("[]")),
                     texts_of(json::member(line, "scopes").value_or("[]")),
                     *created,
                     expires};
}

}  // namespace

Result<TokenTable> TokenTable::parse(std::string_view text) {
  TokenTable table;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    auto token = read_line(line);
    if (!token) {
      return Error{Code::invalid_params, fmt::format("line {}: {}", number, token.error().message)};
    }
    if (table.tokens_.size() == kMostTokens) {
      return Error{Code::too_large, fmt::format("has more than {} tokens", kMostTokens)};
    }
    table.tokens_.push_back(*std::move(token));
  }
  return table;
}

std::string TokenTable::text() const {
  std::string text;
  for (const auto& token : tokens_) {
    {
      json::Object line(text);
      add_members(line, token);
      line.raw("hash", json::quote(token.hash.text()));
    }
    text += '\n';
  }
  // An empty file has been truncated by somebody; a table without tokens still has a line.
  return text.empty() ? "\n" : text;
}

std::size_t TokenTable::revoke(std::string_view name_or_id) {
  return std::erase_if(tokens_, [&](const StoredToken& token) {
    return token.name == name_or_id || token.hash.id() == name_or_id;
  });
}

void TokenTable::revoke_id(std::string_view id) {
  std::erase_if(tokens_, [&](const StoredToken& token) { return token.hash.id() == id; });
}

std::string describe(const StoredToken& token) {
  std::string text;
  json::Object object(text);
  add_members(object, token);
  object.end();
  return text;
}

}  // namespace patchbay::policy
