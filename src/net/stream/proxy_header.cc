#include "net/stream/proxy_header.h"

#include <fmt/format.h>

#include <string>

#include "net/io/proxy_protocol.h"
#include "observe/log.h"

namespace patchbay::net {
namespace {

void log_refused(const PeerAddress& from, std::string_view why) {
  log::Line(log::Level::info, "connection refused").add("from", from.ip_text()).add("why", why);
}

Task<std::string> read_whole(Stream& stream, const TrustedProxies& proxies) {
  const Deadline deadline = here().now() + proxies.header_time;
  std::string header;
  for (;;) {
    auto missing = missing_of_proxy_header(header, proxies.header_size);
    if (!missing) co_return missing.error();
    if (*missing == 0) co_return header;
    const auto before = header.size();
    header.resize(before + *missing);
    auto got = co_await stream.read_some(std::span(header).subspan(before), deadline);
    if (!got && got.error().code == Code::timeout) {
      co_return Error{Code::timeout,
                      fmt::format("PROXY protocol: the header took longer than {} ms "
                                  "(proxies.proxy_header_timeout)",
                                  proxies.header_time / std::chrono::milliseconds(1))};
    }
    // A connection that ends without a byte is a port check.
    if (!got) co_return Error{got.error().code, before > 0 ? got.error().message : ""};
    header.resize(before + *got);
  }
}

}  // namespace

Task<std::optional<PeerAddress>> read_proxy_header(Stream& stream, PeerAddress from,
                                                   const TrustedProxies& proxies) {
  auto header = co_await read_whole(stream, proxies);
  auto source =
      header ? parse_proxy_header(*header) : Result<std::optional<PeerAddress>>(header.error());
  if (source) co_return *source;
  const Error& why = source.error();
  if (!why.message.empty() && why.code != Code::cancelled) log_refused(from, why.message);
  co_return why;
}

void log_unnamed_proxy(const PeerAddress& from) {
  log_refused(from, "the listener takes connections of named proxies only (proxies.from)");
}

}  // namespace patchbay::net
