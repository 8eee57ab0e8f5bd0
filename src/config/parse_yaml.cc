// YAML to Nodes, by the events of libyaml: a tree of its own would lose lines and duplicate keys.
// The only file that includes libyaml.
#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <memory>

#include "config/parse.h"
#include "config/syntax_hint.h"
#include "config/yaml_builder.h"
#include "config/yaml_text.h"

namespace patchbay::config {
namespace {

int line_of(const yaml_mark_t& mark) { return static_cast<int>(mark.line) + 1; }

// libyaml has unsigned characters, and null for what is not there.
std::string_view view_of(const yaml_char_t* text) {
  return text ? std::string_view(reinterpret_cast<const char*>(text)) : std::string_view();
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {
    made_ = yaml_parser_initialize(&parser_) == 1;
    if (!made_) return;
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    // libyaml takes no null pointer, which an empty view may hold.
    const char* const data = text.empty() ? "" : text.data();
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(data),
                                 text.size());
  }
  ~Parser() {
    if (made_) yaml_parser_delete(&parser_);
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // False if the text is broken; fault() then has the position.
  bool next(yaml_event_t& event) { return made_ && yaml_parser_parse(&parser_, &event) == 1; }

  Fault fault(const std::string& name) const {
    if (!made_ || parser_.error == YAML_MEMORY_ERROR) return {name, 0, "", "out of memory"};
    if (parser_.error == YAML_READER_ERROR) return unreadable(name);
    const auto& mark = parser_.problem_mark;
    std::string message =
        fmt::format("invalid YAML: {} (column {}", parser_.problem, mark.column + 1);
    if (parser_.context) {
      message += fmt::format(", {}", parser_.context);
      // Elsewhere the mark of the context is not set.
      if (parser_.context_mark.line != mark.line && parser_.context_mark.index > 0) {
        message += fmt::format(" that begins on line {}", line_of(parser_.context_mark));
      }
    }
    const std::string_view hint = yaml_hint(text_, mark.line, mark.column, parser_.problem);
    if (!hint.empty()) message += fmt::format("; {}", hint);
    return {name, line_of(mark), "", message + ")"};
  }

 private:
  // A character that YAML does not allow. libyaml reports its byte, but people look for lines.
  Fault unreadable(const std::string& name) const {
    const auto before = text_.substr(0, std::min(parser_.problem_offset, text_.size()));
    const int line = static_cast<int>(std::ranges::count(before, '\n')) + 1;
    return {name, line, "",
            fmt::format("invalid YAML: {} (U+{:04X})", parser_.problem,
                        static_cast<unsigned>(parser_.problem_value))};
  }

  const std::string_view text_;
  yaml_parser_t parser_;
  bool made_ = false;
};

// Hands one event to the builder; false ends the parse.
bool deliver(const yaml_event_t& event, const YamlText& text, YamlBuilder& builder) {
  const int line = line_of(event.start_mark);
  switch (event.type) {
    case YAML_DOCUMENT_START_EVENT:
      return builder.begin_document(line);
    case YAML_ALIAS_EVENT:
      return builder.alias(line, view_of(event.data.alias.anchor));
    case YAML_SCALAR_EVENT: {
      const auto& scalar = event.data.scalar;
      const char* const value = reinterpret_cast<const char*>(scalar.value);
      return builder.scalar({line, view_of(scalar.tag), view_of(scalar.anchor)},
                            text.restore({value, scalar.length}),
                            scalar.style == YAML_PLAIN_SCALAR_STYLE);
    }
    case YAML_SEQUENCE_START_EVENT: {
      const auto& list = event.data.sequence_start;
      return builder.begin_list({line, view_of(list.tag), view_of(list.anchor)});
    }
    case YAML_MAPPING_START_EVENT: {
      const auto& map = event.data.mapping_start;
      return builder.begin_map({line, view_of(map.tag), view_of(map.anchor)});
    }
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
      builder.end();
      return true;
    default:
      return true;
  }
}

}  // namespace

Node parse_yaml(std::string_view text, const std::string& name, Faults& faults,
                const ParseLimits& limits) {
  const auto prepared = YamlText::prepare(text, name, faults);
  if (!prepared) return {};
  Parser parser(prepared->view());
  YamlBuilder builder(name, faults, limits);
  for (;;) {
    yaml_event_t event;
    if (!parser.next(event)) {
      faults.push_back(parser.fault(name));
      return {};
    }
    const std::unique_ptr<yaml_event_t, void (*)(yaml_event_t*)> owner(&event, yaml_event_delete);
    if (event.type == YAML_STREAM_END_EVENT) return builder.take_root();
    if (!deliver(event, *prepared, builder)) return {};
  }
}

}  // namespace patchbay::config
