// Writes the content of a result to files, for `-o FILE`.
//
// The main thread of a command; blocks on the file system.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace patchbay::app {

// The pieces of content of a result: `content` of a tool, `contents` of a resource.
std::vector<std::string_view> content_of(std::string_view result);

// Writes the images, sounds and blobs among `pieces`, decoded; if there are none, the texts. The
// first goes to `file`, each further one to a name with its number: x.png, x-2.png. Yields the
// names of the files. Code::not_found if there is nothing to write.
Result<std::vector<std::string>> save_content(const std::vector<std::string_view>& pieces,
                                              const std::string& file);

}  // namespace patchbay::app
