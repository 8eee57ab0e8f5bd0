#include "crypto/key_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base64.h"
#include "core/ids.h"
#include "core/text.h"

namespace patchbay::policy {
namespace {

constexpr std::string_view kKeyFile = "tokens.key";
constexpr mode_t kOthers = S_IRWXG | S_IRWXO;

// An open file; closed at the end.
class File {
 public:
  File(const std::string& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  const int fd_;
};

Error fault(std::string_view what, const std::string& path) {
  return {Code::internal, fmt::format("cannot {} {}: {}", what, path, std::strerror(errno))};
}

Result<void> make_key_file(const std::string& path) {
  Sealer::Key key;
  if (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size())) {
    return Error{Code::internal, "there is no randomness to make a key from"};
  }
  const std::string text =
      base64url_encode({reinterpret_cast<const char*>(key.data()), key.size()}) + "\n";
  OPENSSL_cleanse(key.data(), key.size());
  // The file is complete before it gets its name.
  const std::string fresh = fmt::format("{}.{}", path, random_hex(8));
  const File file(fresh, O_WRONLY | O_CREAT | O_EXCL);
  if (file.get() < 0) return fault("make", fresh);
  const bool written =
      ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fsync(file.get()) == 0;
  const bool there = written && (::link(fresh.c_str(), path.c_str()) == 0 || errno == EEXIST);
  auto made = there ? ok() : Result<void>(fault("write", path));
  ::unlink(fresh.c_str());
  return made;
}

}  // namespace

Result<Sealer::Key> parse_key(std::string_view text) {
  const auto raw = base64url_decode(trimmed(text));
  Sealer::Key key;
  if (!raw || raw->size() != key.size()) {
    return Error{Code::invalid_params,
                 "is not a key: 32 random bytes in base64url, as `head -c 32 /dev/urandom | basenc "
                 "--base64url | tr -d =` prints them"};
  }
  std::ranges::copy(*raw, reinterpret_cast<char*>(key.data()));
  return key;
}

Result<Sealer::Key> key_in(const std::string& state) {
  const std::string path = fmt::format("{}/{}", state, kKeyFile);
  if (::access(path.c_str(), F_OK) != 0) {
    auto made = make_key_file(path);
    if (!made) return made.error();
  }
  const File file(path, O_RDONLY | O_NOFOLLOW);
  struct stat about{};
  if (file.get() < 0 || ::fstat(file.get(), &about) != 0) return fault("read", path);
  if ((about.st_mode & kOthers) != 0) {
    return Error{Code::invalid_params,
                 fmt::format("others may read the key {}; chmod 600 {}", path, path)};
  }
  std::string text(128, '\0');
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  auto key = parse_key(text);
  if (!key) return Error{key.error().code, fmt::format("{} {}", path, key.error().message)};
  return key;
}

}  // namespace patchbay::policy
