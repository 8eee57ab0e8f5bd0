#include "cli/waterfall.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "app/one_line.h"
#include "cli/table.h"
#include "core/environment.h"
#include "json/read.h"

namespace patchbay::app {
namespace {

constexpr std::size_t kNameWidth = 14;
constexpr std::size_t kTimeWidth = 12;
constexpr std::size_t kLeastBar = 10;
constexpr std::size_t kMostBar = 100;
constexpr std::size_t kMostValue = 100;  // Bytes of one value.

struct Stage {
  std::string name;
  double began = 0;  // In milliseconds after the beginning of the call.
  double took = 0;
  bool failed = false;
  std::size_t order = 0;
};

double number_at(std::string_view raw, std::string_view key) {
  const auto member = json::member(raw, key);
  return member ? json::as_double(*member).value_or(0) : 0;
}

std::string rendered(std::string_view raw, std::string_view key) {
  return on_line(json::shortened(json::string_member(raw, key).value_or(""), kMostValue));
}

std::vector<Stage> stages_of(std::string_view call) {
  std::vector<Stage> stages;
  std::map<std::string, int> seen;
  json::each_element(json::member(call, "stages").value_or("[]"), [&](std::string_view raw) {
    Stage stage{rendered(raw, "stage"), number_at(raw, "began_ms"), number_at(raw, "took_ms"),
                json::member(raw, "failed") == "true", stages.size()};
    const int number = ++seen[stage.name];
    if (number > 1) stage.name += fmt::format(" {}", number);
    stages.push_back(std::move(stage));
  });
  // Those that began at the same time stay in their order.
  std::ranges::sort(stages, {},
                    [](const Stage& stage) { return std::pair(stage.began, stage.order); });
  return stages;
}

std::string repeated(std::string_view piece, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

// What is known of the call, as `name value` pairs, wrapped at the width of the terminal.
std::string facts_of(std::string_view call, std::size_t columns) {
  constexpr std::array kFacts{"caller", "client",   "from",       "frontend",  "revision",
                              "rule",   "upstream", "error_code", "request_id"};
  std::string text;
  std::string line = " ";
  const auto add = [&](const std::string& fact) {
    if (line.size() > 1 && line.size() + fact.size() + 2 > columns) {
      text += line + "\n";
      line = " ";
    }
    line += (line.size() > 1 ? "  " : " ") + fact;
  };
  for (const std::string_view name : kFacts) {
    std::string value = rendered(call, name);
    if (name == "error_code") value = on_line(json::member(call, name).value_or(""));
    if (value.empty()) continue;
    if (name == "upstream") {
      const std::string kind = rendered(call, "upstream_kind");
      if (!kind.empty()) value += " (" + kind + ")";
    }
    add(fmt::format("{} {}", name, value));
  }
  add(fmt::format("in {:.0f} B", number_at(call, "bytes_in")));
  add(fmt::format("out {:.0f} B", number_at(call, "bytes_out")));
  return text + line + "\n";
}

std::string call_head(std::string_view call, double offset_ms, std::FILE* out) {
  const bool failed = json::member(call, "failed") == "true";
  const std::string target = rendered(call, "target");
  std::string text = rendered(call, "method");
  if (!target.empty()) text += " " + target;
  text += "  " + painted(rendered(call, "outcome"), failed ? Colour::bad : Colour::good, out);
  text += fmt::format("  {:.3f} ms", number_at(call, "took_ms"));
  if (offset_ms >= 0) text += fmt::format("  +{:.3f} ms", offset_ms);
  return text + "\n";
}

}  // namespace

WaterfallStyle waterfall_style(std::FILE* out) {
  WaterfallStyle style{.out = out};
  winsize size{};
  if (is_terminal(out) && ::ioctl(::fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    style.columns = size.ws_col;
  }
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string locale = read_variable(name).value_or("");
    if (locale.empty()) continue;
    style.blocks = is_terminal(out) && (locale.contains("UTF-8") || locale.contains("utf8"));
    break;
  }
  return style;
}

std::string waterfall(std::string_view call, double offset_ms, const WaterfallStyle& style) {
  const auto stages = stages_of(call);
  double first = 0;
  double last = number_at(call, "took_ms");
  for (const Stage& stage : stages) {
    first = std::min(first, stage.began);
    last = std::max(last, stage.began + stage.took);
  }
  const std::size_t used = 2 + kNameWidth + kTimeWidth + 2;
  const std::size_t width =
      std::clamp(style.columns > used ? style.columns - used : 0, kLeastBar, kMostBar);
  const double scale = static_cast<double>(width) / std::max(last - first, 1e-6);
  std::string text = call_head(call, offset_ms, style.out) + facts_of(call, style.columns);
  for (const Stage& stage : stages) {
    const auto begin =
        std::min(static_cast<std::size_t>(std::max(stage.began - first, 0.0) * scale), width - 1);
    const auto length = std::clamp<std::size_t>(
        static_cast<std::size_t>(std::llround(std::max(stage.took, 0.0) * scale)), 1,
        width - begin);
    const std::string bar = repeated(style.blocks ? "\u2588" : "#", length);
    text += fmt::format("  {:<{}}{:>{}}  {}{}\n", stage.name, kNameWidth,
                        fmt::format("{:.3f} ms", stage.took), kTimeWidth, std::string(begin, ' '),
                        painted(bar, stage.failed ? Colour::bad : Colour::none, style.out));
  }
  const double dropped = number_at(call, "stages_dropped");
  if (dropped > 0) text += fmt::format("  and {:.0f} further stages\n", dropped);
  return text;
}

}  // namespace patchbay::app
