#include "app/one_line.h"

#include "json/invisible.h"

namespace patchbay::app {

std::string on_line(std::string_view text) {
  std::string out;
  for (const char c : json::visible(text)) {
    if (c == '\n') {
      out += "\\u000a";
    } else if (c == '\t') {
      out += "\\u0009";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace patchbay::app
