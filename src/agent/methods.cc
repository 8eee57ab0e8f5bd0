#include "agent/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "agent/languages.h"
#include "core/version.h"
#include "json/text.h"

namespace patchbay::agent {
namespace {

Task<std::string> ping(Asked /*asked*/) { co_return std::string(R"({"pong":true})"); }

Task<std::string> cancel(Asked asked) {
  const std::uint64_t id = asked.params.number("id");
  if (auto good = asked.params.check(); !good) co_return good.error();
  co_return fmt::format(R"({{"cancelled":{}}})", asked.peer.cancel(id));
}

// Compares in constant time.
bool same(std::string_view presented, std::string_view token) {
  unsigned different = presented.size() != token.size();
  for (std::size_t i = 0; i < token.size(); ++i) {
    const char c = i < presented.size() ? presented[i] : '\0';
    different |= static_cast<unsigned char>(c ^ token[i]);
  }
  return different == 0;
}

// A peer has one attempt.
Task<std::string> authenticate(Asked asked) {
  const std::string presented = asked.params.text("token");
  if (auto good = asked.params.check(); !good) co_return good.error();
  const std::string& token = asked.services.token;
  const bool trusted = token.empty() || same(presented, token);
  asked.peer.set_trusted(trusted);
  if (!trusted) co_return Error{Code::unauthenticated, "the token is wrong"};
  co_return std::string(R"({"success":true})");
}

template <class List, class Name>
std::string names(const List& list, Name name) {
  std::string out = "[";
  for (const auto& item : list) {
    if (out.size() > 1) out += ',';
    json::append_quoted(out, name(item));
  }
  return out + "]";
}

std::string limits(const Settings& settings) {
  std::string out = "{";
  for (const auto& option : kNumberOptions) {
    if (out.size() > 1) out += ',';
    std::string name(option.name.substr(2));
    std::ranges::replace(name, '-', '_');
    out += fmt::format("\"{}\":{}", name, settings.*option.value);
  }
  return out + "}";
}

std::span<const std::string_view> positions_of(const Method& method) {
  const auto end = std::ranges::find(method.positions, std::string_view());
  return {method.positions.begin(), end};
}

// All parameters of each method, by its name.
std::string parameters() {
  std::string out = "{";
  for (const auto& method : methods()) {
    std::vector<std::string_view> all(positions_of(method).begin(), positions_of(method).end());
    for (std::string_view rest = method.options; !rest.empty();) {
      const auto end = std::min(rest.find(' '), rest.size());
      all.push_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    out += fmt::format("{}\"{}\":{}", out.size() > 1 ? "," : "", method.name,
                       names(all, [](std::string_view name) { return name; }));
  }
  return out + "}";
}

// What this agent supports beyond the six methods of the protocol, and its settings. A connection
// also selects here how it is served.
Task<std::string> capabilities(Asked asked) {
  const bool concurrent = asked.params.flag("concurrent", asked.peer.concurrent());
  if (auto good = asked.params.check(); !good) co_return good.error();
  asked.peer.set_concurrent(concurrent);
  co_return fmt::format(
      R"({{"name":"patchbay-agent","version":{},"concurrent":{},"methods":{},"parameters":{},)"
      R"("languages":{},"root":{},"limits":{}}})",
      json::quote(kVersion), concurrent,
      names(methods(), [](const Method& method) { return method.name; }), parameters(),
      names(languages(), [](const Language& language) { return language.name; }),
      json::quote(asked.services.tree.root()), limits(asked.services.settings));
}

constexpr std::string_view kRunNames =
    "argv timeout grace cwd env clear_env stdin encoding max_output keep stream max_stream";

constexpr Method kMethods[] = {
    // The six methods of the protocol.
    {"ping", {}, ping},
    {"exec", {"cmd"}, exec, kRunNames},
    {"exec_code", {"lang", "code"}, exec_code, kRunNames.substr(kRunNames.find(' ') + 1)},
    {"read_file", {"path"}, answer_read_file, "encoding offset length"},
    {"write_file",
     {"path", "content"},
     answer_write_file,
     "encoding append offset create_only mode"},
    {"list_dir", {"path"}, answer_list_dir, "details"},
    // Extensions.
    {"capabilities", {}, capabilities, "concurrent"},
    {"authenticate", {"token"}, authenticate, "", true, true},
    {"cancel", {"id"}, cancel, "", true},
    {"start", {"cmd"}, start, "argv timeout grace cwd env clear_env interactive bound"},
    {"poll", {"process"}, poll, "wait max_output encoding"},
    {"write", {"process", "data"}, write, "encoding close"},
    {"kill", {"process"}, kill, "signal", true},
    {"processes", {}, processes},
    {"stat", {"path"}, answer_stat, "follow"},
    {"mkdir", {"path"}, answer_mkdir, "parents"},
    {"remove", {"path"}, answer_remove, "recursive"},
    {"move", {"from", "to"}, answer_move, "overwrite"},
};

}  // namespace

std::span<const Method> methods() { return kMethods; }

const Method* find_method(std::string_view name) {
  const auto* const found = std::ranges::find(kMethods, name, &Method::name);
  return found == std::end(kMethods) ? nullptr : found;
}

Encoding encoding_of(Params& params) {
  const std::string name = params.text("encoding", "utf8");
  if (name == "base64") return Encoding::base64;
  if (name != "utf8") params.refuse("`encoding` must be \"utf8\" or \"base64\"");
  return Encoding::utf8;
}

Task<std::string> answer(const Method& method, Services& services, Peer& peer, std::uint64_t id,
                         std::string_view params) {
  Params read(params, positions_of(method));
  // Methods without parameters are checked too: invalid parameters are always refused.
  if (auto good = read.check(); !good) co_return good.error();
  const Asked asked{services, peer, id, read};
  co_return co_await method.answer(asked);
}

}  // namespace patchbay::agent
