#include "config/load.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "config/parse.h"

namespace patchbay::config {
namespace {

using Strings = std::vector<std::string>;

Strings texts(const Faults& faults) {
  Strings out;
  for (const Fault& fault : faults) out.push_back(to_string(fault));
  return out;
}

Strings faults_of(std::string_view text, const std::string& name = "f.yaml") {
  Faults faults;
  load_text(text, name, faults);
  return texts(faults);
}

Node load(std::string_view text, const std::string& name = "f.yaml") {
  Faults faults;
  Node node = load_text(text, name, faults);
  EXPECT_EQ(texts(faults), Strings{});
  return node;
}

// A folder that goes away with the test.
class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "patchbay-config-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  std::string write(const std::string& name, std::string_view text, mode_t mode = 0644) {
    const std::string path = path_ / name;
    std::ofstream(path, std::ios::binary) << text;
    ::chmod(path.c_str(), mode);
    return path;
  }
  std::string path(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

TEST(Yaml, KeepsLinesOrderAndQuotes) {
  const Node root = load(
      "# first\nlisten: 127.0.0.1:8080\nnames:\n  separator: \"5\"\n  none:\n"
      "list:\n- 5\n- |\n  block\n");
  ASSERT_EQ(root.kind, Kind::map);
  EXPECT_EQ(root.members.at(0).key, "listen");
  EXPECT_EQ(root.members.at(0).line, 2);
  EXPECT_EQ(root.find("listen")->text, "127.0.0.1:8080");
  EXPECT_FALSE(root.find("listen")->quoted);
  const Node& names = *root.find("names");
  EXPECT_TRUE(names.find("separator")->quoted);
  EXPECT_EQ(names.find("separator")->line, 4);
  EXPECT_EQ(names.find("none")->kind, Kind::null);
  const Node& list = *root.find("list");
  EXPECT_FALSE(list.items.at(0).quoted);
  EXPECT_EQ(list.items.at(0).line, 7);
  EXPECT_TRUE(list.items.at(1).quoted);
  EXPECT_EQ(list.items.at(1).text, "block\n");
  EXPECT_EQ(root.find("nothing"), nullptr);
  EXPECT_EQ(load("").kind, Kind::null);
  EXPECT_EQ(load("# nothing but this\n").kind, Kind::null);
  EXPECT_EQ(load("---\na: 1\n...\n").find("a")->text, "1");
}

TEST(Yaml, RefusesDuplicateKeysAndNamesBothLines) {
  EXPECT_EQ(faults_of("a: 1\nb: { c: 1, c: 2 }\na: 2\n"),
            (Strings{"f.yaml:2: b.c: duplicate key, first given on line 2",
                     "f.yaml:3: a: duplicate key, first given on line 1"}));
}

TEST(Yaml, RefusesWhatItDoesNotSupport) {
  EXPECT_EQ(faults_of("x: &x { a: 1 }\ny:\n  <<: *x\n  b: 2\n"),
            Strings{"f.yaml:3: y: merge keys (<<) are not supported; write the keys out"});
  EXPECT_EQ(load("'<<': 1\n").find("<<")->text, "1");
  EXPECT_EQ(faults_of("a: 1\n---\nb: 1\n"),
            Strings{"f.yaml:2: a second document begins here; the file must hold one"});
  EXPECT_EQ(faults_of("a: !include other.yaml\nb: !!binary aGk=\n"),
            (Strings{"f.yaml:1: a: the tag !include is not supported here",
                     "f.yaml:2: b: the tag tag:yaml.org,2002:binary is not supported here"}));
  EXPECT_EQ(faults_of("? [a, b]\n: 1\n"), Strings{"f.yaml:1: a key must be a word or a string"});
  EXPECT_EQ(faults_of("~: 1\n"), Strings{"f.yaml:1: a key must be a word or a string"});
}

TEST(Yaml, TakesStandardTags) {
  const Node root = load("a: !!str 5\nb: !!int '5'\nc: !!seq [1]\nd: !!map {}\ne: !!null ''\n");
  EXPECT_TRUE(root.find("a")->quoted);
  EXPECT_FALSE(root.find("b")->quoted);
  EXPECT_EQ(root.find("c")->kind, Kind::list);
  EXPECT_EQ(root.find("d")->kind, Kind::map);
  EXPECT_EQ(root.find("e")->kind, Kind::null);
  EXPECT_EQ(faults_of("a: !!map 5\n").size(), 1u);
}

TEST(Yaml, ReportsSyntaxErrors) {
  const auto broken = [](std::string_view text) -> std::string {
    const Strings faults = faults_of(text);
    return faults.empty() ? "accepted" : faults.front();
  };
  EXPECT_TRUE(broken("a: 1\nb: [1, 2\n").starts_with("f.yaml:"));
  EXPECT_TRUE(broken("a: 1\n  b: 2\n").starts_with("f.yaml:2: invalid YAML: "));
  EXPECT_TRUE(broken("a: 1\nb: *nowhere\n").starts_with("f.yaml:2: invalid YAML: "));
  EXPECT_TRUE(broken("a: 1\n- b\n").starts_with("f.yaml:2: "));
  EXPECT_TRUE(broken("- a\nb: 1\n").starts_with("f.yaml:2: "));
  EXPECT_TRUE(broken("a: 1\n}\n").starts_with("f.yaml:2: "));
  EXPECT_TRUE(broken("{a: 1} b\n").starts_with("f.yaml:1: "));
}

TEST(Yaml, ExpandsAliasesButNotBombs) {
  const Node root = load("a: &a { x: [1, 2] }\nb: *a\nc: [*a, *a]\n");
  EXPECT_EQ(root.find("b")->find("x")->items.size(), 2u);
  EXPECT_EQ(root.find("c")->items.at(1).find("x")->line, 1);

  std::string bomb = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 9; ++j) bomb += "*a" + std::to_string(i - 1) + ",";
    bomb += "]\n";
  }
  const Strings faults = faults_of(bomb);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_TRUE(faults.front().starts_with("f.yaml:6: too large once aliases are expanded"));

  std::string long_text = "a: &a " + std::string(1 << 20, 'x') + "\nb: [";
  for (int i = 0; i < 100; ++i) long_text += "*a,";
  EXPECT_EQ(faults_of(long_text + "]\n").size(), 1u);

  EXPECT_EQ(faults_of("a: &a [*a]\n"), Strings{"f.yaml:1: an alias inside its own anchor"});
  EXPECT_EQ(faults_of(std::string(kMaxNesting + 1, '[') + std::string(kMaxNesting + 1, ']')),
            Strings{"f.yaml:1: nested more than 64 levels deep"});
  EXPECT_EQ(faults_of(std::string(100'000, '[')).size(), 1u);
}

TEST(Json, IsReadWithLinesTabsAndAll) {
  const std::string_view text =
      "{\n\t\"mcpServers\": {\n\t\t\"a\\u0062\": { \"command\": \"np\\u0078\", \"n\": 5,\n"
      "\t\t\t\"args\": [\"-y\", true, null] }\n\t}\n}\n";
  for (const auto name : {"f.json", "f.yaml", "settings"}) {
    const Node root = load(text, name);
    const Node& servers = *root.find("mcpServers");
    EXPECT_EQ(root.line, 1);
    EXPECT_EQ(servers.line, 2);
    EXPECT_EQ(servers.members.at(0).key, "ab");
    EXPECT_EQ(servers.members.at(0).line, 3);
    const Node& entry = servers.members.at(0).value;
    EXPECT_EQ(entry.find("command")->text, "npx");
    EXPECT_TRUE(entry.find("command")->quoted);
    EXPECT_FALSE(entry.find("n")->quoted);
    EXPECT_EQ(entry.find("args")->line, 4);
    EXPECT_EQ(entry.find("args")->items.at(1).text, "true");
    EXPECT_EQ(entry.find("args")->items.at(2).kind, Kind::null);
  }
  EXPECT_EQ(load("  {a: 1, b: [x]}").find("a")->text, "1");  // YAML all the same.
}

TEST(Json, FaultsHaveLines) {
  EXPECT_EQ(faults_of("{\n\"a\": 1,,\n}\n", "f.json"),
            Strings{"f.json:3: invalid JSON: a key is expected (column 1; a comma too many)"});
  EXPECT_EQ(faults_of("{\"a\": 1,\n\"b\": 2,\n\"a\": 3}", "f.json"),
            Strings{"f.json:3: a: duplicate key, first given on line 1"});
  EXPECT_EQ(faults_of("", "f.json"),
            Strings{"f.json:1: invalid JSON: a value is expected (column 1; the text is empty)"});
  EXPECT_EQ(faults_of("{\n\"a\": \"\\ud800\"}", "f.json").size(), 1u);
  std::string many = "[1";
  for (std::size_t i = 0; i < kMaxNodes; ++i) many += ",1";
  EXPECT_EQ(faults_of(many + "]", "f.json"), Strings{"f.json: has more than 100000 values"});
}

TEST(Load, RefusesWhatIsNotPlainText) {
  EXPECT_EQ(faults_of("a: 1\nb: \xFF\n"), Strings{"f.yaml:2: is not UTF-8 text"});
  EXPECT_EQ(faults_of("a: 1\n\x04\nb: 2\n"), Strings{"f.yaml:2: control character 0x04"});
  EXPECT_EQ(faults_of("a: \"x\\0y\"\n"), Strings{"f.yaml:1: a: holds a NUL character"});
  EXPECT_EQ(load("\xEF\xBB\xBF"
                 "a: 1\n")
                .find("a")
                ->text,
            "1");
  EXPECT_EQ(faults_of(std::string(kMaxFile + 1, '\n')), Strings{"f.yaml: is larger than 4MiB"});
}

TEST(Load, ReadsFilesAndChecksTheirPermissions) {
  Folder folder;
  Faults faults;
  EXPECT_EQ(load_file(folder.write("a.yaml", "a: 1\n"), faults).find("a")->text, "1");
  EXPECT_EQ(texts(faults), Strings{});

  const std::string open = folder.write("open.yaml", "a: 1\na: 2\n", 0646);
  load_file(open, faults);
  EXPECT_EQ(texts(faults), (Strings{open + ": may be changed by anyone; chmod o-w " + open,
                                    open + ":2: a: duplicate key, first given on line 1"}));
  faults.clear();
  load_file(folder.path("missing.yaml"), faults);
  EXPECT_EQ(texts(faults),
            Strings{folder.path("missing.yaml") + ": cannot be read: No such file or directory"});
  faults.clear();
  load_file(folder.path(""), faults);
  EXPECT_EQ(texts(faults), Strings{folder.path("") + ": is not a regular file"});
  faults.clear();
  load_file(folder.write("large.yaml", std::string(kMaxFile + 1, '#')), faults);
  EXPECT_EQ(texts(faults), Strings{folder.path("large.yaml") + ": is larger than 4MiB"});
}

TEST(Interpolation, PutsInVariablesAndFiles) {
  Folder folder;
  folder.write("token", "s3cret\n");
  folder.write("two", "1\r\n2\r\n");
  ::setenv("PATCHBAY_TEST_PORT", "8080", 1);
  ::setenv("PATCHBAY_TEST_EMPTY", "", 1);
  Faults faults;
  const Node root = load_file(folder.write("f.yaml", R"(
bare: ${env:PATCHBAY_TEST_PORT}
quoted: "${env:PATCHBAY_TEST_PORT}"
joined: "a ${env:PATCHBAY_TEST_PORT}${env:PATCHBAY_TEST_EMPTY}/${file:token} b"
two: ${file:two}
absolute: ${file:)" + folder.path("token") + R"(}
literal: $${env:HOME} $5 $$ ${HOME} ${x:-y} $
${env:HOME}: key
)"),
                              faults);
  EXPECT_EQ(texts(faults), Strings{});
  EXPECT_EQ(root.find("bare")->text, "8080");
  EXPECT_FALSE(root.find("bare")->quoted);
  EXPECT_TRUE(root.find("bare")->interpolated);
  EXPECT_TRUE(root.find("quoted")->quoted);
  EXPECT_EQ(root.find("joined")->text, "a 8080/s3cret b");
  EXPECT_EQ(root.find("two")->text, "1\r\n2");
  EXPECT_EQ(root.find("absolute")->text, "s3cret");
  EXPECT_EQ(root.find("literal")->text, "${env:HOME} $5 $$ ${HOME} ${x:-y} $");
  EXPECT_FALSE(root.find("literal")->interpolated);
  EXPECT_NE(root.find("${env:HOME}"), nullptr);
}

TEST(Interpolation, NamesWhatIsNotThere) {
  ::unsetenv("PATCHBAY_TEST_UNSET");
  EXPECT_EQ(
      faults_of("a:\n  - ${env:PATCHBAY_TEST_UNSET}\n  - ${file:no/such}\n"
                "b: ${evn:TOKEN}\nc: ${env:X\nd: ${env:}\n",
                "cfg/f.yaml"),
      (Strings{
          "cfg/f.yaml:2: a[0]: the environment variable PATCHBAY_TEST_UNSET is not set",
          "cfg/f.yaml:3: a[1]: the file cfg/no/such cannot be read: No such file or directory",
          "cfg/f.yaml:4: b: \"evn\" is not a source of values: write ${env:NAME} or "
          "${file:PATH}, or $${ for a literal ${",
          "cfg/f.yaml:5: c: ${env: has no closing brace",
          "cfg/f.yaml:6: d: \"\" cannot be an environment variable",
      }));
}

TEST(Interpolation, BoundsWhatFilesBringIn) {
  Folder folder;
  folder.write("large", std::string((1 << 20) + 1, 'x'));
  folder.write("fits", std::string(1 << 20, 'x'));
  folder.write("binary", "\xFF\xFE");
  folder.write("open", "x", 0666);
  std::string many = "many: [";
  for (int i = 0; i < 20; ++i) many += "\"${file:fits}\",";
  Faults faults;
  load_file(folder.write("f.yaml",
                         "a: ${file:large}\nb: ${file:binary}\nc: ${file:open}\n" + many + "]\n"),
            faults);
  ASSERT_EQ(faults.size(), 4u);
  EXPECT_TRUE(faults[0].message.ends_with("is larger than 1MiB"));
  EXPECT_TRUE(faults[1].message.ends_with("is not UTF-8 text"));
  EXPECT_EQ(faults[2].message, "the file " + folder.path("open") +
                                   " may be changed by anyone; chmod o-w " + folder.path("open"));
  EXPECT_EQ(faults[3].message, "the file grows beyond 16MiB here");
}

}  // namespace
}  // namespace patchbay::config
