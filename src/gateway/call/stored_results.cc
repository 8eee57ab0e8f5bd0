#include "gateway/call/stored_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "core/ids.h"
#include "json/text.h"

namespace patchbay::gateway {
namespace {

constexpr std::size_t kIdBytes = 16;

std::size_t pages_of(std::string_view text, std::size_t page) {
  return (text.size() + page - 1) / page;
}

// The nearest start of a character at or before `at`.
std::size_t character_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return text.size();
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

Error unknown(std::string_view uri) {
  return {Code::resource_not_found,
          fmt::format("there is no such page, or it is no longer stored: {}", uri),
          fmt::format("{{\"uri\":{}}}", json::quote(uri))};
}

}  // namespace

void StoredResults::set_bounds(const Bounds& bounds) {
  const std::lock_guard lock(mutex_);
  bounds_ = bounds;
}

StoredResults::Bounds StoredResults::bounds() const {
  const std::lock_guard lock(mutex_);
  return bounds_;
}

// Drops the oldest result of the caller that holds the most, so that no caller can evict the
// results of others.
void StoredResults::drop_oldest() {
  std::unordered_map<std::string_view, std::size_t> held;
  for (const auto& [id, one] : by_id_) held[one.owner] += one.text.size();
  const auto size_of = [](const auto& entry) { return entry.second; };
  const std::string most(std::ranges::max_element(held, {}, size_of)->first);
  const auto is_theirs = [&](const std::string& id) { return by_id_.at(id).owner == most; };
  const auto oldest = std::ranges::find_if(ids_, is_theirs);
  held_ -= by_id_.at(*oldest).text.size();
  by_id_.erase(*oldest);
  ids_.erase(oldest);
}

std::size_t StoredResults::bytes() const {
  const std::lock_guard lock(mutex_);
  return held_;
}

Result<StoredResults::Stored> StoredResults::keep(const Principal& caller, std::string text,
                                                  std::string type, Deadline now) {
  const std::lock_guard lock(mutex_);
  if (text.size() > bounds_.total) {
    return Error{Code::too_large, fmt::format("the result has {} bytes, more than can be stored "
                                              "(limits.max_stored_results_size)",
                                              text.size())};
  }
  while (!ids_.empty() && by_id_.at(ids_.front()).until <= now) {
    held_ -= by_id_.at(ids_.front()).text.size();
    by_id_.erase(ids_.front());
    ids_.pop_front();
  }
  while (!ids_.empty() && held_ + text.size() > bounds_.total) drop_oldest();
  const std::string id = random_hex(kIdBytes);
  const Stored stored{fmt::format("{}{}", kStoredPrefix, id), pages_of(text, bounds_.page)};
  held_ += text.size();
  ids_.push_back(id);
  by_id_.emplace(
      id, One{caller.id, std::move(text), std::move(type), bounds_.page, now + bounds_.time});
  return stored;
}

Result<std::string> StoredResults::read(const Principal& caller, std::string_view uri,
                                        Deadline now) {
  const std::string_view rest = uri.substr(std::min(uri.size(), kStoredPrefix.size()));
  const auto slash = rest.find('/');
  std::size_t page = 1;
  if (slash != std::string_view::npos) {
    const auto digits = rest.substr(slash + 1);
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), page);
    if (fault != std::errc() || end != digits.data() + digits.size()) return unknown(uri);
  }
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(std::string(rest.substr(0, slash)));
  if (found == by_id_.end()) return unknown(uri);
  const One& one = found->second;
  const std::size_t pages = pages_of(one.text, one.page);
  if (one.owner != caller.id || one.until <= now || page < 1 || page > pages) return unknown(uri);
  const std::string_view text = one.text;
  const std::size_t from = character_at(text, (page - 1) * one.page);
  const std::size_t to = character_at(text, page * one.page);
  const std::string base = fmt::format("{}{}", kStoredPrefix, found->first);
  const std::string next =
      page < pages ? fmt::format(",\"next\":\"{}/{}\"", base, page + 1) : std::string();
  return fmt::format(
      R"({{"contents":[{{"uri":{},"mimeType":"{}","text":{}}}],"_meta":{{"patchbay/page":{{"number":{},"of":{}{}}}}}}})",
      json::quote(uri), one.type, json::quote(text.substr(from, to - from)), page, pages, next);
}

}  // namespace patchbay::gateway
