#include "core/environment.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace patchbay {
namespace {

// Prefixes of variables that libraries read by themselves, at any time.
constexpr std::array<std::string_view, 14> kOfLibraries{
    "LC_",     "LD_",  "XDG_",        "SSL_",  "OPENSSL_", "MALLOC_", "GLIBC_",
    "SQLITE_", "KRB5", "RES_OPTIONS", "ASAN_", "UBSAN_",   "TSAN_",   "LSAN_",
};
struct Taken {
  std::mutex mutex;
  std::map<std::string, std::string> values;
};

Taken& taken() {
  static Taken all;
  return all;
}

bool stays(std::string_view name) {
  return std::ranges::any_of(kUsualVariables, [&](const char* usual) { return name == usual; }) ||
         std::ranges::any_of(kOfLibraries, [&](auto begin) { return name.starts_with(begin); }) ||
         std::ranges::any_of(kNetworkVariables, [&](const char* one) { return name == one; });
}

// Called with the lock held. A removed variable is still in the list, without its value.
std::optional<std::string> find(const Taken& all, const std::string& name, char* value) {
  if (!value) return std::nullopt;
  const auto earlier = all.values.find(name);
  if (*value == '\0' && earlier != all.values.end()) return earlier->second;
  return std::string(value);
}

}  // namespace

std::optional<std::string> read_variable(const std::string& name) {
  Taken& all = taken();
  const std::lock_guard lock(all.mutex);
  return find(all, name, std::getenv(name.c_str()));
}

std::optional<std::string> take_variable(const std::string& name) {
  Taken& all = taken();
  const std::lock_guard lock(all.mutex);
  char* const value = std::getenv(name.c_str());
  auto found = find(all, name, value);
  if (!found || *value == '\0' || stays(name)) return found;
  all.values[name] = *found;
  // In place, because removing the entry would move others while a library may read them.
  ::explicit_bzero(value, std::strlen(value));
  return found;
}

std::vector<std::string> whole_environment() {
  Taken& all = taken();
  const std::lock_guard lock(all.mutex);
  std::vector<std::string> entries;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string name(text.substr(0, equals));
    const auto value = find(all, name, *entry + equals + 1);
    entries.push_back(name + '=' + value.value_or(""));
  }
  return entries;
}

}  // namespace patchbay
