// Times operations on text, each beside a library that does the same: checking JSON (simdjson),
// base64 (OpenSSL), YAML to JSON (only the events of libyaml, on which ours is based). Prints one
// JSON object per case: nanoseconds of CPU of each, the medians of alternating rounds.
#include <fmt/format.h>
#include <openssl/evp.h>
#include <yaml.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "config/to_json.h"
#include "core/base64.h"
#include "core/text.h"
#include "json/read.h"
#ifdef PATCHBAY_SIMDJSON
#include <simdjson.h>
#endif

namespace {

constexpr int kRounds = 15;
constexpr double kBytesPerRound = 4e6;

using Work = std::function<bool()>;

struct Case {
  std::string name;
  std::size_t bytes;
  Work ours;
  std::string baseline;
  Work theirs;
};

double nanoseconds(const Work& work, int calls, bool& good) {
  const std::clock_t start = std::clock();
  for (int i = 0; i < calls; ++i) good &= work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC * 1e9 / calls;
}

double median(std::vector<double> figures) {
  std::ranges::nth_element(figures, figures.begin() + kRounds / 2);
  return figures[kRounds / 2];
}

// False if anything did not go as it must.
bool measure(const Case& one) {
  const int calls = std::max(1, static_cast<int>(kBytesPerRound / static_cast<double>(one.bytes)));
  bool good = true;
  std::vector<double> ours;
  std::vector<double> theirs;
  for (int round = 0; round < kRounds; ++round) {
    ours.push_back(nanoseconds(one.ours, calls, good));
    theirs.push_back(nanoseconds(one.theirs, calls, good));
  }
  fmt::print(R"({{"case":"{}","bytes":{},"ours_ns":{:.0f},"baseline":"{}","baseline_ns":{:.0f}}})"
             "\n",
             one.name, one.bytes, median(ours), one.baseline, median(theirs));
  return good;
}

#ifdef PATCHBAY_SIMDJSON
std::string repeat(std::string_view piece, std::size_t size) {
  std::string text;
  while (text.size() < size) text += piece;
  return text;
}

// Objects with a text of 300 bytes each.
std::string json_of(std::string_view piece, std::size_t size) {
  const std::string one = R"({"id":12345,"text":")" + repeat(piece, 300) + "\"}";
  std::string json = "[" + one;
  while (json.size() < size) json += "," + one;
  return json + "]";
}

void add_json(std::vector<Case>& cases) {
  struct Sample {
    std::string_view name;
    std::string_view text;
  };
  constexpr Sample kSamples[] = {
      {"ASCII", "The quick brown fox jumps over the lazy dog. "},
      {"English", "The quick brown fox — the lazy dog does not mind it at all — jumps over “it”. "},
      {"German", "Die schnelle Füchsin springt über den trägen Hund. "},
      {"Russian", "Съешь ещё этих мягких французских булок "},
      {"Chinese", "敏捷的棕色狐狸跳过了懒狗，"},
      {"emoji", "😀🚀🎉 "},
  };
  for (const auto& [name, text] : kSamples) {
    for (const std::size_t size : {1'000U, 1'000'000U}) {
      const std::string json = json_of(text, size);
      const auto padded = std::make_shared<simdjson::padded_string>(json);
      const auto parser = std::make_shared<simdjson::dom::parser>();
      cases.push_back({fmt::format("JSON, {}", name), json.size(),
                       [json] { return static_cast<bool>(patchbay::json::check(json)); },
                       "simdjson",
                       [padded, parser] { return parser->parse(*padded).error() == 0; }});
    }
  }
}
#else
void add_json(std::vector<Case>&) {}
#endif

unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* bytes_of(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

void add_base64(std::vector<Case>& cases) {
  for (const std::size_t size : {1'002U, 999'999U}) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i * 2654435761U >> 13);
    const std::string code = patchbay::base64_encode(bytes);
    const auto length = [](const std::string& text) { return static_cast<int>(text.size()); };
    cases.push_back(
        {"base64, encode", size,
         [=] { return patchbay::base64_encode(bytes).size() == code.size(); }, "OpenSSL",
         [=] {
           std::string out;
           patchbay::stretch(out, code.size() + 1);
           return EVP_EncodeBlock(bytes_of(out), bytes_of(bytes), length(bytes)) == length(code);
         }});
    cases.push_back({"base64, decode", size, [=] { return patchbay::base64_decode(code) == bytes; },
                     "OpenSSL",
                     [=] {
                       std::string out;
                       patchbay::stretch(out, bytes.size());
                       EVP_DecodeBlock(bytes_of(out), bytes_of(code), length(code));
                       return out == bytes;
                     }});
  }
}

std::string openapi_document(std::size_t size) {
  std::string text = "openapi: 3.1.0\npaths:\n";
  for (int i = 0; text.size() < size; ++i) {
    text += fmt::format(
        "  /things{0}/{{id}}:\n    get:\n      operationId: getThing{0}\n      description: |\n"
        "        Returns the thing with all its parts.\n        It takes an id and some filters.\n"
        "      parameters:\n        - name: id\n          in: path\n          required: true\n"
        "          schema: {{type: integer, minimum: 1}}\n      responses:\n        '200':\n"
        "          description: The thing.\n",
        i);
  }
  return text;
}

// Whether libyaml takes all of the text.
bool read_events(const std::string& text) {
  yaml_parser_t parser;
  if (yaml_parser_initialize(&parser) != 1) return false;
  yaml_parser_set_input_string(&parser, bytes_of(text), text.size());
  bool good = true;
  for (bool ended = false; good && !ended;) {
    yaml_event_t event;
    good = yaml_parser_parse(&parser, &event) == 1;
    ended = good && event.type == YAML_STREAM_END_EVENT;
    if (good) yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  return good;
}

void add_yaml(std::vector<Case>& cases) {
  const std::string text = openapi_document(1'000'000);
  cases.push_back({"YAML to JSON", text.size(),
                   [text] {
                     return static_cast<bool>(
                         patchbay::config::to_json(text, {1'000'000, 100'000'000}));
                   },
                   "libyaml, events alone", [text] { return read_events(text); }});
}

}  // namespace

int main() {
  std::vector<Case> cases;
  add_json(cases);
  add_base64(cases);
  add_yaml(cases);
  bool good = true;
  for (const Case& one : cases) good &= measure(one);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
