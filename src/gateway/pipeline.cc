#include "gateway/pipeline.h"

#include <fmt/format.h>

#include "json/read.h"

namespace patchbay::gateway {

Task<mcp::Reply> Pipeline::handle(Call& call) {
  const Deadline began = here().now();
  auto outcome = co_await decide(call);
  mcp::Reply reply = outcome ? *std::move(outcome) : mcp::error_reply(outcome.error());
  recorder_.record(call, reply, began);
  co_return reply;
}

Task<mcp::Reply> Pipeline::decide(Call& call) {
  // Whoever reaches a loopback listener is `local`; there is no other way in yet.
  call.who = policy::Principal{};

  auto permit = limiter_.admit();
  if (!permit) co_return permit.error();

  if (call.method.reach == mcp::Reach::catalog) co_return co_await list(call);
  co_return co_await send(call);
}

Task<mcp::Reply> Pipeline::list(const Call& call) {
  if (call.request.param("cursor")) {
    co_return Error{Code::invalid_params, "this cursor is not one of ours"};
  }
  auto catalog = co_await catalog_.wait_settled(call.deadline);
  if (!catalog) co_return catalog.error();
  co_return mcp::result_reply(
      fmt::format("{{\"{}\":{}}}", call.method.list, (*catalog)->tools_json()));
}

Task<mcp::Reply> Pipeline::send(Call& call) {
  const auto* const target = call.request.param(call.method.target);
  auto name = target ? json::as_string(target->raw) : std::nullopt;
  if (!name) {
    co_return Error{Code::invalid_params,
                    fmt::format("'{}' must be given as a string", call.method.target)};
  }
  call.target = *std::move(name);
  const auto* const arguments = call.request.param("arguments");
  if (arguments && !arguments->raw.starts_with('{')) {
    co_return Error{Code::invalid_params, "'arguments' must be an object"};
  }

  auto catalog = catalog_.current();
  const CatalogEntry* entry = catalog->find(call.target);
  if (!entry && !catalog_.settled()) {
    auto settled = co_await catalog_.wait_settled(call.deadline);
    if (!settled) co_return settled.error();
    catalog = *std::move(settled);
    entry = catalog->find(call.target);
  }
  if (!entry) {
    co_return Error{Code::not_found, fmt::format("unknown tool: {}", call.target)};
  }
  call.upstream = entry->upstream->name();
  co_return co_await entry->upstream->answer(call, entry->tool);
}

}  // namespace patchbay::gateway
