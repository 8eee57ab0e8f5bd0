// crontab, etc_hosts, etc_services: files of /etc as tables.
#include "osquery/tables/config_files.h"

#include <array>
#include <vector>

#include "osquery/files.h"
#include "osquery/tables/all.h"
#include "osquery/text.h"

namespace patchbay::osquery {
namespace {

// The fields of `text` with one space between them.
std::string respaced(std::string_view text) {
  std::string out;
  for (auto field = take_field(text); !field.empty(); field = take_field(text)) {
    if (!out.empty()) out += ' ';
    out += field;
  }
  return out;
}

}  // namespace

std::optional<CronJob> parse_cron_line(std::string_view line) {
  line = trimmed(line);
  if (line.empty() || line.starts_with('#')) return std::nullopt;
  CronJob job;
  if (line.starts_with('@')) {
    job.event = take_field(line);
  } else {
    // A variable is `NAME = value`; no time has a `=` before its command.
    const auto sign = line.find('=');
    std::string_view rest = line;
    for (auto* const field :
         {&job.minute, &job.hour, &job.day_of_month, &job.month, &job.day_of_week}) {
      *field = take_field(rest);
    }
    const auto taken = line.size() - rest.size();
    if (job.day_of_week.empty() || sign < taken) return std::nullopt;
    line = rest;
  }
  job.command = trimmed(line);
  if (job.command.empty()) return std::nullopt;
  return job;
}

std::optional<Service> parse_service_line(std::string_view line) {
  const auto hash = line.find('#');
  Service service;
  if (hash != std::string_view::npos) service.comment = trimmed(line.substr(hash + 1));
  line = line.substr(0, hash);
  service.name = take_field(line);
  std::string_view port_and_protocol = take_field(line);
  const auto port = number<int>(take_until(port_and_protocol, '/'));
  if (!port || port_and_protocol.empty()) return std::nullopt;
  service.port = *port;
  service.protocol = port_and_protocol;
  service.aliases = respaced(line);
  return service;
}

std::optional<Host> parse_host_line(std::string_view line) {
  line = line.substr(0, line.find('#'));
  Host host;
  host.address = take_field(line);
  host.names = respaced(trimmed(line));
  if (host.names.empty()) return std::nullopt;
  return host;
}

namespace {

namespace cron {
enum { event, minute, hour, day_of_month, month, day_of_week, command, path };
}
constexpr std::array kCronColumns{
    Column{"event", Type::text},   Column{"minute", Type::text},
    Column{"hour", Type::text},    Column{"day_of_month", Type::text},
    Column{"month", Type::text},   Column{"day_of_week", Type::text},
    Column{"command", Type::text}, Column{"path", Type::text},
};

Result<void> read_cron(Scan& scan) {
  std::vector<std::string> files{"/etc/crontab"};
  for (const std::string folder : {"/etc/cron.d", "/var/spool/cron/crontabs"}) {
    for (const auto& name : names_in(scan.machine().path(folder))) {
      if (!name.starts_with('.')) files.push_back(folder + "/" + name);
    }
  }
  for (const auto& file : files) {
    each_line(read_file(scan.machine().path(file)), [&](std::string_view line) {
      const auto job = parse_cron_line(line);
      if (!job || !scan.row()) return;
      scan.set(cron::event, job->event);
      scan.set(cron::minute, job->minute);
      scan.set(cron::hour, job->hour);
      scan.set(cron::day_of_month, job->day_of_month);
      scan.set(cron::month, job->month);
      scan.set(cron::day_of_week, job->day_of_week);
      scan.set(cron::command, job->command);
      scan.set(cron::path, file);
    });
  }
  return ok();
}

namespace service {
enum { name, port, protocol, aliases, comment };
}
constexpr std::array kServiceColumns{
    Column{"name", Type::text},    Column{"port", Type::integer}, Column{"protocol", Type::text},
    Column{"aliases", Type::text}, Column{"comment", Type::text},
};

Result<void> read_services(Scan& scan) {
  each_line(read_file(scan.machine().path("/etc/services")), [&](std::string_view line) {
    const auto one = parse_service_line(line);
    if (!one || !scan.row()) return;
    scan.set(service::name, one->name);
    scan.set(service::port, one->port);
    scan.set(service::protocol, one->protocol);
    scan.set(service::aliases, one->aliases);
    scan.set(service::comment, one->comment);
  });
  return ok();
}

namespace host {
enum { address, hostnames };
}
constexpr std::array kHostColumns{
    Column{"address", Type::text},
    Column{"hostnames", Type::text},
};

Result<void> read_hosts(Scan& scan) {
  each_line(read_file(scan.machine().path("/etc/hosts")), [&](std::string_view line) {
    const auto one = parse_host_line(line);
    if (!one || !scan.row()) return;
    scan.set(host::address, one->address);
    scan.set(host::hostnames, one->names);
  });
  return ok();
}

}  // namespace

constinit const Table kCrontab{"crontab", "The jobs of cron.", kCronColumns, read_cron};
constinit const Table kEtcServices{"etc_services", "The names of ports, from /etc/services.",
                                   kServiceColumns, read_services};
constinit const Table kEtcHosts{"etc_hosts", "The names of addresses, from /etc/hosts.",
                                kHostColumns, read_hosts};

}  // namespace patchbay::osquery
