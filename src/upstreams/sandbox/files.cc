#include "upstreams/sandbox/files.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base64.h"
#include "json/read.h"
#include "json/write.h"

namespace patchbay::upstreams {
namespace {

using sandbox::FileEntry;
using sandbox::FilePiece;

Error too_simple() {
  return {Code::invalid_params, "the agent of this sandbox reads and writes whole text files only"};
}

std::uint64_t count(std::string_view object, std::string_view name) {
  const auto number = json::as_int(json::member(object, name).value_or("0")).value_or(0);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(number, 0));
}

}  // namespace

Task<FilePiece> SandboxFiles::read(const FileRequest& request) {
  auto folder = guest_.workspace();
  if (!folder) co_return co_await read_by_agent(request);
  std::function<Result<FilePiece>()> work =
      [folder, path = request.path, offset = request.offset, length = request.length,
       most = settings_.content.value] { return folder->read(path, offset, length, most); };
  co_return co_await threads_.run<FilePiece>(std::move(work));
}

Task<void> SandboxFiles::write(const FileRequest& request) {
  auto folder = guest_.workspace();
  if (!folder) co_return co_await write_by_agent(request);
  std::function<Result<void>()> work = [folder, path = request.path, content = request.content,
                                        append = request.append] {
    return folder->write(path, content, append);
  };
  co_return co_await threads_.run<void>(std::move(work));
}

Task<std::vector<FileEntry>> SandboxFiles::list(const FileRequest& request) {
  auto folder = guest_.workspace();
  if (!folder) co_return co_await list_by_agent(request);
  std::function<Result<std::vector<FileEntry>>()> work =
      [folder, path = request.path, most = static_cast<std::size_t>(settings_.entries)] {
        return folder->list(path, most);
      };
  co_return co_await threads_.run<std::vector<FileEntry>>(std::move(work));
}

Task<FilePiece> SandboxFiles::read_by_agent(const FileRequest& request) {
  AgentLink& agent = guest_.agent();
  const bool part = request.offset > 0 || request.length > 0;
  if (part && !agent.extended()) co_return too_simple();
  std::string params;
  {
    json::Object object(params);
    object.raw("path", json::quote(request.path));
    if (agent.extended()) {
      object.raw("encoding", R"("base64")");
      object.raw("offset", std::to_string(request.offset));
      const auto length = request.length > 0 ? std::min(request.length, settings_.content.value)
                                             : settings_.content.value;
      object.raw("length", std::to_string(length));
    }
  }
  auto result = co_await agent.ask("read_file", std::move(params), deadline_);
  if (!result) co_return result.error();
  auto content = json::string_member(*result, "content");
  if (content && agent.extended()) content = base64_decode(*content);
  if (!content) co_return Error{Code::upstream_failed, "the agent returned no content"};
  FilePiece piece{*std::move(content), 0};
  piece.size = agent.extended() ? count(*result, "size") : piece.bytes.size();
  const bool whole = request.length == 0 && request.offset + piece.bytes.size() < piece.size;
  if (whole || piece.bytes.size() > settings_.content.value) {
    co_return Error{Code::too_large,
                    fmt::format("the file has {} bytes; at most {} are read at once, so ask for a "
                                "part of it with offset and length",
                                piece.size, settings_.content.value)};
  }
  co_return piece;
}

Task<void> SandboxFiles::write_by_agent(const FileRequest& request) {
  AgentLink& agent = guest_.agent();
  if ((request.base64 || request.append) && !agent.extended()) co_return too_simple();
  std::string params;
  {
    json::Object object(params);
    object.raw("path", json::quote(request.path));
    object.raw("content",
               json::quote(request.base64 ? base64_encode(request.content) : request.content));
    if (request.base64) object.raw("encoding", R"("base64")");
    if (request.append) object.raw("append", "true");
  }
  auto result = co_await agent.ask("write_file", std::move(params), deadline_);
  if (!result) co_return result.error();
  if (json::member(*result, "success") != "true") {
    co_return Error{Code::upstream_failed, "the agent did not write the file"};
  }
  co_return ok();
}

Task<std::vector<FileEntry>> SandboxFiles::list_by_agent(const FileRequest& request) {
  std::string params;
  {
    json::Object object(params);
    object.raw("path", json::quote(request.path));
  }
  auto result = co_await guest_.agent().ask("list_dir", std::move(params), deadline_);
  if (!result) co_return result.error();
  std::vector<FileEntry> entries;
  json::each_element(json::member(*result, "entries").value_or("[]"), [&](std::string_view one) {
    FileEntry entry;
    entry.name = json::string_member(one, "name").value_or("");
    entry.is_dir = json::member(one, "is_dir") == "true";
    entry.size = count(one, "size");
    entry.type = entry.is_dir ? "dir" : "file";
    entries.push_back(std::move(entry));
  });
  if (entries.size() > static_cast<std::size_t>(settings_.entries)) {
    co_return Error{Code::too_large, fmt::format("the folder has {} entries; at most {} are listed",
                                                 entries.size(), settings_.entries)};
  }
  co_return entries;
}

}  // namespace patchbay::upstreams
