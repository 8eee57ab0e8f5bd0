#include "osquery/query_process.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <new>

#include "config/fields.h"
#include "config/make_node.h"
#include "config/parse.h"
#include "config/to_json.h"
#include "osquery/database.h"
#include "osquery/text.h"

namespace patchbay::osquery {
namespace {

constexpr int kFailed = 1;
#if defined(PATCHBAY_NO_POOLS)
constexpr bool kIsMemoryBounded = false;  // A sanitizer needs unlimited memory.
#else
constexpr bool kIsMemoryBounded = true;
#endif
constexpr std::size_t kMaxStored = std::size_t{16} << 20;  // Unused memory that is retained.

Machine machine_of(const Settings& settings, const TablePolicy& policy) {
  Machine machine;
  machine.file_roots = settings.file_roots;
  machine.hash_size = settings.hash_size.value;
  machine.allowed = [&policy](std::string_view table) { return policy.allows(table); };
  return machine;
}

bool limit(__rlimit_resource what, rlim_t most) {
  const rlimit wanted{most, most};
  return ::setrlimit(what, &wanted) == 0;
}

// The memory for data that the process has already, in bytes.
rlim_t data_size() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    std::string_view rest = line;
    if (take_until(rest, ':') != "VmData") continue;
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlank), rest.size()));
    return static_cast<rlim_t>(number_or(take_field(rest), 0)) * 1024;
  }
  return 0;
}

// Limits everything that a query makes SQLite or a table do: no privileges, no written files, and
// at most `memory`.
bool confine(const Settings& settings) {
  const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing >= 0) ::dup2(nothing, STDERR_FILENO);
  std::set_new_handler([] { ::_exit(kOutOfMemory); });
  bool set = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  set = set && limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, 0);
  if (kIsMemoryBounded) set = set && limit(RLIMIT_DATA, data_size() + settings.memory.value);
  return set;
}

// Limits the time of the query that is about to run: the kernel sends the process SIGXCPU.
bool limit_processor(const Settings& settings) {
  rusage used{};
  rlimit now{};
  if (::getrusage(RUSAGE_SELF, &used) != 0 || ::getrlimit(RLIMIT_CPU, &now) != 0) return false;
  const auto so_far = used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1;
  now.rlim_cur = std::min(now.rlim_max, static_cast<rlim_t>(so_far) + cpu_seconds(settings));
  return ::setrlimit(RLIMIT_CPU, &now) == 0;
}

bool read_whole(char* into, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::read(STDIN_FILENO, into, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    into += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool write_whole(const char* from, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(STDOUT_FILENO, from, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    from += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool write_answer(const Result<std::string>& rows) {
  const std::string& text = rows ? *rows : rows.error().message;
  AnswerHead head{.size = text.size()};
  if (!rows) {
    const auto* const known = std::ranges::find(kFailures, rows.error().code);
    // Any other failure of a table means that its source is not available.
    head.failure = known == kFailures.end()
                       ? static_cast<std::uint32_t>(kFailures.size())
                       : static_cast<std::uint32_t>(known - kFailures.begin()) + 1;
  }
  return write_whole(reinterpret_cast<const char*>(&head), sizeof(head)) &&
         write_whole(text.data(), text.size());
}

}  // namespace

std::string write_settings(const Settings& settings) {
  using config::bare_node;
  const auto number = [](auto value) { return bare_node(std::to_string(value)); };
  return config::to_json(config::map_node({
      {"max_rows", 0, number(settings.rows)},
      {"max_result_size", 0, number(settings.bytes.value)},
      {"max_memory", 0, number(settings.memory.value)},
      {"max_statement_size", 0, number(settings.statement.value)},
      {"cpu_timeout", 0, config::text_node(config::print(settings.cpu_timeout))},
      {"allowed_tables", 0, config::list_node(settings.allowed_tables)},
      {"denied_tables", 0, config::list_node(settings.denied_tables)},
      {"file_roots", 0, config::list_node(settings.file_roots)},
      {"max_hash_size", 0, number(settings.hash_size.value)},
  }));
}

Result<Settings> read_settings(std::string_view text) {
  config::Faults faults;
  const config::Node node = config::parse_json(text, "", faults);
  auto settings = config::read<Settings>(node, "", "", faults);
  if (!faults.empty()) return Error{Code::internal, config::to_string(faults.front())};
  return settings;
}

int answer_queries(std::string_view text) {
  const auto settings = read_settings(text);
  if (!settings || !confine(*settings)) return kFailed;
  const TablePolicy policy(settings->allowed_tables, settings->denied_tables);
  const Machine machine = machine_of(*settings, policy);
  auto database = Database::open(*settings, policy, machine);
  if (!database) return kFailed;
  for (QueryHead head; read_whole(reinterpret_cast<char*>(&head), sizeof(head));) {
    if (head.size > settings->statement.value || !limit_processor(*settings)) return kFailed;
    std::string sql(head.size, '\0');
    if (!read_whole(sql.data(), sql.size())) return kFailed;
    if (!write_answer((*database)->run(sql, head.format))) return kFailed;
    // The process may run for long; the memory of the query is released.
    if (::mallinfo2().fordblks > kMaxStored) ::malloc_trim(0);
  }
  return 0;
}

}  // namespace patchbay::osquery
