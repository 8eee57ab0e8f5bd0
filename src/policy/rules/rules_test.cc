#include "policy/rules/rules.h"

#include <gtest/gtest.h>

#include "config/fields.h"
#include "config/load.h"
#include "config/parse.h"
#include "policy/rules/access.h"

namespace patchbay::policy {
namespace {

class RulesTest : public ::testing::Test {
 protected:
  std::shared_ptr<const Rules> rules(const std::string& yaml) {
    faults.clear();
    const config::Node root = config::parse_yaml("rules:\n" + yaml, file, faults);
    const config::Node& node = *root.find("rules");
    std::vector<RuleSettings> settings;
    const config::Location at{file, "rules", faults};
    config::read_value(settings, node, {}, at);
    return std::make_shared<const Rules>(settings, node, "1", at);
  }

  std::shared_ptr<const Access> access(const std::string& yaml, const Principal& caller) {
    auto made = rules(yaml);
    EXPECT_TRUE(faults.empty()) << config::to_string(faults.front());
    return std::make_shared<const Access>(made, made->about(caller));
  }

  static Principal caller(std::vector<std::string> roles, std::vector<std::string> scopes = {}) {
    return {"1", "someone", AuthMethod::token, std::move(roles), std::move(scopes)};
  }

  static bool has(const Access& access, std::string_view upstream, std::string_view tool) {
    return access.tool(upstream, tool).there;
  }

  const std::string file = "f";
  config::Faults faults;
};

constexpr const char* kReader = R"(
- { role: reader, allow: ["calculator.*", "webapi.search", "files__read_*"], deny: ["*.delete*"] }
)";

TEST_F(RulesTest, AllowWhatIsNamedAndNothingElse) {
  const auto reader = access(kReader, caller({"reader"}));
  EXPECT_TRUE(has(*reader, "calculator", "add"));
  EXPECT_TRUE(has(*reader, "webapi", "search"));
  EXPECT_TRUE(has(*reader, "files", "read_text")) << "as MCP lists it";
  EXPECT_FALSE(has(*reader, "webapi", "post"));
  EXPECT_FALSE(has(*reader, "calculator", "delete_all")) << "denied wins";
  EXPECT_FALSE(reader->has_prompt("calculator", "x"));
  EXPECT_FALSE(reader->has_resource("calculator", "x://y"));
  const auto nobody = access(kReader, caller({"writer"}));
  EXPECT_FALSE(has(*nobody, "calculator", "add"));
  EXPECT_TRUE(nobody->has_method("tools/list")) << "the list is empty, not unknown";
}

TEST_F(RulesTest, DenyOfOneRoleBeatsAllowOfAnother) {
  const std::string yaml = "- { role: a, allow: [\"*\"] }\n- { role: b, deny: [\"x.y\"] }\n";
  EXPECT_TRUE(has(*access(yaml, caller({"a"})), "x", "y"));
  EXPECT_FALSE(has(*access(yaml, caller({"a", "b"})), "x", "y"));
  EXPECT_TRUE(has(*access(yaml, caller({"a", "b"})), "x", "z"));
}

TEST_F(RulesTest, SpecialRolesCannotBeGranted) {
  const std::string yaml =
      "- { role: local, allow: [\"x.*\"] }\n- { role: any, allow: [\"y.*\"] }\n";
  const auto local = access(yaml, Principal{});
  EXPECT_TRUE(has(*local, "x", "t"));
  EXPECT_TRUE(has(*local, "y", "t"));
  const auto liar = access(yaml, caller({"local"}));
  EXPECT_FALSE(has(*liar, "x", "t")) << "a role of a token that is called local is not local";
  EXPECT_TRUE(has(*liar, "y", "t"));
}

TEST_F(RulesTest, ScopesGrantRoles) {
  const std::string yaml =
      "- { role: reader, scopes: [\"mcp:read\"], allow: [\"a.*\"] }\n"
      "- { role: reader, allow: [\"b.*\"] }\n- { role: admin, scopes: [ops], allow: [\"c.*\"] }\n";
  const auto scoped = access(yaml, caller({}, {"mcp:read", "other"}));
  EXPECT_TRUE(has(*scoped, "a", "t"));
  EXPECT_TRUE(has(*scoped, "b", "t")) << "all rules of the role";
  EXPECT_FALSE(has(*scoped, "c", "t"));
  EXPECT_TRUE(rules(yaml)->has_role(caller({}, {"ops"}), kAdminRole));
  EXPECT_TRUE(rules(yaml)->has_role(caller({"admin"}), kAdminRole));
  EXPECT_FALSE(rules(yaml)->has_role(caller({"reader"}), kAdminRole));
}

TEST_F(RulesTest, CallersWithTheSameRulesAreTheSame) {
  const auto made = rules("- { role: a, allow: [\"*\"] }\n- { role: b, allow: [\"*\"] }\n");
  EXPECT_EQ(made->about(caller({"a", "zzz"})), made->about(caller({"a"})));
  EXPECT_NE(made->about(caller({"a"})), made->about(caller({"b"})));
  EXPECT_TRUE(made->about(Principal{}).none());
}

TEST_F(RulesTest, ResourcesAreDecidedByUriHoweverItIsWritten) {
  const std::string yaml =
      "- role: r\n  resources: { allow: [\"file:///public/*\", \"own+*\"], deny: [\"*secret*\"] "
      "}\n";
  const auto reader = access(yaml, caller({"r"}));
  EXPECT_TRUE(reader->has_resource("files", "file:///public/a.txt"));
  EXPECT_TRUE(reader->has_resource("own", "anything://x")) << "all of an upstream";
  for (const auto* const uri :
       {"file:///private/a", "file:///public/secret.txt", "file:///public/%73ecret.txt",
        "file:///public/%2573ecret.txt", "file:///public/../private/a",
        "file:///public/%2e%2e/private/a", "file:///public/x/..", "file:///public/..%5cprivate"}) {
    EXPECT_FALSE(reader->has_resource("files", uri)) << uri;
  }
  EXPECT_TRUE(reader->has_resource("files", "file:///public/a..b")) << "this leads nowhere else";
  EXPECT_TRUE(reader->has_template("files", "file:///public/{name}"));
  EXPECT_TRUE(reader->has_template("files", "file:///{+path}")) << "some of it can be read";
  EXPECT_FALSE(reader->has_template("files", "http://{host}/"));
  EXPECT_FALSE(reader->has_template("files", "file:///public/secret/{x}"));
  const auto all = access("- { role: r, resources: [\"*\"] }\n", caller({"r"}));
  EXPECT_TRUE(all->has_resource("files", "file:///a/../b"));
}

TEST_F(RulesTest, DenyAppliesToEverySpelling) {
  const auto reader = access(
      "- role: r\n  resources: { allow: [\"*\"], deny: [\"file:///secret/*\", "
      "\"https://inside.example/*\", \"up+HTTP://Admin.example/keys\", \"test://c\"] }\n",
      caller({"r"}));
  for (const auto* const uri : {"file:///secret/a",
                                "FILE:///secret/a",
                                "file:////secret/a",
                                "file:///./secret/a",
                                "file:///x/../secret/a",
                                "file:///secret//a",
                                "file:///%73ecret/a",
                                "file:///%2e/secret/a",
                                "file:///x/%2E%2e/secret/a",
                                "file:///secret%2Fa",
                                "file:///secret\\a",
                                "file:///\\secret/a",
                                "file:///%73ecret/a%",
                                "file:///%zz/../%73ecret/a",
                                "https://INSIDE.example/x",
                                "HTTPS://inside.example/x",
                                "https://inside.example:443/x",
                                "https://inside.example./x",
                                "https://user@inside.example/x",
                                "https://inside.example//x",
                                "https://inside%2Eexample/x",
                                "http://admin.example/keys",
                                "http://ADMIN.example:80/keys",
                                "http://admin.example/keys#x",
                                "http://admin.example/./keys",
                                "test://C",
                                "TEST://c",
                                "test://c#fragment",
                                "file:/secret/a",
                                "file://localhost/secret/a",
                                "FILE://LocalHost//secret/a",
                                "file:\\secret\\a",
                                "file:///sec\tret/a",
                                "fi\nle:///secret/a",
                                " file:///secret/a",
                                "%20file:///secret/a",
                                "https://inside.example:0443/x",
                                "https://inside.example.:443/x",
                                "test://c%00.txt"}) {
    EXPECT_FALSE(reader->has_resource("up", uri)) << uri;
  }
  for (const auto* const uri : {"file:///public/secret/a", "file:///Secret/a", "test://c/d",
                                "https://inside.example.org/x", "http://admin.example/keys2"}) {
    EXPECT_TRUE(reader->has_resource("up", uri)) << uri;
  }
  EXPECT_FALSE(reader->has_resource("up", "file:///%25252525252e")) << "encoded too often";
  const auto some = access("- { role: r, resources: [\"file:///public/*\"] }\n", caller({"r"}));
  EXPECT_TRUE(some->has_resource("up", "file:///public/a"));
  EXPECT_FALSE(some->has_resource("up", "file:///public/.\t./secret"));
}

TEST_F(RulesTest, MethodsCanBeNarrowed) {
  const auto some =
      access("- { role: r, allow: [\"*\"], methods: [\"tools/*\"] }\n", caller({"r"}));
  EXPECT_TRUE(some->has_method("tools/call"));
  EXPECT_FALSE(some->has_method("resources/read"));
  const auto most =
      access("- { role: r, allow: [\"*\"], methods: { deny: [\"tools/call\"] } }\n", caller({"r"}));
  EXPECT_TRUE(most->has_method("tools/list"));
  EXPECT_FALSE(most->has_method("tools/call"));
  EXPECT_FALSE(has(*most, "a", "t")) << "what cannot be called is not listed";
}

TEST_F(RulesTest, ConditionsAreAboutArguments) {
  const auto allowed = [&](const std::string& when, const std::string& arguments) {
    const auto made =
        access("- role: r\n  allow: [\"f.*\"]\n  when: [" + when + "]\n", caller({"r"}));
    return made->tool("f", "t").conditions->evaluate(arguments).allowed;
  };
  EXPECT_TRUE(allowed("{ pointer: /a, equals: 1 }", R"({"a":1.0})"));
  EXPECT_FALSE(allowed("{ pointer: /a, equals: 1 }", R"({"a":"1"})"));
  EXPECT_TRUE(allowed("{ pointer: /a, equals: \"1\" }", R"({"a":"1"})"));
  EXPECT_FALSE(allowed("{ pointer: /a, equals: 1 }", "{}"));
  EXPECT_TRUE(allowed("{ pointer: /a/0/b, in: [x, true] }", R"({"a":[{"b":true}]})"));
  EXPECT_FALSE(allowed("{ pointer: /a/0/b, in: [x, true] }", R"({"a":[{"b":"true"}]})"));
  const std::string below = "{ pointer: /path, matches: '^/srv/[a-z/]*$' }";
  EXPECT_TRUE(allowed(below, R"({"path":"/srv/a/b"})"));
  EXPECT_FALSE(allowed(below, R"({"path":"/srv/../etc"})"));
  EXPECT_FALSE(allowed(below, R"({"path":["/srv/a"]})"));
  EXPECT_FALSE(allowed(below, R"({"path":"/srv/a","path":"/etc"})")) << "two readings are none";
  EXPECT_TRUE(allowed("{ pointer: /n, range: { min: 0, max: 9.5 } }", R"({"n":9.5})"));
  EXPECT_FALSE(
      allowed("{ pointer: /n, range: { min: 0, max: 9.5 } }", R"({"n":9.50000000000000000001})"));
  EXPECT_FALSE(allowed("{ pointer: /n, range: { min: 0 } }", R"({"n":"5"})"));
  EXPECT_TRUE(allowed("{ pointer: /force, absent: true }", "{}"));
  EXPECT_FALSE(allowed("{ pointer: /force, absent: true }", R"({"force":null})"));
  EXPECT_TRUE(allowed("{ pointer: /force, absent: false }", R"({"force":null})"));
}

TEST_F(RulesTest, OneRuleThatHoldsIsEnough) {
  const std::string yaml =
      "- { role: r, allow: [\"p.pay\"], when: [{ pointer: /n, range: { max: 100 } }] }\n"
      "- { role: r, approve: [\"p.pay\"], when: [{ pointer: /n, range: { max: 1000 } }] }\n"
      "- { role: boss, allow: [\"p.*\"] }\n";
  const auto clerk = access(yaml, caller({"r"}));
  const auto conditions = clerk->tool("p", "pay").conditions;
  ASSERT_NE(conditions, nullptr);
  EXPECT_TRUE(conditions->evaluate(R"({"n":50})").approve) << "the stricter of two counts";
  EXPECT_TRUE(conditions->evaluate(R"({"n":500})").allowed);
  EXPECT_TRUE(conditions->evaluate(R"({"n":500})").approve);
  EXPECT_FALSE(conditions->evaluate(R"({"n":5000})").allowed);
  EXPECT_NE(conditions->evaluate(R"({"n":5000})").refused.find("/n"), std::string::npos);
  EXPECT_EQ(conditions->evaluate(R"({"n":50})").rule, "rules[1] r") << "for the record";
  EXPECT_EQ(conditions->evaluate(R"({"n":5000})").rule, "rules[0] r");
  const auto boss = access(yaml, caller({"boss"}));
  EXPECT_TRUE(boss->tool("p", "pay").there);
  EXPECT_EQ(boss->tool("p", "pay").rule, "rules[2] boss");
  EXPECT_EQ(boss->tool("p", "pay").conditions, nullptr)
      << "a caller that is allowed unconditionally has no conditions";
}

TEST_F(RulesTest, FaultsNameTheRemedy) {
  const auto fault = [&](const std::string& yaml) {
    rules(yaml);
    return faults.empty() ? "" : config::to_string(faults.front());
  };
  EXPECT_NE(fault("- { role: r, deny: [delete] }\n").find("'*.delete'"), std::string::npos);
  EXPECT_NE(fault("- { allow: [\"*\"] }\n").find("role"), std::string::npos);
  EXPECT_NE(fault("- { role: r, allow: [\"*\"], when: [{ pointer: /a }] }\n").find("needs one of"),
            std::string::npos);
  EXPECT_NE(
      fault("- { role: r, allow: [\"*\"], when: [{ pointer: a, equals: 1 }] }\n").find("begins"),
      std::string::npos);
  EXPECT_NE(fault("- { role: r, allow: [\"*\"], when: [{ pointer: /a, matches: '(' }] }\n")
                .find("when[0].matches"),
            std::string::npos);
  EXPECT_NE(fault("- { role: r, when: [{ pointer: /a, equals: 1 }] }\n").find("allows none"),
            std::string::npos);
  EXPECT_NE(fault("- { role: any, scopes: [s], allow: [\"*\"] }\n").find("scope"),
            std::string::npos);
}

TEST(Globs, MeetIfSomeTextFitsBoth) {
  EXPECT_TRUE(globs_meet("a*", "*b"));
  EXPECT_TRUE(globs_meet("file:///public/*", "file:///*"));
  EXPECT_TRUE(globs_meet("*", ""));
  EXPECT_TRUE(globs_meet("a?c", "ab*"));
  EXPECT_FALSE(globs_meet("a*", "b*"));
  EXPECT_FALSE(globs_meet("abc", "ab"));
  EXPECT_FALSE(globs_meet("*x", "*y"));
}

}  // namespace
}  // namespace patchbay::policy
