// The file methods. Parameters are checked here; the work runs in the thread pool.
#include "agent/files.h"
#include "agent/methods.h"
#include "core/base64.h"

namespace patchbay::agent {
namespace {

std::optional<std::uint64_t> maybe_number(Params& params, std::string_view name) {
  if (!params.has(name)) return std::nullopt;
  return params.number(name);
}

// Runs `work` on a thread that may block.
Task<std::string> off_loop(Asked asked, std::function<Result<std::string>()> work) {
  if (auto good = asked.params.check(); !good) co_return good.error();
  co_return co_await asked.services.pool.run<std::string>(std::move(work));
}

}  // namespace

Task<std::string> answer_read_file(Asked asked) {
  Params& params = asked.params;
  ReadRequest request;
  request.path = params.text("path");
  request.encoding = encoding_of(params);
  request.extended = params.has("encoding") || params.has("offset") || params.has("length");
  request.offset = params.number("offset", 0);
  request.length = maybe_number(params, "length");
  auto work = [&services = asked.services, request] {
    return read_file(services.tree, request, services.settings.max_file);
  };
  co_return co_await off_loop(asked, std::move(work));
}

Task<std::string> answer_write_file(Asked asked) {
  Params& params = asked.params;
  auto request = std::make_shared<WriteRequest>();
  request->path = params.text("path");
  request->content = params.content("content");
  if (encoding_of(params) == Encoding::base64) {
    auto bytes = base64_decode(request->content);
    if (!bytes) params.refuse("`content` must be base64");
    request->content = std::move(bytes).value_or("");
  }
  request->append = params.flag("append");
  request->create_only = params.flag("create_only");
  request->offset = maybe_number(params, "offset");
  request->mode = maybe_number(params, "mode");
  if (request->append && request->offset) params.refuse("`append` and `offset` exclude each other");
  auto work = [&services = asked.services, request] { return write_file(services.tree, *request); };
  co_return co_await off_loop(asked, std::move(work));
}

Task<std::string> answer_list_dir(Asked asked) {
  const ListRequest request{asked.params.text("path"), asked.params.flag("details")};
  auto work = [&services = asked.services, request] {
    return list_dir(services.tree, request, services.settings.max_entries);
  };
  co_return co_await off_loop(asked, std::move(work));
}

Task<std::string> answer_stat(Asked asked) {
  const std::string path = asked.params.text("path");
  const bool follow = asked.params.flag("follow");
  auto work = [&services = asked.services, path, follow] {
    return stat_path(services.tree, path, follow);
  };
  co_return co_await off_loop(asked, std::move(work));
}

Task<std::string> answer_mkdir(Asked asked) {
  const std::string path = asked.params.text("path");
  const bool parents = asked.params.flag("parents", true);
  auto work = [&services = asked.services, path, parents] {
    return make_folder(services.tree, path, parents);
  };
  co_return co_await off_loop(asked, std::move(work));
}

Task<std::string> answer_remove(Asked asked) {
  const std::string path = asked.params.text("path");
  const bool recursive = asked.params.flag("recursive");
  auto work = [&services = asked.services, path, recursive] {
    return remove_path(services.tree, path, recursive);
  };
  co_return co_await off_loop(asked, std::move(work));
}

Task<std::string> answer_move(Asked asked) {
  const std::string from = asked.params.text("from");
  const std::string to = asked.params.text("to");
  const bool overwrite = asked.params.flag("overwrite", true);
  auto work = [&services = asked.services, from, to, overwrite] {
    return move_path(services.tree, from, to, overwrite);
  };
  co_return co_await off_loop(asked, std::move(work));
}

}  // namespace patchbay::agent
