// Parsers of files in /etc with one entry per line. Values only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace patchbay::osquery {

struct CronJob {
  std::string event;  // `@daily`; then there is no time.
  std::string minute;
  std::string hour;
  std::string day_of_month;
  std::string month;
  std::string day_of_week;
  std::string command;
};

// Empty if the line is no job: a comment, or a variable.
std::optional<CronJob> parse_cron_line(std::string_view line);

struct Service {
  std::string name;
  int port = 0;
  std::string protocol;
  std::string aliases;
  std::string comment;
};

std::optional<Service> parse_service_line(std::string_view line);

struct Host {
  std::string address;
  std::string names;
};

std::optional<Host> parse_host_line(std::string_view line);

}  // namespace patchbay::osquery
