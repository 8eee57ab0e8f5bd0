#include "transport/wire/chunks.h"

#include <fmt/format.h>

#include "observe/memory.h"

#include <algorithm>

#include "core/ids.h"
#include "json/read.h"
#include "json/write.h"

namespace patchbay::wire {
namespace {

// Where to cut without splitting a character.
std::size_t cut_at(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text.size();
  std::size_t at = most;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
  return at > 0 ? at : most;
}

std::string mark(std::string_view id, std::size_t index, std::size_t total,
                 std::string_view metadata) {
  const std::string chunk =
      fmt::format(R"({{"id":{},"index":{},"total":{}}})", json::quote(id), index, total);
  return json::with_member(metadata.empty() ? "{}" : metadata, "chunk", chunk);
}

}  // namespace

std::vector<std::string> cut(const Heading& heading, std::string_view payload, std::size_t piece) {
  std::vector<std::string_view> parts;
  while (!payload.empty()) {
    const std::size_t size = cut_at(payload, std::max<std::size_t>(piece, 4));
    parts.push_back(payload.substr(0, size));
    payload.remove_prefix(size);
  }
  const std::string id = heading.id.empty() ? random_uuid() : std::string(heading.id);
  std::vector<std::string> envelopes;
  envelopes.reserve(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Heading one{.source = heading.source, .auth_token = heading.auth_token};
    if (i == 0) one = heading;
    one.id = {};  // Each piece has its own id.
    const std::string metadata = mark(id, i, parts.size(), i == 0 ? heading.metadata : "");
    one.metadata = metadata;
    std::string part;
    json::Object object(part);
    object.key("part");
    json::append_quoted(part, parts[i]);
    object.end();
    envelopes.push_back(write(one, part));
  }
  return envelopes;
}

Result<std::optional<Envelope>> ChunkReader::add(const Envelope& piece, std::string& memory) {
  const ChunkMark& chunk = *piece.chunk;
  auto at = open_.find(chunk.id);
  if (at == open_.end()) {
    if (chunk.index != 0) {
      return Error{Code::invalid_request, "a piece of a message whose beginning never arrived"};
    }
    if (open_.size() >= limits_.open) {
      return Error{Code::overloaded, fmt::format("more than {} messages in pieces", limits_.open)};
    }
    at = open_.emplace(chunk.id, Open{piece, 0, chunk.total, {}}).first;
  }
  Open& whole = at->second;
  const auto part = json::string_member(piece.payload, "part");
  if (!part || chunk.index != whole.next || chunk.total != whole.total) {
    return give_up(chunk.id, {Code::invalid_request,
                              fmt::format("piece {} of {} does not follow piece {} of {}",
                                          chunk.index, chunk.total, whole.next, whole.total)});
  }
  if (held_ + part->size() > limits_.message) {
    return give_up(chunk.id, {Code::too_large, fmt::format("a message in pieces of more than {} "
                                                           "bytes",
                                                           limits_.message)});
  }
  if (patchbay::memory::is_short(part->size())) {
    return give_up(chunk.id, patchbay::memory::shortage());
  }
  whole.text += *part;
  held_ += part->size();
  if (++whole.next < whole.total) return std::nullopt;
  memory = std::move(whole.text);
  Envelope envelope = std::move(whole.first);
  held_ -= memory.size();
  open_.erase(at);
  envelope.id = chunk.id;
  envelope.chunk.reset();
  envelope.metadata = {};
  envelope.error = {};
  envelope.payload = memory;
  return std::optional(std::move(envelope));
}

Error ChunkReader::give_up(const std::string& id, Error why) {
  const auto at = open_.find(id);
  held_ -= at->second.text.size();
  open_.erase(at);
  return why;
}

}  // namespace patchbay::wire
