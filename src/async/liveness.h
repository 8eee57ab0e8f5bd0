// A Liveness is a member that shows callbacks whether their object still exists.
//
//   executor.post([this, alive = liveness_.watch()] { if (!alive.expired()) work(); });
//
// Confined to the thread of its object, like the object.
#pragma once

#include <memory>

namespace patchbay {

class Liveness {
 public:
  using Watch = std::weak_ptr<const void>;

  Liveness() = default;
  Liveness(const Liveness&) = delete;
  Liveness& operator=(const Liveness&) = delete;

  // Expires when the object is destroyed.
  Watch watch() const { return token_; }

 private:
  const std::shared_ptr<const void> token_ = std::make_shared<const char>();
};

}  // namespace patchbay
