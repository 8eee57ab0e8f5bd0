// Fuzzes requests of a host to the guest agent: a line and its parameters. The answer to a valid
// request contains its values unchanged; the answer to an invalid one is one line of JSON.
#include <fmt/format.h>

#include "agent/output.h"
#include "agent/params.h"
#include "agent/protocol.h"
#include "fuzz/require.h"
#include "json/read.h"

using patchbay::fuzz::require;
using namespace patchbay::agent;
namespace json = patchbay::json;

namespace {

void require_line(std::string_view line) {
  require(line.ends_with('\n') && line.find('\n') == line.size() - 1);
  require(static_cast<bool>(json::check(line)));
}

// Reads them with every function.
void read_params(std::string_view raw) {
  constexpr std::string_view kNames[] = {"cmd", "code"};
  Params params(raw, kNames);
  const auto cmd = params.text("cmd");
  require(cmd.find('\0') == std::string::npos);
  params.content("code", "");
  params.number("offset", 0);
  params.flag("append");
  params.texts("argv");
  for (const auto& [name, value] : params.pairs("env")) require(!name.empty());
  const double seconds = params.seconds("timeout", 1);
  require(seconds >= 0 && seconds <= 1e9);
  if (auto good = params.check(); !good) require_line(failure("0", good.error()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = patchbay::fuzz::text_of(data, size);
  connect_port(text);
  std::optional<std::uint64_t> id;
  const auto request = parse_request(text, id);
  if (!request) {
    require_line(failure(id ? fmt::format("{}", *id) : "null", request.error()));
  } else {
    require(id == request->id);
    require(as_u64(*json::member(text, "id")) == request->id);
    require_line(success(request->id, "{}"));
    read_params(request->params);
  }

  // Outputs are bounded text, whatever a program writes.
  constexpr std::size_t kMost = 16;
  FirstBytes first(kMost);
  BothEnds ends(kMost);
  LastBytes last(kMost);
  first.take(text);
  last.take(text);
  // In pieces; the first byte of each is its length.
  for (auto rest = text; !rest.empty();) {
    const auto piece = rest.substr(0, 1 + static_cast<unsigned char>(rest.front()) % 20);
    ends.take(piece);
    rest.remove_prefix(piece.size());
  }
  require(ends.total() == text.size());
  std::string rendered;
  first.append_to(rendered, Encoding::utf8);
  const auto string = json::as_string(rendered);
  require(string && json::is_utf8(*string) && string->size() <= kMost + 23);
  require(last.take_front(kMost, true).bytes.size() <= kMost);
  rendered.clear();
  const bool cut = ends.append_to(rendered, Encoding::utf8);
  const auto both = json::as_string(rendered);
  constexpr std::size_t kMark = 60;  // Of the note about how much is missing.
  require(both && json::is_utf8(*both) && both->size() <= kMost + kMark);
  require(cut == both->contains(" bytes left out] ...") || text.contains("left out"));
  return 0;
}
