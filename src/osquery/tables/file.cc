// file, hash: facts about single files.
#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/stat.h>

#include <array>
#include <memory>

#include "osquery/files.h"
#include "osquery/tables/all.h"
#include "osquery/tables/allowed_files.h"

namespace patchbay::osquery {
namespace {

namespace file {
enum {
  path,
  directory,
  filename,
  inode,
  uid,
  gid,
  mode,
  device,
  size,
  block_size,
  atime,
  mtime,
  ctime,
  btime,
  hard_links,
  symlink,
  type,
  symlink_target_path
};
}
constexpr std::array kFileColumns{
    Column{"path", Type::text, Use::required},
    Column{"directory", Type::text, Use::required},
    Column{"filename", Type::text},
    Column{"inode", Type::bigint},
    Column{"uid", Type::bigint},
    Column{"gid", Type::bigint},
    Column{"mode", Type::text},
    Column{"device", Type::bigint},
    Column{"size", Type::bigint},
    Column{"block_size", Type::integer},
    Column{"atime", Type::bigint},
    Column{"mtime", Type::bigint},
    Column{"ctime", Type::bigint},
    Column{"btime", Type::bigint},
    Column{"hard_links", Type::integer},
    Column{"symlink", Type::integer},
    Column{"type", Type::text},
    Column{"symlink_target_path", Type::text},
};

std::string_view type_name(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return "regular";
    case S_IFDIR:
      return "directory";
    case S_IFLNK:
      return "symlink";
    case S_IFBLK:
      return "block";
    case S_IFCHR:
      return "character";
    case S_IFIFO:
      return "fifo";
    case S_IFSOCK:
      return "socket";
    default:
      return "unknown";
  }
}

// The folder of a file, as the query names it: `directory = '/etc/'` must match its own rows.
std::string folder_of(const Scan& scan, int directory_column, const std::string& path) {
  if (const Given* const asked = scan.given(directory_column)) return asked->text;
  const auto slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The link itself, not its target, which may be outside the allowed folders.
bool add_file(Scan& scan, const FoundFile& found) {
  struct statx of{};
  const char* const name = found.name.empty() ? "." : found.name.c_str();
  if (::statx(found.folder, name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &of) != 0) {
    return true;
  }
  if (!scan.row()) return false;
  scan.set(file::path, found.path);
  scan.set(file::directory, folder_of(scan, file::directory, found.path));
  scan.set(file::filename, found.name);
  scan.set(file::inode, static_cast<std::int64_t>(of.stx_ino));
  scan.set(file::uid, of.stx_uid);
  scan.set(file::gid, of.stx_gid);
  scan.set(file::mode, fmt::format("{:04o}", of.stx_mode & 07777));
  scan.set(file::device, std::int64_t{of.stx_dev_major} << 8 | of.stx_dev_minor);
  scan.set(file::size, static_cast<std::int64_t>(of.stx_size));
  scan.set(file::block_size, of.stx_blksize);
  scan.set(file::atime, of.stx_atime.tv_sec);
  scan.set(file::mtime, of.stx_mtime.tv_sec);
  scan.set(file::ctime, of.stx_ctime.tv_sec);
  scan.set(file::btime, of.stx_btime.tv_sec);
  scan.set(file::hard_links, of.stx_nlink);
  scan.set(file::symlink, S_ISLNK(of.stx_mode) ? 1 : 0);
  scan.set(file::type, type_name(of.stx_mode));
  if (S_ISLNK(of.stx_mode)) {
    scan.set(file::symlink_target_path, read_link_at(found.folder, name));
  }
  return true;
}

Result<void> read_files(Scan& scan) {
  return each_file(scan, file::path, file::directory,
                   [&](const FoundFile& found) { return add_file(scan, found); });
}

namespace hash {
enum { path, directory, md5, sha1, sha256 };
}
constexpr std::array kHashColumns{
    Column{"path", Type::text, Use::required},
    Column{"directory", Type::text, Use::required},
    Column{"md5", Type::text},
    Column{"sha1", Type::text},
    Column{"sha256", Type::text},
};

class Digest {
 public:
  explicit Digest(const char* name)
      : kind_(EVP_get_digestbyname(name)), state_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    EVP_DigestInit_ex(state_.get(), kind_, nullptr);
  }

  void take(std::string_view bytes) { EVP_DigestUpdate(state_.get(), bytes.data(), bytes.size()); }

  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned size = 0;
    EVP_DigestFinal_ex(state_.get(), bytes.data(), &size);
    std::string text;
    for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
    return text;
  }

 private:
  const EVP_MD* kind_;
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> state_;
};

struct Wanted {
  int column;
  const char* name;
};
constexpr std::array kWanted{
    Wanted{hash::md5, "MD5"},
    Wanted{hash::sha1, "SHA1"},
    Wanted{hash::sha256, "SHA256"},
};

// Reads the file once for all digests that the query uses. A file that is too large has none.
void set_digests(Scan& scan, const net::Fd& open) {
  struct stat found{};
  if (::fstat(open.get(), &found) != 0) return;
  if (static_cast<std::uint64_t>(found.st_size) > scan.machine().hash_size) return;
  std::vector<std::pair<int, Digest>> digests;
  for (const auto& [column, name] : kWanted) {
    if (scan.needs(column)) digests.emplace_back(column, Digest(name));
  }
  std::array<char, std::size_t{64} << 10> bytes;
  std::uint64_t total = 0;
  for (;;) {
    const ssize_t n = ::read(open.get(), bytes.data(), bytes.size());
    total += static_cast<std::uint64_t>(std::max<ssize_t>(n, 0));
    // It may grow while it is read.
    if (n < 0 || total > scan.machine().hash_size) return;
    if (n == 0) break;
    for (auto& [column, digest] : digests) {
      digest.take({bytes.data(), static_cast<std::size_t>(n)});
    }
  }
  for (auto& [column, digest] : digests) scan.set(column, digest.hex());
}

Result<void> read_hashes(Scan& scan) {
  return each_file(scan, hash::path, hash::directory, [&](const FoundFile& found) {
    const net::Fd open = open_allowed(scan.machine(), found);
    if (!open) return true;
    if (!scan.row()) return false;
    scan.set(hash::path, found.path);
    scan.set(hash::directory, folder_of(scan, hash::directory, found.path));
    set_digests(scan, open);
    return true;
  });
}

}  // namespace

constinit const Table kFile{"file", "Single files, by path or folder.", kFileColumns, read_files};
constinit const Table kHash{"hash", "Digests of single files, by path or folder.", kHashColumns,
                            read_hashes};

}  // namespace patchbay::osquery
