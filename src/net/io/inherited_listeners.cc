#include "net/io/inherited_listeners.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/environment.h"
#include "net/io/socket.h"

namespace patchbay::net {
namespace {

constexpr int kMaxInherited = 4096;

std::optional<int> number_in(const char* variable) {
  const std::string text = read_variable(variable).value_or("");
  int number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_for_us() {
  return number_in("LISTEN_PID") == ::getpid() || number_in(kPredecessorVariable) == ::getppid();
}

// The next of the names that colons separate; removes it.
std::string next_name(std::string_view& names) {
  const auto end = std::min(names.find(':'), names.size());
  std::string name(names.substr(0, end));
  names.remove_prefix(std::min(end + 1, names.size()));
  return name;
}

bool is_listening(int fd) {
  int accepts = 0;
  socklen_t size = sizeof accepts;
  return ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &size) == 0 && accepts != 0;
}

std::string_view host_of(const std::string& address) {
  return std::string_view(address).substr(0, address.rfind(':'));
}

}  // namespace

InheritedListeners InheritedListeners::take() {
  InheritedListeners taken;
  const int count = std::min(number_in("LISTEN_FDS").value_or(0), kMaxInherited);
  if (count <= 0 || !is_for_us()) return taken;
  const std::string text = read_variable("LISTEN_FDNAMES").value_or("");
  std::string_view names = text;
  for (int number = kFirstInherited; number < kFirstInherited + count; ++number) {
    Fd fd(number);
    std::string name = next_name(names);
    auto address = local_address(number);
    if (!address || !is_listening(number)) continue;
    ::fcntl(number, F_SETFD, FD_CLOEXEC);
    ::fcntl(number, F_SETFL, ::fcntl(number, F_GETFL) | O_NONBLOCK);
    taken.all_.push_back({std::move(name), *address, std::move(fd)});
  }
  return taken;
}

std::vector<Fd> InheritedListeners::claim(std::string_view name, const Address& address) {
  const std::string text = address.text();
  const auto fits = [&](const Listener& one) {
    const std::string theirs = one.address.text();
    if (address.port() != 0) return theirs == text;
    return one.name == name && host_of(theirs) == host_of(text);
  };
  std::vector<Fd> claimed;
  for (auto& one : all_) {
    if (fits(one)) claimed.push_back(std::move(one.fd));
  }
  std::erase_if(all_, [](const Listener& one) { return !one.fd; });
  return claimed;
}

std::vector<std::string> InheritedListeners::close_rest() {
  std::vector<std::string> addresses;
  for (const auto& one : all_) addresses.push_back(one.address.text());
  all_.clear();
  return addresses;
}

}  // namespace patchbay::net
