#include "skills/osquery.h"

#include <gtest/gtest.h>

namespace patchbay {
namespace {

using gateway::RawSql;

std::string sql(std::string_view question, RawSql raw = RawSql::validated) {
  const auto meant = osquery_sql(question, {.raw_sql = raw});
  return meant ? *meant : "! " + meant.error().message;
}

TEST(OsquerySkill, TurnsQuestionsIntoSql) {
  EXPECT_EQ(sql("show system info"), "SELECT * FROM system_info");
  EXPECT_EQ(sql("What is the HOSTNAME of this system?"), "SELECT hostname FROM system_info");
  EXPECT_EQ(sql("list users"), "SELECT * FROM users");
  EXPECT_EQ(sql("running processes"),
            "SELECT pid, name, state, resident_size FROM processes LIMIT 20");
  EXPECT_EQ(sql("network connections"), "SELECT * FROM process_open_sockets LIMIT 20");
  EXPECT_EQ(sql("listening ports"), "SELECT * FROM listening_ports");
  EXPECT_TRUE(sql("sing a song").starts_with("! 'sing a song' is not a known question"));
  EXPECT_TRUE(sql("").starts_with("! "));
}

TEST(OsquerySkill, PassesOnSqlThatReads) {
  for (const auto* good :
       {"SELECT 1", "select * from users;", "WITH t AS (SELECT 1) SELECT * FROM t",
        "explain SELECT 1", "SELECT ';', \";\", [;], `;` -- ;", "SELECT 'it''s; ok' /* ; */",
        "SELECT(1)"}) {
    EXPECT_EQ(sql(good), good);
  }
}

TEST(OsquerySkill, RefusesOtherSql) {
  EXPECT_EQ(sql("SELECT 1; DELETE FROM t"), "! only one SQL statement is accepted");
  EXPECT_EQ(sql("SELECT 1;;"), "! only one SQL statement is accepted");
  EXPECT_EQ(sql("SELECT 'open"), "! a quote or comment in the SQL does not end");
  EXPECT_EQ(sql("SELECT /* open"), "! a quote or comment in the SQL does not end");
  for (const auto* bad : {"--help", ".tables", "DROP TABLE t", "PRAGMA x", "ATTACH 'x' AS y"}) {
    EXPECT_TRUE(sql(bad).starts_with("! ")) << bad;
    EXPECT_FALSE(check_reading_sql(bad)) << bad;
  }
}

TEST(OsquerySkill, RefusesDeniedTablesHoweverTheyAreWritten) {
  for (const auto* bad :
       {"SELECT * FROM shadow", "select * from SHADOW", "SELECT * FROM \"shadow\"",
        "SELECT * FROM [shadow]", "SELECT * FROM `Shadow`", "SELECT * FROM 'shadow'",
        "SELECT * FROM main.shadow", "SELECT * FROM users, shadow s",
        "SELECT(SELECT 1 FROM shadow)", "SELECT * FROM/**/shadow",
        "SELECT * FROM users JOIN--\nshadow",
        "WITH t AS (SELECT * FROM curl WHERE url = 'http://x/') SELECT * FROM t"}) {
    EXPECT_TRUE(sql(bad).starts_with("! goals may not name the table")) << bad << sql(bad);
  }
  EXPECT_EQ(sql("SELECT shadow_x FROM users -- shadow"), "SELECT shadow_x FROM users -- shadow");
  EXPECT_EQ(sql("SELECT * FROM shadow", RawSql::any), "SELECT * FROM shadow");
  const auto users = osquery_sql("list users", {.denied_tables = {"users"}});
  EXPECT_FALSE(users);
}

TEST(OsquerySkill, RefusesVariables) {
  // SQLite reads `$a(/*)` as one variable, where others see the start of a comment.
  for (const auto* bad :
       {"SELECT $a(/*) FROM shadow -- */", "SELECT :a", "SELECT ?1", "SELECT @x", "SELECT #1"}) {
    EXPECT_EQ(sql(bad), "! variables in the SQL are not accepted") << bad;
  }
  EXPECT_EQ(sql("SELECT '$.a', ':'"), "SELECT '$.a', ':'");
}

TEST(OsquerySkill, FollowsTheSetting) {
  EXPECT_TRUE(sql("SELECT 1", RawSql::off).starts_with("! SQL in goals is switched off"));
  EXPECT_EQ(sql("list users", RawSql::off), "SELECT * FROM users");
  EXPECT_EQ(sql("PRAGMA x; y", RawSql::any), "PRAGMA x; y");
  EXPECT_EQ(sql("SELECT 1; SELECT 2", RawSql::any), "SELECT 1; SELECT 2");
}

TEST(OsquerySkill, AsksWithTheArgumentThatTheToolHas) {
  const auto tool = [](std::string_view schema) {
    return sql_argument(R"({"name":"x","inputSchema":)" + std::string(schema) + "}");
  };
  EXPECT_EQ(tool(R"({"properties":{"sql":{}},"required":["sql"]})"), "sql");
  EXPECT_EQ(tool(R"({"properties":{"query":{}},"required":["query"]})"), "query");
  EXPECT_EQ(tool(R"({"properties":{"query":{},"sql":{}},"required":["sql"]})"), "sql");
  EXPECT_EQ(tool(R"({"properties":{"query":{}}})"), "query");
  EXPECT_EQ(tool(R"({"properties":{"query":{},"sql":{}}})"), "sql");
  EXPECT_EQ(tool("{}"), "sql");
  EXPECT_EQ(sql_argument(""), "sql");
}

TEST(OsquerySkill, KnowsItsGoals) {
  for (const auto* goal : {"please ask osquery", "show system info", "list users now",
                           "which running processes", "what is the name of this computer"}) {
    EXPECT_TRUE(kOsquerySkill.can_handle(goal)) << goal;
  }
  EXPECT_FALSE(kOsquerySkill.can_handle("what is the answer"));
}

}  // namespace
}  // namespace patchbay
