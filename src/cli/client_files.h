// The configuration files of MCP clients: where each is, in which format, and how it names a
// server. One row per client. Values only.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace patchbay::app {

enum class ClientFormat : std::uint8_t { json, toml };

struct ClientFile {
  std::string_view name;     // As typed: `patchbay connect NAME`.
  std::string_view title;    // For people.
  std::string_view user;     // The person's file, from $HOME.
  std::string_view project;  // That of a project, from its folder; empty: there is none.
  ClientFormat format = ClientFormat::json;  // JSON may have comments.
  std::string_view section = "mcpServers";   // The member with the servers.
  std::string_view url = "url";              // The key of a server's URL; empty: programs only.
  std::string_view type = {};                // The value of `type` beside a URL; empty: none.
  // How a value names the environment variable PATCHBAY_TOKEN; empty: it cannot.
  std::string_view token = {};
};

inline constexpr std::array kClientFiles{
    ClientFile{.name = "claude-desktop",
               .title = "Claude Desktop",
               .user = ".config/Claude/claude_desktop_config.json",
               .project = "",
               .url = ""},
    ClientFile{.name = "claude-code",
               .title = "Claude Code",
               .user = ".claude.json",
               .project = ".mcp.json",
               .type = "http",
               .token = "${PATCHBAY_TOKEN}"},
    ClientFile{.name = "cursor",
               .title = "Cursor",
               .user = ".cursor/mcp.json",
               .project = ".cursor/mcp.json",
               .token = "${env:PATCHBAY_TOKEN}"},
    ClientFile{.name = "vscode",
               .title = "Visual Studio Code",
               .user = ".config/Code/User/mcp.json",
               .project = ".vscode/mcp.json",
               .section = "servers",
               .type = "http",
               .token = "${env:PATCHBAY_TOKEN}"},
    ClientFile{.name = "gemini",
               .title = "Gemini CLI",
               .user = ".gemini/settings.json",
               .project = ".gemini/settings.json",
               .url = "httpUrl",
               .token = "$PATCHBAY_TOKEN"},
    ClientFile{.name = "windsurf",
               .title = "Windsurf",
               .user = ".codeium/windsurf/mcp_config.json",
               .project = "",
               .url = "serverUrl",
               .token = "${env:PATCHBAY_TOKEN}"},
    ClientFile{.name = "zed",
               .title = "Zed",
               .user = ".config/zed/settings.json",
               .project = ".zed/settings.json",
               .section = "context_servers"},
    ClientFile{.name = "codex",
               .title = "Codex",
               .user = ".codex/config.toml",
               .project = ".codex/config.toml",
               .format = ClientFormat::toml,
               .section = "mcp_servers",
               .token = "PATCHBAY_TOKEN"},
    ClientFile{.name = "cline",
               .title = "Cline",
               .user = ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/"
                       "cline_mcp_settings.json",
               .project = "",
               .type = "streamableHttp"},
    ClientFile{.name = "opencode",
               .title = "opencode",
               .user = ".config/opencode/opencode.json",
               .project = "opencode.json",
               .section = "mcp",
               .type = "remote",
               .token = "{env:PATCHBAY_TOKEN}"},
};

}  // namespace patchbay::app
