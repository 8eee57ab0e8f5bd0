#include "app/switches.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

namespace patchbay::app {
namespace {

using frontends::ToolSwitch;
using frontends::UpstreamMode;
using frontends::UpstreamSwitch;

constexpr const char* kTables =
    "CREATE TABLE IF NOT EXISTS upstreams (name TEXT PRIMARY KEY, mode TEXT NOT NULL, "
    "admin TEXT NOT NULL, changed INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS tools (upstream TEXT NOT NULL, tool TEXT NOT NULL, "
    "admin TEXT NOT NULL, changed INTEGER NOT NULL, PRIMARY KEY (upstream, tool)) WITHOUT ROWID";
constexpr int kFormat = 1;

Error unusable(const std::string& state, std::string_view why) {
  return {Code::internal, fmt::format("cannot use {}: {}", Switches::file_in(state), why)};
}

}  // namespace

Result<void> Switches::open(const std::string& state) {
  if (state.empty()) return ok();
  std::error_code fault;
  if (std::filesystem::create_directories(state, fault)) ::chmod(state.c_str(), 0700);
  if (fault) return unusable(state, fault.message());
  auto opened = sqlite::Database::open_format(file_in(state), kFormat);
  if (!opened) return opened.error();
  auto made = opened->run(kTables);
  if (made) made = opened->set_format(kFormat);
  if (!made) return unusable(state, made.error().message);
  database_.emplace(*std::move(opened));
  // If stored switches could not be read, what is off would be on again.
  auto done = read();
  return done ? done : unusable(state, done.error().message);
}

Result<void> Switches::read() {
  const std::lock_guard lock(mutex_);
  sqlite::Statement upstreams(*database_, "SELECT name, mode, admin, changed FROM upstreams");
  int stepped = SQLITE_ROW;
  while ((stepped = upstreams.step()) == SQLITE_ROW) {
    const auto* const mode = std::ranges::find(frontends::kUpstreamModes, upstreams.text(1));
    if (mode == frontends::kUpstreamModes.end()) {
      return Error{Code::internal, fmt::format("'{}' is no mode", upstreams.text(1))};
    }
    const auto index = mode - frontends::kUpstreamModes.begin();
    upstreams_[upstreams.text(0)] = {static_cast<UpstreamMode>(index), upstreams.text(2),
                                     upstreams.number(3)};
  }
  if (stepped != SQLITE_DONE) return Error{Code::internal, ::sqlite3_errmsg(database_->get())};
  sqlite::Statement tools(*database_, "SELECT upstream, tool, admin, changed FROM tools");
  while ((stepped = tools.step()) == SQLITE_ROW) {
    tools_[{tools.text(0), tools.text(1)}] = {tools.text(0), tools.text(1), tools.text(2),
                                              tools.number(3)};
  }
  if (stepped != SQLITE_DONE) return Error{Code::internal, ::sqlite3_errmsg(database_->get())};
  return ok();
}

UpstreamSwitch Switches::upstream(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = upstreams_.find(name);
  return found == upstreams_.end() ? UpstreamSwitch() : found->second;
}

bool Switches::is_off(const std::string& upstream, const std::string& tool) const {
  const std::lock_guard lock(mutex_);
  return tools_.contains({upstream, tool});
}

std::vector<ToolSwitch> Switches::tools_off(std::string_view upstream) const {
  const std::lock_guard lock(mutex_);
  std::vector<ToolSwitch> off;
  for (const auto& [key, tool] : tools_) {
    if (upstream.empty() || key.first == upstream) off.push_back(tool);
  }
  return off;
}

Result<void> Switches::set_upstream(const std::string& name, UpstreamSwitch to) {
  auto stored = store_upstream(name, to);
  if (!stored) return stored;
  const std::lock_guard lock(mutex_);
  if (to.mode == UpstreamMode::enabled) {
    upstreams_.erase(name);
  } else {
    upstreams_[name] = std::move(to);
  }
  return ok();
}

Result<void> Switches::store_upstream(const std::string& name, const UpstreamSwitch& to) {
  if (!database_) return ok();
  if (to.mode == UpstreamMode::enabled) {
    sqlite::Statement remove(*database_, "DELETE FROM upstreams WHERE name = ?1");
    remove.bind(1, std::string_view(name));
    return remove.run();
  }
  sqlite::Statement put(*database_, "INSERT OR REPLACE INTO upstreams VALUES (?1, ?2, ?3, ?4)");
  put.bind(1, std::string_view(name));
  put.bind(2, frontends::name_of(to.mode));
  put.bind(3, std::string_view(to.by));
  put.bind(4, to.when_ms);
  return put.run();
}

Result<void> Switches::set_tool(ToolSwitch tool, bool on) {
  const Key key(tool.upstream, tool.tool);
  if (is_off(tool.upstream, tool.tool) != on) {
    return Error{Code::not_found, fmt::format("the tool '{}' of '{}' is {} already", tool.tool,
                                              tool.upstream, on ? "on" : "off")};
  }
  const std::size_t most = most_tools_off_;
  if (!on && tools_off().size() >= most) {
    return Error{Code::overloaded,
                 fmt::format("{} tools are off; no more can be (limits.max_tools_off)", most)};
  }
  auto stored = store_tool(tool, on);
  if (!stored) return stored;
  const std::lock_guard lock(mutex_);
  if (on) {
    tools_.erase(key);
  } else {
    tools_[key] = std::move(tool);
  }
  return ok();
}

Result<void> Switches::store_tool(const ToolSwitch& tool, bool on) {
  if (!database_) return ok();
  sqlite::Statement change(*database_, on ? "DELETE FROM tools WHERE upstream = ?1 AND tool = ?2"
                                          : "INSERT INTO tools VALUES (?1, ?2, ?3, ?4)");
  change.bind(1, std::string_view(tool.upstream));
  change.bind(2, std::string_view(tool.tool));
  if (!on) {
    change.bind(3, std::string_view(tool.by));
    change.bind(4, tool.when_ms);
  }
  return change.run();
}

}  // namespace patchbay::app
