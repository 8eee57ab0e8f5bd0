#include <gtest/gtest.h>

#include "agent/command_line.h"
#include "agent/languages.h"
#include "agent/output.h"
#include "agent/params.h"
#include "agent/protocol.h"

namespace patchbay::agent {
namespace {

Code code_of(std::string_view line, std::optional<std::uint64_t>* id = nullptr) {
  std::optional<std::uint64_t> ignored;
  auto request = parse_request(line, id ? *id : ignored);
  return request ? Code::overloaded : request.error().code;  // No parser returns overloaded.
}

TEST(AgentProtocol, ReadsARequest) {
  std::optional<std::uint64_t> id;
  auto request = parse_request(
      R"({"jsonrpc":"2.0","id":18446744073709551615,"method":"exec","params":{"cmd":"ls"}})", id);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->id, 18446744073709551615U);
  EXPECT_EQ(id, request->id);
  EXPECT_EQ(request->method, "exec");
  EXPECT_EQ(request->params, R"({"cmd":"ls"})");
}

TEST(AgentProtocol, DistinguishesNoJsonFromNoRequest) {
  EXPECT_EQ(code_of("{"), Code::parse_error);
  EXPECT_EQ(code_of(""), Code::parse_error);
  EXPECT_EQ(code_of("[1,"), Code::parse_error);
  EXPECT_EQ(code_of("[]"), Code::invalid_request);
  EXPECT_EQ(code_of("{}"), Code::invalid_request);
  std::optional<std::uint64_t> id;
  EXPECT_EQ(code_of(R"({"id":7,"jsonrpc":"2.1","method":"ping"})", &id), Code::invalid_request);
  EXPECT_EQ(id, 7U);
  EXPECT_EQ(code_of(R"({"id":"7","jsonrpc":"2.0","method":"ping"})", &id), Code::invalid_request);
  EXPECT_EQ(id, std::nullopt);
}

TEST(AgentProtocol, WritesLines) {
  EXPECT_EQ(success(1, "{}"), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
  EXPECT_EQ(
      failure("0", {Code::internal, "a \"b\""}),
      "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32603,\"message\":\"a \\\"b\\\"\"}}\n");
}

TEST(AgentProtocol, KnowsTheGreeting) {
  EXPECT_EQ(connect_port("CONNECT 1024"), 1024U);
  EXPECT_EQ(connect_port("CONNECT x"), 52U);
  EXPECT_EQ(connect_port("CONNECT 99999999999"), 52U);
  EXPECT_EQ(connect_port("CONNECTED"), std::nullopt);
  EXPECT_EQ(connect_port("{}"), std::nullopt);
}

TEST(AgentParams, ReportTheFirstFault) {
  constexpr std::string_view kNames[] = {"path", "content"};
  Params by_position(R"(["/tmp/x","text"])", kNames);
  EXPECT_EQ(by_position.text("path"), "/tmp/x");
  EXPECT_EQ(by_position.content("content"), "text");
  EXPECT_TRUE(by_position.check());

  Params wrong(R"({"path":7,"append":"yes"})", kNames);
  wrong.text("path");
  wrong.flag("append");
  ASSERT_FALSE(wrong.check());
  EXPECT_EQ(wrong.check().error().message, "invalid params: `path` must be a string");

  Params none("null", kNames);
  EXPECT_EQ(none.number("offset", 5), 5U);
  EXPECT_TRUE(none.check());
  none.text("path");
  EXPECT_EQ(none.check().error().message, "invalid params: missing field `path`");

  Params twice(R"({"path":"a","path":"b"})", kNames);
  EXPECT_FALSE(twice.check());
}

TEST(AgentParams, AreBounded) {
  std::string many = "{";
  for (int i = 0; i < 100; ++i) many += "\"m" + std::to_string(i) + "\":1,";
  many.back() = '}';
  EXPECT_FALSE(Params(many, {}).check());
}

std::string rendered(const AnsweredOutput& output, Encoding encoding = Encoding::utf8) {
  std::string out;
  output.append_to(out, encoding);
  return out;
}

TEST(AgentOutput, KeepsTheFirstBytes) {
  FirstBytes output(5);
  output.take("abc");
  EXPECT_EQ(rendered(output), "\"abc\"");
  output.take("de");
  EXPECT_EQ(rendered(output), "\"abcde\"");
  EXPECT_FALSE(output.only_counts());
  output.take("f");
  EXPECT_TRUE(output.only_counts());
  output.count(100);
  EXPECT_EQ(rendered(output), "\"abcde\\n... [output truncated]\"");
  EXPECT_EQ(rendered(output, Encoding::base64), "\"YWJjZGU=\"");
  EXPECT_EQ(output.total(), 106U);
}

TEST(AgentOutput, CutsBetweenCharacters) {
  FirstBytes output(4);
  output.take("abc\xC3\xA9");
  EXPECT_EQ(rendered(output), "\"abc\\n... [output truncated]\"");
  FirstBytes rubbish(4);
  rubbish.take("\xFF\xFF");  // Three bytes each once they are replaced.
  EXPECT_EQ(rendered(rubbish), "\"\xEF\xBF\xBD\\n... [output truncated]\"");
  FirstBytes nothing(0);
  nothing.take("a");
  EXPECT_EQ(rendered(nothing), "\"\\n... [output truncated]\"");
}

TEST(AgentOutput, ReportsWhetherSomethingIsMissing) {
  std::string out;
  FirstBytes output(4);
  output.take("abcd");
  EXPECT_FALSE(output.append_to(out, Encoding::utf8));
  output.take("e");
  EXPECT_TRUE(output.append_to(out, Encoding::utf8));
  EXPECT_TRUE(output.append_to(out, Encoding::base64));
  FirstBytes rubbish(4);
  rubbish.take("\xFF\xFF");
  EXPECT_TRUE(rubbish.append_to(out, Encoding::utf8));
  EXPECT_FALSE(rubbish.append_to(out, Encoding::base64));
}

TEST(AgentOutput, KeepsBothEnds) {
  BothEnds output(8);
  output.take("ab");
  output.take("cdefgh");
  EXPECT_EQ(rendered(output), "\"abcdefgh\"");
  for (const char* const piece : {"i", "jk", "lmn"}) output.take(piece);
  EXPECT_EQ(rendered(output), "\"abcd\\n... [6 bytes left out] ...\\nklmn\"");
  output.take("0123456789");
  EXPECT_EQ(rendered(output), "\"abcd\\n... [16 bytes left out] ...\\n6789\"");
  EXPECT_EQ(output.total(), 24U);
  std::string out;
  EXPECT_TRUE(output.append_to(out, Encoding::utf8));
}

TEST(AgentOutput, CutsBothEndsBetweenCharacters) {
  BothEnds output(8);
  output.take(
      "abc\xC3\xA9xyz\xC3\xA9"
      "fgh");  // The fourth byte from the end continues the é.
  EXPECT_EQ(rendered(output), "\"abc\\n... [7 bytes left out] ...\\nfgh\"");
  BothEnds rubbish(8);
  rubbish.take(std::string(8, '\xFF'));
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(rendered(rubbish), "\"" + mark + "\\n... [6 bytes left out] ...\\n" + mark + "\"");
  BothEnds little(8);
  little.take("\xFF\xFF");
  EXPECT_EQ(rendered(little), "\"" + mark + mark + "\"");
  BothEnds nothing(0);
  nothing.take("a");
  EXPECT_EQ(rendered(nothing), "\"\\n... [1 bytes left out] ...\\n\"");
}

TEST(AgentOutput, KeepsTheLastBytes) {
  LastBytes output(4);
  EXPECT_TRUE(output.empty());
  output.take("abc");
  auto piece = output.take_front(2, false);
  EXPECT_EQ(piece.bytes, "ab");
  EXPECT_EQ(piece.dropped, 0U);
  output.take("defgh");
  piece = output.take_front(100, false);
  EXPECT_EQ(piece.bytes, "efgh");
  EXPECT_EQ(piece.dropped, 2U);
  EXPECT_TRUE(output.empty());
  output.take("12345678");
  EXPECT_EQ(output.take_front(100, false).bytes, "5678");
  output.take("a\xC3");
  EXPECT_EQ(output.take_front(100, false).bytes, "a");
  EXPECT_EQ(output.take_front(100, true).bytes, "\xC3");
}

TEST(AgentOutput, KnowsTheBeginningOfACharacter) {
  EXPECT_EQ(unfinished_tail("abc"), 0U);
  EXPECT_EQ(unfinished_tail("a\xC3"), 1U);
  EXPECT_EQ(unfinished_tail("a\xC3\xA9"), 0U);
  EXPECT_EQ(unfinished_tail("\xE2\x82"), 2U);
  EXPECT_EQ(unfinished_tail("\xF0\x9F\x99"), 3U);
  EXPECT_EQ(unfinished_tail("\x80\x80\x80"), 0U);
  EXPECT_EQ(unfinished_tail(""), 0U);
}

TEST(AgentLanguages, AreFoundInAnyCase) {
  ASSERT_TRUE(find_language("JavaScript"));
  EXPECT_EQ(find_language("JavaScript")->program, "node");
  EXPECT_EQ(find_language("python")->option, "-c");
  EXPECT_FALSE(find_language("cobol"));
  EXPECT_FALSE(find_language(""));
}

Result<CommandLineAction> parse(std::vector<std::string> args, Settings& settings) {
  std::vector<char*> pointers;
  for (auto& arg : args) pointers.push_back(arg.data());
  return parse_command_line(pointers, settings);
}

TEST(AgentCommandLine, IsRead) {
  Settings settings;
  auto asked =
      parse({"--listen", "stdio", "--listen=unix:/x", "--max-line", "2048", "--null-id"}, settings);
  ASSERT_TRUE(asked);
  EXPECT_EQ(*asked, CommandLineAction::run);
  EXPECT_EQ(settings.listen, (std::vector<std::string>{"stdio", "unix:/x"}));
  EXPECT_EQ(settings.max_line, 2048U);
  EXPECT_TRUE(settings.null_id);
  for (const auto& args :
       std::vector<std::vector<std::string>>{{"arg"},
                                             {"--unknown", "1"},
                                             {"--max-line"},
                                             {"--max-line", "1"},
                                             {"--max-line=x"},
                                             {"--file-threads", "1000"},
                                             {"--max-seconds", "1000000000000"}}) {
    EXPECT_FALSE(parse(args, settings)) << args.front();
  }
  EXPECT_EQ(*parse({"--help"}, settings), CommandLineAction::help);
}

}  // namespace
}  // namespace patchbay::agent
