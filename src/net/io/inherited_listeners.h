// Listening sockets that were open before this process started. A service manager opens them
// (socket activation), or the gateway that this one replaces hands them over. Both pass them as
// descriptors 3, 4, … with LISTEN_FDS and LISTEN_FDNAMES in the environment.
//
// Used on the control thread, before there are others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "net/io/address.h"
#include "net/io/fd.h"

namespace patchbay::net {

inline constexpr int kFirstInherited = 3;
// The process that handed its listeners over. It could not know our process id before it started
// us.
inline constexpr char kPredecessorVariable[] = "PATCHBAY_PREDECESSOR";

class InheritedListeners {
 public:
  // Takes over the sockets that the environment names, if they are meant for this process. Once per
  // process.
  static InheritedListeners take();

  // The sockets that listen on `address`. If its port is 0, those on the same host with that name,
  // which is the key of a setting.
  std::vector<Fd> claim(std::string_view name, const Address& address);

  // Closes the sockets that nothing has claimed, and yields their addresses.
  std::vector<std::string> close_rest();

 private:
  struct Listener {
    std::string name;
    Address address;
    Fd fd;
  };
  std::vector<Listener> all_;
};

}  // namespace patchbay::net
