#include "app/token_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "app/auth_service.h"
#include "app/write_file.h"
#include "net/io/fd.h"
#include "net/io/system_failure.h"

namespace patchbay::app {

Result<policy::TokenTable> read_token_file(const std::string& path) {
  policy::AuthSettings settings;
  settings.token_file = path;
  auto files = read_auth_files(settings);
  if (!files) return files.error();
  return std::move(files->tokens);
}

Result<bool> change_token_file(const std::string& path, WhenLocked when,
                               const TokenChange& change) {
  const std::string beside = path + ".lock";
  const net::Fd lock(::open(beside.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock) return net::system_failure(beside);
  if (::flock(lock.get(), when == WhenLocked::wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    return net::system_failure(beside);
  }
  auto table = read_token_file(path);
  if (!table) return table.error();
  auto changed = change(*table);
  if (!changed) return changed.error();
  auto written = replace_file(path, table->text(), kPrivateMode);
  if (!written) return written.error();
  return true;
}

}  // namespace patchbay::app
