// Content blocks (text, image, audio, links, embedded resources) and `_meta` in the form of each
// revision: steps of an Edit that the shapes of results, questions and answers share. Pure.
#pragma once

#include <string>
#include <string_view>

#include "json/edit.h"
#include "mcp/revision.h"

namespace patchbay::mcp {

// Walks over the next block. Content that `to` does not have becomes a text block.
void shape_block(json::Edit& edit, Revision to);

// The same for one block or an array of them. The number of blocks.
std::size_t shape_blocks(json::Edit& edit, Revision to);

// Walks over the annotations of a block, a resource or a template.
void shape_annotations(json::Edit& edit, Revision to);

// Walks over the `_meta` of a result or of a request's parameters, and drops protocol keys that
// `to` does not have. False if nothing is left of it, so that a visitor may return it.
bool shape_meta(json::Edit& edit, Revision to);

// True if `to` has that key of `_meta`, or if it is not a key of the protocol.
bool knows_meta(Revision to, std::string_view key);

// A text block.
std::string text_block(std::string_view text);

}  // namespace patchbay::mcp
