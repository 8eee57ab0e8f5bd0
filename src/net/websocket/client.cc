#include "net/websocket/client.h"

#include "net/io/socket.h"
#include "net/websocket/handshake.h"

namespace patchbay::net {

Task<std::unique_ptr<ClientWebSocket>> ClientWebSocket::connect(WebSocketTarget target,
                                                                Deadline deadline) {
  auto stream = co_await connect_stream(target.url, target.tls, deadline);
  if (!stream) co_return stream.error();
  set_no_delay((*stream)->fd());
  std::unique_ptr<ClientWebSocket> made(new ClientWebSocket(*std::move(stream), target.settings));
  auto upgraded = co_await made->do_handshake(target, deadline);
  if (!upgraded) co_return upgraded.error();
  co_return made;
}

Task<void> ClientWebSocket::do_handshake(const WebSocketTarget& target, Deadline deadline) {
  const std::string key = ws_new_key();
  const std::string request =
      ws_request(target.url.authority(), target.url.path, key, target.mcp, target.fields);
  auto sent = co_await stream_->write_all(request, deadline - here().now());
  if (!sent) co_return sent;
  for (;;) {
    auto got = co_await stream_->read_some(input_.room(), deadline);
    if (!got) co_return got.error();
    input_.add(*got);
    HttpResponseHead head;
    auto size = parse_response(input_.bytes(), HttpLimits{}, head);
    if (!size) co_return Error{Code::upstream_failed, "the server does not speak HTTP"};
    if (*size == 0) continue;
    auto agreed = check_ws_response(head, key, target.mcp);
    if (!agreed) co_return agreed.error();
    mcp_ = *agreed;
    input_.drop(*size);
    co_return ok();
  }
}

}  // namespace patchbay::net
