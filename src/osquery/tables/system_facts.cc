#include "osquery/tables/system_facts.h"

#include <algorithm>
#include <map>
#include <set>

#include "osquery/files.h"
#include "osquery/tables/arm_processors.h"
#include "osquery/text.h"

namespace patchbay::osquery {
namespace {

using Block = std::map<std::string, std::string>;  // The part of /proc/cpuinfo about one thread.

// Who made a processor, and what it is, in the words of x86 or in the numbers of arm64.
Processor identity(Block& block) {
  Processor one;
  if (const auto maker = block.find("CPU implementer"); maker != block.end()) {
    one.vendor = arm_vendor(maker->second);
    one.model = arm_model(maker->second, block["CPU part"]);
    one.model_number = block["CPU part"];
  } else {
    one.vendor = block["vendor_id"];
    one.model_number = block["model"];
  }
  if (block.contains("model name")) one.model = block["model name"];
  one.microcode = block["microcode"];
  const std::string& megahertz = block["cpu MHz"];
  one.megahertz = static_cast<int>(number_or(megahertz.substr(0, megahertz.find('.')), 0));
  return one;
}

}  // namespace

std::string as_uuid(std::string_view hex) {
  std::string out;
  for (const char c : hex) {
    if (c == '-') continue;
    if (out.size() == 8 || out.size() == 13 || out.size() == 18 || out.size() == 23) out += '-';
    out += static_cast<char>(c >= 'a' && c <= 'f' ? c - 'a' + 'A' : c);
  }
  return out.size() == 36 ? out : std::string(hex);
}

std::string machine_uuid(const Machine& machine) {
  const std::string hardware = read_line(machine.path("/sys/class/dmi/id/product_uuid"));
  return as_uuid(hardware.empty() ? read_line(machine.path("/etc/machine-id")) : hardware);
}

std::vector<Processor> parse_cpuinfo(std::string_view text) {
  std::map<std::string, Processor> sockets;
  std::map<std::string, std::set<std::string>> cores;
  Block block;
  const auto end_block = [&] {
    if (!block.contains("processor")) return block.clear();
    const std::string socket = block["physical id"];
    // Of a processor without core IDs, as in many virtual machines, each thread counts as a core.
    const std::string core = block.contains("core id") ? block["core id"] : block["processor"];
    cores[socket].insert(core);
    const int threads = sockets[socket].threads + 1;
    Processor one = identity(block);
    one.cores = static_cast<int>(cores[socket].size());
    one.threads = threads;
    sockets[socket] = std::move(one);
    block.clear();
  };
  each_line(text, [&](std::string_view line) {
    if (line.empty()) return end_block();
    const std::string key(trimmed(take_until(line, ':')));
    block[key] = trimmed(line);
  });
  end_block();
  std::vector<Processor> list;
  for (auto& [socket, one] : sockets) list.push_back(std::move(one));
  return list;
}

std::string value_of(std::string_view text, std::string_view key) {
  std::string found;
  each_line(text, [&](std::string_view line) {
    if (trimmed(take_until(line, '=')) != key) return;
    line = trimmed(line);
    const bool quoted = line.size() >= 2 && (line.front() == '"' || line.front() == '\'') &&
                        line.back() == line.front();
    found = quoted ? line.substr(1, line.size() - 2) : line;
  });
  return found;
}

}  // namespace patchbay::osquery
