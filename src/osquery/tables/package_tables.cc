// deb_packages, apt_sources: installed packages and their sources.
#include <array>

#include "osquery/files.h"
#include "osquery/tables/all.h"
#include "osquery/tables/packages.h"
#include "osquery/text.h"

namespace patchbay::osquery {
namespace {

constexpr std::string_view kAdminFolder = "/var/lib/dpkg";

namespace package {
enum {
  name,
  version,
  source,
  size,
  arch,
  revision,
  status,
  maintainer,
  section,
  priority,
  admindir
};
}
constexpr std::array kPackageColumns{
    Column{"name", Type::text},     Column{"version", Type::text},
    Column{"source", Type::text},   Column{"size", Type::bigint},
    Column{"arch", Type::text},     Column{"revision", Type::text},
    Column{"status", Type::text},   Column{"maintainer", Type::text},
    Column{"section", Type::text},  Column{"priority", Type::text},
    Column{"admindir", Type::text},
};

// Columns that are a field without conversion.
struct Field {
  int column;
  std::string_view key;
};
constexpr std::array kFields{
    Field{package::source, "Source"},         Field{package::arch, "Architecture"},
    Field{package::maintainer, "Maintainer"}, Field{package::section, "Section"},
    Field{package::priority, "Priority"},
};

Result<void> read_packages(Scan& scan) {
  const std::string text = read_file(scan.machine().path(kAdminFolder) + "/status");
  each_paragraph(text, [&](const Paragraph& entry) {
    const std::string status = entry["Status"];
    // A removed package with remaining configuration is not installed.
    if (!status.ends_with(" installed")) return true;
    if (!scan.row()) return false;
    const std::string version = entry["Version"];
    scan.set(package::name, entry["Package"]);
    scan.set(package::version, version);
    scan.set(package::revision, debian_revision(version));
    scan.set(package::status, status);
    scan.set(package::size, number_or(entry["Installed-Size"], 0) * 1024);
    for (const auto& [column, key] : kFields) {
      if (scan.needs(column)) scan.set(column, entry[key]);
    }
    scan.set(package::admindir, kAdminFolder);
    return true;
  });
  return ok();
}

namespace source {
enum { name, source, base_uri, release, version, maintainer, components, architectures };
}
constexpr std::array kSourceColumns{
    Column{"name", Type::text},       Column{"source", Type::text},
    Column{"base_uri", Type::text},   Column{"release", Type::text},
    Column{"version", Type::text},    Column{"maintainer", Type::text},
    Column{"components", Type::text}, Column{"architectures", Type::text},
};

// The description of the repository, once apt has fetched it. A signed index begins with lines of
// the signature, a paragraph of their own.
void set_index(Scan& scan, const AptSource& one) {
  const std::string folder = scan.machine().path("/var/lib/apt/lists/");
  std::string text = read_file(folder + list_name(one, "InRelease"));
  if (text.empty()) text = read_file(folder + list_name(one, "Release"));
  each_paragraph(text, [&](const Paragraph& index) {
    if (index["Suite"].empty() && index["Codename"].empty()) return true;
    scan.set(source::version, index["Version"]);
    scan.set(source::maintainer, index["Origin"]);
    if (one.architectures.empty()) scan.set(source::architectures, index["Architectures"]);
    return false;
  });
}

Result<void> read_sources(Scan& scan) {
  std::vector<std::string> files{"/etc/apt/sources.list"};
  for (const auto& name : names_in(scan.machine().path("/etc/apt/sources.list.d"))) {
    files.push_back("/etc/apt/sources.list.d/" + name);
  }
  for (const std::string& file : files) {
    const std::string text = read_file(scan.machine().path(file));
    const bool paragraphs = file.ends_with(".sources");
    if (!paragraphs && !file.ends_with(".list")) continue;
    for (const auto& one : paragraphs ? parse_source_paragraphs(text) : parse_source_lines(text)) {
      if (!scan.row()) return ok();
      const auto scheme = one.uri.find("://");
      const std::string address =
          scheme == std::string::npos ? one.uri : one.uri.substr(scheme + 3);
      scan.set(source::name, address + " " + one.release + " " + one.components);
      scan.set(source::source, file);
      scan.set(source::base_uri, one.uri);
      scan.set(source::release, one.release);
      scan.set(source::components, one.components);
      scan.set(source::architectures, one.architectures);
      set_index(scan, one);
    }
  }
  return ok();
}

}  // namespace

constinit const Table kDebPackages{"deb_packages", "The Debian packages that are installed.",
                                   kPackageColumns, read_packages};
constinit const Table kAptSources{"apt_sources", "The package sources of apt.", kSourceColumns,
                                  read_sources};

}  // namespace patchbay::osquery
