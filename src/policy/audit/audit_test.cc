#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "crypto/sha256.h"
#include "policy/audit/database.h"
#include "policy/audit/log.h"

namespace patchbay::policy {
namespace {

namespace fs = std::filesystem;

AuditRecord record_of(std::string target, std::string outcome = "ok") {
  AuditRecord record;
  record.when_ms = 1'763'179'200'123;
  record.caller = "token:ci";
  record.name = "ci";
  record.method = "tools/call";
  record.target = std::move(target);
  record.outcome = std::move(outcome);
  record.ms = 1.5;
  return record;
}

struct AuditTest : testing::Test {
  AuditTest() {
    std::string pattern = fs::temp_directory_path() / "patchbay-audit-XXXXXX";
    folder = ::mkdtemp(pattern.data());
  }
  ~AuditTest() override { fs::remove_all(folder); }

  std::string path(const std::string& name) const { return folder / name; }
  static std::string text(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static Result<void> put_and_wait(AuditLog& log, AuditRecord record) {
    std::promise<Result<void>> promise;
    log.put(std::move(record), [&](Result<void> written) { promise.set_value(written); });
    return promise.get_future().get();
  }

  fs::path folder;
  AuditSettings settings;
};

TEST_F(AuditTest, WritesOneLineForEachCall) {
  std::string line;
  append_line(line, record_of("a\nb"));
  EXPECT_EQ(line,
            R"({"when":"2025-11-15T04:00:00.123Z","who":"token:ci","name":"ci",)"
            R"("method":"tools/call","target":"a\nb","outcome":"ok","ms":1.500,"in":0,"out":0})"
            "\n");
}

TEST_F(AuditTest, WritesEventsBesideCalls) {
  auto event = event_record(kApprovalEvent,
                            {.id = "token:ci", .name = "ci", .auth_method = AuthMethod::token});
  event.when_ms = 1763179200123;
  event.method = "approve";
  event.by = "boss";
  event.skipped = 7;
  std::string line;
  append_line(line, event);
  EXPECT_EQ(line,
            R"({"when":"2025-11-15T04:00:00.123Z","event":"approval","who":"token:ci",)"
            R"("name":"ci","auth_method":"token","method":"approve","by":"boss","outcome":"ok",)"
            R"("skipped":7,"ms":0.000,"in":0,"out":0})"
            "\n");
}

TEST_F(AuditTest, FailedLogInsAreBoundedAndCounted) {
  settings.database = path("audit.db");
  settings.max_failed_log_ins = 3;
  {
    AuditLog log(settings);
    auto failed =
        event_record(kLogInEvent, {.id = "", .name = "", .auth_method = AuthMethod::token});
    failed.when_ms = 60'000;
    for (int i = 0; i < 1000; ++i) log.put_failed_log_in(failed);
    failed.when_ms = 120'000;
    log.put_failed_log_in(failed);
    log.put(record_of("a.b"));
  }
  const auto records = find_audit(settings.database, {.event = "log_*"});
  ASSERT_TRUE(records);
  ASSERT_EQ(records->size(), 4U);
  EXPECT_EQ(records->front().skipped, 997U);
  EXPECT_EQ(find_audit(settings.database, {.event = "call"})->size(), 1U);
  EXPECT_EQ(find_audit(settings.database, {})->size(), 5U);
}

TEST_F(AuditTest, ADatabaseOfAnEarlierVersionIsMigrated) {
  settings.database = path("audit.db");
  {
    auto old = sqlite::Database::open(settings.database);
    ASSERT_TRUE(
        old->run("CREATE TABLE calls (when_ms INTEGER NOT NULL, who TEXT, name TEXT, way "
                 "TEXT, origin TEXT, face TEXT, method TEXT, target TEXT, upstream TEXT, "
                 "digest TEXT, arguments TEXT, decision TEXT, rule TEXT, outcome TEXT, "
                 "trace TEXT, us INTEGER, bytes_in INTEGER, bytes_out INTEGER);"
                 "INSERT INTO calls (when_ms, target, outcome, way, face) VALUES (1, 'old', 'ok', "
                 "'token', 'mcp-http')"));
  }
  // A reader leaves the names as they are, for a gateway that still writes them.
  auto records = find_audit(settings.database, {.event = "call"});
  ASSERT_TRUE(records && records->size() == 1U);
  EXPECT_EQ(records->front().frontend, "mcp-http");
  ASSERT_TRUE(sqlite::Database::open(settings.database)->run("SELECT way, face FROM calls"));
  {
    AuditLog log(settings);
    auto fresh = record_of("new");
    fresh.client = "claude-ai 0.1.0";
    EXPECT_TRUE(put_and_wait(log, fresh));
  }
  ASSERT_FALSE(sqlite::Database::open(settings.database)->run("SELECT way FROM calls"));
  records = find_audit(settings.database, {.event = "call"});
  ASSERT_TRUE(records && records->size() == 2U);
  EXPECT_EQ(records->front().client, "claude-ai 0.1.0");
  EXPECT_EQ(records->back().client, "");
  EXPECT_EQ(records->back().target, "old");
  EXPECT_EQ(records->back().auth_method, "token");
  EXPECT_EQ(records->back().frontend, "mcp-http");
}

TEST_F(AuditTest, LeavesSecretsOutAtAnyDepth) {
  const std::vector<std::string> globs{"*password*", "key"};
  EXPECT_EQ(
      audited_arguments(R"({"a":1,"userPassword":"x","b":[{"KEY":{"c":2}}],"keys":3})", globs),
      R"({"a":1,"b":[{"KEY":"[redacted]"}],"keys":3,"userPassword":"[redacted]"})");
  EXPECT_EQ(audited_arguments(R"({"a":[1,"password"]})", globs), R"({"a":[1,"password"]})");
  EXPECT_EQ(audited_arguments("{\"b\" : 1.0,\n\r \"a\":\"\\u000a\"}", {}), R"({"a":"\n","b":1})");
  // What has no canonical form is one string, and its secrets are left out all the same.
  EXPECT_EQ(audited_arguments("{\"a\":1,\n\"a\":2,\"key\":3}", globs),
            R"("{\"a\":1,\n\"a\":2,\"key\":\"[redacted]\"}")");
}

TEST_F(AuditTest, TheDigestIsSha256) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_F(AuditTest, PutsFullFilesAside) {
  settings.file = path("audit.jsonl");
  settings.rotate = config::Bytes{300};
  settings.keep = 2;
  {
    AuditLog log(settings);
    for (int i = 0; i < 12; ++i) log.put(record_of("t" + std::to_string(i)));
  }
  std::string all;
  for (const auto* const name : {"audit.jsonl.2", "audit.jsonl.1", "audit.jsonl"}) {
    all += text(path(name));
  }
  EXPECT_FALSE(fs::exists(path("audit.jsonl.3")));
  EXPECT_LE(fs::file_size(path("audit.jsonl.1")), 500U);
  EXPECT_NE(all.find("\"t11\""), std::string::npos);
  EXPECT_EQ(all.find("\"t0\""), std::string::npos) << "the oldest are gone";
  EXPECT_EQ(fs::status(path("audit.jsonl")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(AuditTest, ReportsFailedWritesAndRecovers) {
  settings.file = path("missing/audit.jsonl");
  settings.required = true;
  AuditLog log(settings);
  EXPECT_FALSE(log.check());
  EXPECT_FALSE(put_and_wait(log, record_of("lost")));
  fs::create_directory(path("missing"));
  EXPECT_TRUE(put_and_wait(log, record_of("kept")));
  EXPECT_TRUE(log.check());
  EXPECT_EQ(log.dropped(), 1U);
  EXPECT_NE(text(settings.file).find("kept"), std::string::npos);
}

TEST_F(AuditTest, AnswersQuestionsAboutTheDatabase) {
  settings.database = path("audit.db");
  {
    AuditLog log(settings);
    log.put(record_of("web.search"));
    log.put(record_of("web.read", "timeout"));
    log.put(record_of("file.read"));
  }
  const auto find = [&](const AuditFilter& filter) {
    std::string names;
    auto found = find_audit(settings.database, filter);
    EXPECT_TRUE(found);
    for (const auto& record : *found) names += record.target + " ";
    return names;
  };
  EXPECT_EQ(find({}), "file.read web.read web.search ");
  EXPECT_EQ(find({.target = "web.*"}), "web.read web.search ");
  EXPECT_EQ(find({.outcome = "!ok"}), "web.read ");
  EXPECT_EQ(find({.caller = "ci", .most = 1}), "file.read ");
  EXPECT_EQ(find({.caller = "c"}), "");
  EXPECT_EQ(find({.until_ms = 5}), "");
  // Records of one caller, by its id; and pages in the order of the rows.
  const auto all = find_audit(settings.database, {.by_row = true});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->front().row, 3);
  EXPECT_EQ(find({.owner = all->front().caller}), "file.read web.read web.search ");
  EXPECT_EQ(find({.owner = "c*"}), "");
  EXPECT_EQ(find({.most = 1, .by_row = true, .last_row = 2}), "web.read ");
  EXPECT_FALSE(find_audit(path("none.db"), {}));
}

}  // namespace
}  // namespace patchbay::policy
