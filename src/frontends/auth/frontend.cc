#include "frontends/auth/frontend.h"

#include "frontends/auth/resource_metadata.h"

namespace patchbay::frontends {
namespace {

class AuthFrontend final : public Frontend {
 public:
  explicit AuthFrontend(const SharedAuthFrontend& shared)
      : shared_(shared), metadata_(shared.settings()) {}

  std::vector<net::HttpRoute> routes() override {
    return {{kMetadataPath, "GET, HEAD", &metadata_, true},
            {"/.well-known/oauth-protected-resource/*", "GET, HEAD", &metadata_, true}};
  }

  void update() override { metadata_.update(shared_.settings()); }

 private:
  const SharedAuthFrontend& shared_;
  ResourcePage metadata_;
};

}  // namespace

std::unique_ptr<Frontend> SharedAuthFrontend::make(const WorkerServices&) {
  return std::make_unique<AuthFrontend>(*this);
}

}  // namespace patchbay::frontends
