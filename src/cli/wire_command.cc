// wire dump and wire send: the commands that print and create frames.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>

#include "cli/client.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/terminal.h"
#include "cli/wire_commands.h"
#include "cli/wire_print.h"
#include "core/text.h"
#include "json/invisible.h"
#include "json/read.h"
#include "net/io/loop.h"
#include "net/process/signals.h"
#include "net/stream/stream.h"
#include "transport/wire/envelope.h"
#include "transport/wire/gzip.h"
#include "transport/wire/url.h"

namespace patchbay::app {
namespace {

using wire::FrameType;

constexpr wire::FrameRules kAnyHeader{.origin_headers = true};
constexpr std::string_view kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";

// Text for people may contain anything that a peer has sent.
void print_frame(std::string text, bool json) {
  if (!json) json::escape_invisible(text);
  print_raw(text + "\n");
}

Result<std::string> read_bytes(const std::string& file) {
  const auto all_of = [](std::istream& in) {
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  if (file == "-") return all_of(std::cin);
  std::ifstream in(file, std::ios::binary);
  if (!in) return Error{Code::not_found, fmt::format("cannot read {}", file)};
  return all_of(in);
}

FrameType type_named(std::string_view name) {
  for (const auto type : {FrameType::data, FrameType::ping, FrameType::pong, FrameType::error}) {
    if (ascii_lower(wire::name_of(type)) == name) return type;
  }
  return FrameType::close;
}

// The payload of the frame: an envelope around a message, or the given text as it is.
Result<std::string> payload_of(const WireOptions& options, FrameType type) {
  std::string given = options.payload;
  if (given == "-") {
    auto read = read_bytes("-");
    if (!read) return read;
    given = std::string(trimmed(*read));
  }
  if (type != FrameType::data) return given;
  if (given.empty()) given = kPing;
  auto good = json::check(given);
  if (!good) return Error{Code::invalid_params, "the payload: " + good.error().message};
  if (json::member(given, "mcp_payload") || json::member(given, "error")) return given;
  const std::string token = options.token.empty() ? default_token() : options.token;
  return wire::write(
      {.source = wire::kRouter, .target_namespace = options.target_namespace, .auth_token = token},
      given);
}

Result<std::string> frame_of(const WireOptions& options) {
  if (!options.bytes.empty()) {
    auto bytes = from_hex(options.bytes);
    if (!bytes) return Error{Code::invalid_params, "--bytes takes pairs of hexadecimal digits"};
    return *bytes;
  }
  const FrameType type = type_named(options.type);
  auto payload = payload_of(options, type);
  if (!payload) return payload;
  if (!options.gzip) {
    const auto header = options.header == "8" ? wire::Header::eight : wire::Header::seven;
    return wire::encode(header, type, *payload);
  }
  auto packed = wire::gzip(*payload);
  if (!packed) return packed;
  std::string frame;
  wire::append_header(frame, wire::Header::eight, type, packed->size(), true);
  return frame + *packed;
}

// Prints the frames at the front of `bytes` and drops them. Error: what follows is no frame.
Result<bool> print_frames(wire::FrameDecoder& decoder, std::string_view mark, std::string& bytes,
                          bool json) {
  bool answered = false;
  for (;;) {
    auto frame = decoder.next(bytes);
    if (!frame) return frame.error();
    if (!*frame) return answered;
    print_frame(frame_text(mark, **frame, bytes, json), json);
    answered |= (*frame)->type != FrameType::ping;
    bytes.erase(0, (*frame)->size);
  }
}

// Sends `frame` and prints what arrives until it has been answered.
Task<void> exchange(const WireOptions& options, const net::Url& url, std::string frame) {
  const Deadline deadline =
      here().now() + std::chrono::milliseconds(static_cast<std::int64_t>(options.seconds * 1000));
  std::shared_ptr<const net::TlsContext> tls;
  if (url.tls) {
    auto made = net::TlsContext::client({options.ca, options.cert, options.key, "", true});
    if (!made) co_return made.error();
    tls = *std::move(made);
  }
  auto stream = co_await net::connect_stream(url, tls, deadline);
  if (!stream) co_return stream.error();
  auto sent = co_await (*stream)->write_all(frame, deadline - here().now());
  if (!sent) co_return sent;
  wire::FrameDecoder ours(kAnyHeader);
  auto printed = print_frames(ours, ">", frame, options.json);
  if (!printed || !frame.empty()) print("> [{}]\n", to_hex(frame));
  wire::FrameDecoder theirs(kAnyHeader);
  std::string bytes;
  for (bool answered = false; !answered;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + 65536);
    auto got = co_await (*stream)->read_some(std::span(bytes).subspan(before), deadline);
    bytes.resize(before + (got ? *got : 0));
    if (!got) co_return got.error();
    auto seen = print_frames(theirs, "<", bytes, options.json);
    if (!seen) co_return seen.error();
    answered = *seen;
  }
  co_return ok();
}

}  // namespace

int wire_dump(const WireOptions& options) {
  auto bytes = read_bytes(options.file);
  if (!bytes) return failed(bytes.error().message);
  if (options.hex) {
    auto decoded = from_hex(*bytes);
    if (!decoded) return failed("these are not pairs of hexadecimal digits", kExitUsage);
    bytes = *std::move(decoded);
  }
  wire::FrameDecoder decoder(kAnyHeader);
  for (std::size_t at = 0; at < bytes->size();) {
    const std::string_view rest = std::string_view(*bytes).substr(at);
    auto frame = decoder.next(rest);
    if (!frame) return failed(fmt::format("at byte {}: {}", at, frame.error().message));
    if (!*frame) return failed(fmt::format("at byte {}: the frame is incomplete", at));
    print_frame(frame_text(fmt::format("{:06}", at), **frame, rest, options.json), options.json);
    at += (*frame)->size;
  }
  return kExitOk;
}

int wire_send(const WireOptions& options) {
  auto frame = frame_of(options);
  if (!frame) return failed(frame.error().message, kExitUsage);
  if (options.target == "-") {
    print("{}\n", to_hex(*frame));
    return kExitOk;
  }
  auto url = transport::parse_wire_url(options.target);
  if (!url) return failed(url.error().message, kExitUsage);
  net::block_signals();
  net::Loop loop;
  int code = kExitOk;
  auto main = [&]() -> Task<void> {
    net::Signals signals([](int) { std::_Exit(kExitFailed); });
    auto done = co_await exchange(options, *url, *frame);
    if (!done) code = failed(done.error().message);
    loop.quit();
    co_return done;
  };
  Scope scope;
  loop.post([&] { scope.spawn(main()); });
  loop.run();
  std::fflush(stdout);
  return code;
}

}  // namespace patchbay::app
