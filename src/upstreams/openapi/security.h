// Which configured credentials an operation is called with: by its security requirements, or those
// of the document, and the security schemes. A credential is sent only as its scheme defines, and
// only with operations that require it.
//
// Confined to one thread; pure.
#pragma once

#include <map>
#include <string>

#include "config/settings.h"
#include "upstreams/openapi/document.h"
#include "upstreams/openapi/operation.h"

namespace patchbay::upstreams {

class OpenapiSecurity {
 public:
  // REQUIRES: document and credentials outlive it.
  OpenapiSecurity(const OpenapiDocument& document, const config::Dict<std::string>& credentials);

  // The credentials to send with `operation`: the first alternative for which all are configured,
  // else none.
  OpenapiProof proof_for(json::NodeId operation);

  // Mismatches between the document and the credentials, as sentences.
  std::vector<std::string> problems() const;

 private:
  struct Scheme {
    ParameterLocation location = ParameterLocation::header;
    std::string name;     // Of the header, the parameter or the cookie.
    std::string prefix;   // The prefix of the credential: "Bearer ".
    bool basic = false;   // The credential is written in base64.
    bool silent = false;  // Nothing is sent: TLS proves it.
  };

  void read_scheme(json::NodeId at);
  const std::string* credential(const std::string& scheme) const;
  bool is_met(json::NodeId requirement) const;
  void add(OpenapiProof& proof, const std::string& scheme) const;

  const OpenapiDocument& document_;
  const config::Dict<std::string>& credentials_;
  std::map<std::string, Scheme> schemes_;
  // Schemes without credentials: how many operations require them.
  std::map<std::string, int> unmet_;
  std::vector<std::string> problems_;
};

// Credentials that cannot be sent with any scheme: a configuration error. Empty if there are none.
std::string fault_of_credential(const std::string& value);

}  // namespace patchbay::upstreams
