// An OpenapiSource reads the document of an upstream, from a file or over HTTP, and detects whether
// it has changed.
//
// Confined to the control thread. A file is read in one go; see config/file.h.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "async/task.h"
#include "async/timers.h"
#include "net/http/syntax/url.h"
#include "net/tls/context.h"
#include "upstreams/openapi/settings.h"

namespace patchbay::upstreams {

class OpenapiSource {
 public:
  // REQUIRES: the settings outlive it; `fields` are the header lines of every request.
  OpenapiSource(const OpenapiSettings& settings, std::optional<net::Url> url,
                std::shared_ptr<const net::TlsContext> tls, std::string fields);

  // The URL of the document; nothing for a file.
  const std::optional<net::Url>& url() const { return url_; }

  // The text, or nothing if it equals the last usable one.
  Task<std::optional<std::string>> read(Deadline deadline);

  // The last text that was read is usable: until it changes, read() yields nothing.
  void keep() { stored_ = last_; }

 private:
  // Identifies a version of the document.
  struct Version {
    std::string tag;       // ETag, as received.
    std::string modified;  // Last-Modified, as received.
    std::size_t hash = 0;
    bool operator==(const Version&) const = default;
  };

  Task<std::optional<std::string>> fetch(Deadline deadline);
  std::optional<std::string> unless_stored(std::string text, Version version);

  const OpenapiSettings& settings_;
  const std::optional<net::Url> url_;
  const std::shared_ptr<const net::TlsContext> tls_;
  const std::string fields_;
  std::optional<Version> last_;
  std::optional<Version> stored_;
};

}  // namespace patchbay::upstreams
