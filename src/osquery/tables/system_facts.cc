#include "osquery/tables/system_facts.h"

#include <algorithm>
#include <map>
#include <set>

#include "osquery/files.h"
#include "osquery/text.h"

namespace patchbay::osquery {

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
  std::map<std::string, std::string> block;
  const auto end_block = [&] {
    if (!block.contains("processor")) return block.clear();
    const std::string socket = block["physical id"];
    Processor& one = sockets[socket];
    // Of a processor without core IDs, as in many virtual machines, each thread counts as a core.
    const std::string core = block.contains("core id") ? block["core id"] : block["processor"];
    cores[socket].insert(core);
    one = {block["vendor_id"],
           block["model name"],
           block["model"],
           block["microcode"],
           static_cast<int>(cores[socket].size()),
           one.threads + 1,
           static_cast<int>(number_or(block["cpu MHz"].substr(0, block["cpu MHz"].find('.')), 0))};
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
