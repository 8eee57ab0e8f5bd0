// The metaschemas of the drafts, for `$ref` and `$schema`: their assertions, without titles,
// defaults and comments. Constant; usable from any thread.
#pragma once

#include <span>
#include <string_view>

namespace patchbay::json {

inline constexpr std::string_view kMetaschema07 = "http://json-schema.org/draft-07/schema";
inline constexpr std::string_view kMetaschema2020 = "https://json-schema.org/draft/2020-12/schema";

struct Metaschema {
  std::string_view uri;
  std::string_view text;
};

// Those of draft-04, draft-06 and 2019-09.
std::span<const Metaschema> rare_metaschemas();

// The text of the metaschema, or of a part of one, with that URI; empty if there is none.
std::string_view metaschema(std::string_view uri);

}  // namespace patchbay::json
