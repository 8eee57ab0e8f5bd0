// Which credentials of the configuration an operation is called with: its security requirements,
// or those of the document, by the security schemes. A credential goes only where a scheme says,
// and only with operations that ask for it.
//
// Confined to one thread; pure.
#pragma once

#include <map>
#include <string>

#include "config/fields.h"
#include "upstreams/openapi/document.h"
#include "upstreams/openapi/operation.h"

namespace patchbay::upstreams {

class OpenapiSecurity {
 public:
  // REQUIRES: document and credentials outlive it.
  OpenapiSecurity(const OpenapiDocument& document, const config::Dict<std::string>& credentials);

  // What to send with `operation`: the first alternative for which there are all credentials, else
  // nothing.
  OpenapiProof proof_for(json::NodeId operation);

  // What is wrong between the document and the credentials, as sentences.
  std::vector<std::string> problems() const;

 private:
  struct Scheme {
    ParameterLocation place = ParameterLocation::header;
    std::string name;     // Of the header, the parameter or the cookie.
    std::string prefix;   // In front of the credential: "Bearer ".
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
  std::map<std::string, int> unmet_;  // Schemes without credentials: how many operations ask.
  std::vector<std::string> problems_;
};

// What cannot be sent, whatever scheme it is for: a fault of the configuration. Empty if nothing.
std::string fault_of_credential(const std::string& value);

}  // namespace patchbay::upstreams
