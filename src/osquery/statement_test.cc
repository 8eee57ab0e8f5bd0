#include "osquery/statement.h"

#include <gtest/gtest.h>

namespace patchbay::osquery {
namespace {

using Names = std::vector<std::string>;

Names tables_of(std::string_view sql) {
  auto statement = examine(sql);
  return statement ? statement->tables : Names{"refused: " + statement.error().message};
}

std::string why_not(std::string_view sql) {
  auto statement = examine(sql);
  return statement ? "accepted" : statement.error().message;
}

TEST(Statement, FindsTablesWhereverTheyAreNamed) {
  EXPECT_EQ(tables_of("SELECT 1"), Names{});
  EXPECT_EQ(tables_of("select * from Users"), Names{"users"});
  EXPECT_EQ(tables_of("SELECT * FROM a, b JOIN c ON a.x = c.y, main.d"),
            (Names{"a", "b", "c", "d"}));
  EXPECT_EQ(tables_of("SELECT * FROM \"a\", [b], `c`, 'D'"), (Names{"a", "b", "c", "d"}));
  EXPECT_EQ(tables_of("SELECT * FROM (a, (b JOIN c)), d"), (Names{"a", "b", "c", "d"}));
  EXPECT_EQ(tables_of("SELECT f(x, y) FROM t WHERE a IN (1, 2) AND b IN u AND c NOT IN main.v"),
            (Names{"t", "u", "v"}));
  EXPECT_EQ(tables_of("SELECT (SELECT 1 FROM a) FROM b ORDER BY (SELECT 1 FROM c), d"),
            (Names{"a", "b", "c"}));
  EXPECT_EQ(tables_of("SELECT 1 FROM a UNION SELECT x, y FROM b"), (Names{"a", "b"}));
  EXPECT_EQ(tables_of("SELECT * FROM a LEFT OUTER JOIN b USING (x, y) CROSS JOIN c"),
            (Names{"a", "b", "c"}));
  EXPECT_EQ(tables_of("SELECT * FROM f(1, 2), g"), (Names{"f", "g"}));
  EXPECT_EQ(tables_of("EXPLAIN QUERY PLAN SELECT * FROM a"), Names{"a"});
}

TEST(Statement, DistinguishesColumnsAndTextFromTables) {
  EXPECT_EQ(tables_of("SELECT curl, 'from yara' FROM t WHERE curl = 'x' -- FROM carves"),
            Names{"t"});
  EXPECT_EQ(tables_of("SELECT a IS NOT DISTINCT FROM b, c FROM t"), Names{"t"});
  EXPECT_EQ(tables_of("SELECT a FROM t GROUP BY curl, yara"), Names{"t"});
  EXPECT_EQ(tables_of("SELECT 1 AS x FROM t AS curl WHERE curl.x = 1"), Names{"t"});
}

TEST(Statement, KnowsTheNamesThatWithDefines) {
  EXPECT_EQ(
      tables_of("WITH x AS (SELECT * FROM a), y(i, j) AS (SELECT * FROM x) SELECT * FROM x, y"),
      Names{"a"});
  EXPECT_EQ(tables_of("WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i FROM n) SELECT * FROM n"),
            Names{});
  // A name defined inside is not known outside.
  EXPECT_EQ(tables_of("SELECT * FROM (WITH x AS (SELECT 1) SELECT * FROM x), x"), Names{"x"});
  EXPECT_EQ(tables_of("WITH a AS (WITH x AS (SELECT 1) SELECT * FROM x) SELECT * FROM x"),
            Names{"x"});
  // With a schema before it, it is the table.
  EXPECT_EQ(tables_of("WITH x AS (SELECT 1) SELECT * FROM main.x"), Names{"x"});
}

TEST(Statement, RefusesAllButOneThatReads) {
  EXPECT_EQ(why_not("SELECT 1;"), "accepted");
  EXPECT_EQ(why_not(" \n SELECT 1 ; ; -- done"), "accepted");
  EXPECT_EQ(why_not("SELECT ';'"), "accepted");
  for (const auto* const sql :
       {"", " ; ", "-1", ".help", "-- x\nSELECT 1", "DELETE FROM t", "PRAGMA x", "ATTACH 'x' AS y",
        "VALUES (1)", "EXPLAIN", "EXPLAIN DELETE FROM t", "SELECT 1; SELECT 2", "SELECT 'x",
        "SELECT \"x", "SELECT [x", "WITH x AS (SELECT 1) DELETE FROM t", "SELECT 1)", "SELECT (1))",
        "WITH x(a) AS (SELECT 1), y AS (SELECT 2) REPLACE INTO t SELECT 1"}) {
    EXPECT_NE(why_not(sql), "accepted") << sql;
  }
  EXPECT_NE(why_not(std::string_view("SELECT 1\0x", 10)), "accepted");
}

TEST(Statement, RefusesWhatSqliteReadsByOtherRules) {
  for (const auto* const sql :
       {"SELECT $a(/*) FROM curl --*/)", "SELECT $a(') FROM curl --')", "SELECT :a", "SELECT @a",
        "SELECT ?", "SELECT ?1", "SELECT $a", "SELECT #1", "SELECT @a::b(x)",
        "SELECT 1 FROM \xEF\xBB\xBF"
        "curl",
        "SELECT 1 FROM c\xC3\xBCrl"}) {
    EXPECT_NE(why_not(sql), "accepted") << sql;
  }
  for (const auto* const sql :
       {"SELECT '$a(/*)?:@#'", "SELECT \"$a\", [?1], `:b`", "SELECT 1 AS a$b", "SELECT '\xC3\xBC'",
        "SELECT 1 -- $a ?1 \xC3\xBC", "SELECT /* $a ?1 \xC3\xBC */ 1"}) {
    EXPECT_EQ(why_not(sql), "accepted") << sql;
  }
}

TEST(Statement, HandsOnTheTextWithoutWhatIsAroundIt) {
  EXPECT_EQ(examine("  SELECT  1 ; -- x")->sql, "SELECT  1");
  EXPECT_EQ(examine("/* a */ SELECT 1")->sql, "SELECT 1");
}

TEST(Statement, HasTheSameKeyInOtherClothes) {
  const std::string key = examine("SELECT A FROM b WHERE c = 'D'")->key;
  EXPECT_EQ(examine("select /* x */ a\nfrom  B where C='D';")->key, key);
  EXPECT_NE(examine("SELECT A FROM b WHERE c = 'd'")->key, key);
  EXPECT_NE(examine("SELECT AFROM b WHERE c = 'D'")->key, key);
}

}  // namespace
}  // namespace patchbay::osquery
