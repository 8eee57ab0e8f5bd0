#include "frontends/rest/swagger_assets.h"

#include <array>

// PATCHBAY_SWAGGER_UI is the folder of the npm package, set by CMake if it exists.
#ifdef PATCHBAY_SWAGGER_UI

// The bytes of a file between two symbols. The assembler embeds them, so that no compiler parses
// them.
#define PATCHBAY_EMBED(symbol, file)                                                      \
  asm(".pushsection .rodata\n"                                                            \
      ".hidden " #symbol "_begin\n.global " #symbol "_begin\n" #symbol                    \
      "_begin:\n.incbin \"" PATCHBAY_SWAGGER_UI "/" file                                  \
      "\"\n"                                                                              \
      ".hidden " #symbol "_end\n.global " #symbol "_end\n" #symbol "_end:\n.popsection"); \
  extern "C" const char symbol##_begin[];                                                 \
  extern "C" const char symbol##_end[]

PATCHBAY_EMBED(patchbay_swagger_bundle, "swagger-ui-bundle.js");
PATCHBAY_EMBED(patchbay_swagger_css, "swagger-ui.css");
PATCHBAY_EMBED(patchbay_swagger_icon, "favicon-32x32.png");
PATCHBAY_EMBED(patchbay_swagger_licence, "LICENSE");
PATCHBAY_EMBED(patchbay_swagger_notice, "NOTICE");

namespace patchbay::frontends {

std::span<const WebAsset> swagger_assets() {
  static const std::array assets{
      WebAsset{"swagger-ui-bundle.js",
               "text/javascript; charset=utf-8",
               {patchbay_swagger_bundle_begin, patchbay_swagger_bundle_end}},
      WebAsset{"swagger-ui.css",
               "text/css; charset=utf-8",
               {patchbay_swagger_css_begin, patchbay_swagger_css_end}},
      WebAsset{"favicon-32x32.png",
               "image/png",
               {patchbay_swagger_icon_begin, patchbay_swagger_icon_end}},
      WebAsset{"LICENSE",
               "text/plain; charset=utf-8",
               {patchbay_swagger_licence_begin, patchbay_swagger_licence_end}},
      WebAsset{"NOTICE",
               "text/plain; charset=utf-8",
               {patchbay_swagger_notice_begin, patchbay_swagger_notice_end}},
  };
  return assets;
}

}  // namespace patchbay::frontends

#else

namespace patchbay::frontends {

std::span<const WebAsset> swagger_assets() { return {}; }

}  // namespace patchbay::frontends

#endif
