// systemd_units: the units of systemd, over D-Bus. Empty where it does not run.
#include <systemd/sd-bus.h>

#include <array>
#include <chrono>
#include <cstring>
#include <memory>

#include "osquery/tables/all.h"

namespace patchbay::osquery {
namespace {

constexpr const char* kService = "org.freedesktop.systemd1";
constexpr std::chrono::microseconds kTimeout = std::chrono::seconds(5);

using Bus = std::unique_ptr<sd_bus, sd_bus* (*)(sd_bus*)>;
using Message = std::unique_ptr<sd_bus_message, sd_bus_message* (*)(sd_bus_message*)>;

namespace unit {
enum {
  id,
  description,
  load_state,
  active_state,
  sub_state,
  unit_file_state,
  following,
  object_path,
  job_id,
  job_type,
  job_path,
  fragment_path,
  user,
  source_path
};
}
constexpr std::array kColumns{
    Column{"id", Type::text},         Column{"description", Type::text},
    Column{"load_state", Type::text}, Column{"active_state", Type::text},
    Column{"sub_state", Type::text},  Column{"unit_file_state", Type::text},
    Column{"following", Type::text},  Column{"object_path", Type::text},
    Column{"job_id", Type::bigint},   Column{"job_type", Type::text},
    Column{"job_path", Type::text},   Column{"fragment_path", Type::text},
    Column{"user", Type::text},       Column{"source_path", Type::text},
};

// Each costs a call for each unit, so they are read only if the query uses them.
struct Property {
  int column;
  const char* interface;
  const char* name;
};
constexpr std::array kProperties{
    Property{unit::unit_file_state, "org.freedesktop.systemd1.Unit", "UnitFileState"},
    Property{unit::fragment_path, "org.freedesktop.systemd1.Unit", "FragmentPath"},
    Property{unit::source_path, "org.freedesktop.systemd1.Unit", "SourcePath"},
    Property{unit::user, "org.freedesktop.systemd1.Service", "User"},
};

struct Unit {
  const char* id;
  const char* description;
  const char* load_state;
  const char* active_state;
  const char* sub_state;
  const char* following;
  const char* object_path;
  std::uint32_t job_id;
  const char* job_type;
  const char* job_path;
};

bool next_unit(sd_bus_message* from, Unit& one) {
  return sd_bus_message_read(from, "(ssssssouso)", &one.id, &one.description, &one.load_state,
                             &one.active_state, &one.sub_state, &one.following, &one.object_path,
                             &one.job_id, &one.job_type, &one.job_path) > 0;
}

void set_properties(Scan& scan, sd_bus* bus, const Unit& one) {
  const bool service = std::string_view(one.id).ends_with(".service");
  for (const auto& [column, interface, name] : kProperties) {
    if (!scan.needs(column) || (column == unit::user && !service)) continue;
    char* value = nullptr;
    const int got = sd_bus_get_property_string(bus, kService, one.object_path, interface, name,
                                               nullptr, &value);
    if (got >= 0) scan.set(column, value);
    std::free(value);
  }
}

void add_unit(Scan& scan, sd_bus* bus, const Unit& one) {
  scan.set(unit::id, one.id);
  scan.set(unit::description, one.description);
  scan.set(unit::load_state, one.load_state);
  scan.set(unit::active_state, one.active_state);
  scan.set(unit::sub_state, one.sub_state);
  scan.set(unit::following, one.following);
  scan.set(unit::object_path, one.object_path);
  scan.set(unit::job_id, one.job_id);
  scan.set(unit::job_type, one.job_type);
  scan.set(unit::job_path, one.job_path);
  set_properties(scan, bus, one);
}

Result<void> read_units(Scan& scan) {
  sd_bus* opened = nullptr;
  if (sd_bus_open_system(&opened) < 0) return ok();
  const Bus bus(opened, sd_bus_flush_close_unref);
  sd_bus_set_method_call_timeout(bus.get(), static_cast<std::uint64_t>(kTimeout.count()));
  sd_bus_message* answered = nullptr;
  const int called =
      sd_bus_call_method(bus.get(), kService, "/org/freedesktop/systemd1",
                         "org.freedesktop.systemd1.Manager", "ListUnits", nullptr, &answered, "");
  const Message reply(answered, sd_bus_message_unref);
  if (called < 0) {
    return Error{Code::unavailable,
                 std::string("systemd does not list its units: ") + std::strerror(-called)};
  }
  if (sd_bus_message_enter_container(reply.get(), 'a', "(ssssssouso)") < 0) return ok();
  Unit one{};
  while (next_unit(reply.get(), one) && scan.row()) add_unit(scan, bus.get(), one);
  return ok();
}

}  // namespace

constinit const Table kSystemdUnits{"systemd_units", "The units of systemd.", kColumns, read_units};

}  // namespace patchbay::osquery
