#include "gateway/session_records.h"

#include <fmt/format.h>

#include <chrono>

#include "crypto/sha256.h"
#include "json/read.h"
#include "json/write.h"
#include "observe/log.h"

namespace patchbay::gateway {
namespace {

constexpr std::size_t kRecordKeyDigits = 32;
// What is not written within this time fails.
constexpr auto kStoreTimeout = std::chrono::seconds(10);
constexpr std::size_t kMaxUnwritten = 10'000;
// Bytes of the stored URIs of one session. Further subscriptions end with the process.
constexpr std::size_t kMaxUris = 64 << 10;

}  // namespace

std::string text_of(const SessionRecord& record) {
  std::string text;
  json::Object object(text);
  object.raw("run", fmt::format("\"{:x}\"", record.run));
  if (record.ended) object.raw("ended", "true");
  if (record.has_private) object.raw("private", "true");
  if (record.log_level >= 0) object.raw("level", fmt::format("{}", record.log_level));
  if (!record.uris.empty()) {
    std::string list;
    for (const auto& uri : record.uris) {
      if (list.size() > kMaxUris) break;
      list += (list.empty() ? "[" : ",") + json::quote(uri);
    }
    object.raw("uris", list + "]");
  }
  object.end();
  return text;
}

SessionRecord session_record(std::string_view text) {
  SessionRecord record;
  json::each_member(text, [&](std::string_view key, std::string_view raw) {
    if (key == "run") {
      if (auto run = json::as_string(raw)) record.run = std::strtoull(run->c_str(), nullptr, 16);
    }
    if (key == "ended") record.ended = json::as_bool(raw).value_or(true);
    if (key == "private") record.has_private = json::as_bool(raw).value_or(true);
    if (key == "level") record.log_level = static_cast<int>(json::as_int(raw).value_or(-1));
    if (key == "uris") {
      json::each_element(raw, [&](std::string_view uri) {
        if (auto decoded = json::as_string(uri)) record.uris.push_back(*std::move(decoded));
      });
    }
  });
  return record;
}

std::string session_record_key(std::string_view id) {
  return policy::sha256(id).substr(0, kRecordKeyDigits);
}

Task<StoredSessionRecord> SessionRecords::read(std::string key) {
  if (unwritten_.contains(key)) co_return StoredSessionRecord{{.ended = true}};
  auto entry = co_await store_.get(kSessionTable, std::move(key), here().now() + kStoreTimeout);
  if (!entry) co_return entry.error();
  if (!*entry) co_return StoredSessionRecord();
  co_return StoredSessionRecord{session_record((*entry)->value), (*entry)->version};
}

Task<bool> SessionRecords::replace(std::string key, const SessionRecord& record,
                                   store::Version expected, store::Time expires) {
  auto put = co_await store_.put_if(kSessionTable, {std::move(key), text_of(record), expires},
                                    expected, here().now() + kStoreTimeout);
  if (!put) co_return put.error();
  co_return put->has_value();
}

void SessionRecords::write(std::string key, const SessionRecord& record, store::Time expires) {
  if (!outlive_process()) return;
  writing_.spawn(put({std::move(key), text_of(record), expires}, record.ended));
}

Task<void> SessionRecords::put(store::Item item, bool ended) {
  const std::string key = item.key;
  auto done = co_await store_.put(kSessionTable, std::move(item), here().now() + kStoreTimeout);
  if (done) co_return ok();
  log::Line(log::Level::error, "session not stored").add("why", done.error().message);
  if (ended && unwritten_.size() < kMaxUnwritten) unwritten_.insert(key);
  co_return done.error();
}

Task<void> SessionRecords::written() { return writing_.drain(kNever); }

}  // namespace patchbay::gateway
