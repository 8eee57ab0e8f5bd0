#include "mcp_client/connect/stdio_settings.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<upstreams::StdioSettings>() {
  static const Fields kFields = join(
      {fields_of<upstreams::StdioSettings>({
           {"command", &upstreams::StdioSettings::command,
            "Program to run: a path, or a name found in PATH. No shell is involved.", Required{}},
           {"args", &upstreams::StdioSettings::args, "Arguments of the program."},
           {"env", &upstreams::StdioSettings::env,
            "Environment variables, in addition to PATH, HOME, USER, LOGNAME, SHELL, TERM, LANG, "
            "LC_ALL, TMPDIR, TZ and, outside a sandbox, those for proxies and certificates: "
            "HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY (also in lower case; not if they "
            "contain a password), SSL_CERT_FILE, SSL_CERT_DIR, NODE_EXTRA_CA_CERTS, "
            "REQUESTS_CA_BUNDLE and CURL_CA_BUNDLE."},
           {"env_file", &upstreams::StdioSettings::env_file,
            "File with further variables, one NAME=value on each line; `env` overrides it. A "
            "relative path is relative to the folder of the configuration."},
           {"env_pass", &upstreams::StdioSettings::env_pass,
            "Names of further variables to pass from the gateway's environment."},
           {"cwd", &upstreams::StdioSettings::cwd, "Working directory. Empty: the gateway's."},
           {"user", &upstreams::StdioSettings::user,
            "User to run as, by name or number, or USER:GROUP; requires a gateway that runs as "
            "root. Empty: the gateway's own user, whose files the program can read. Excludes "
            "`sandbox`."},
           {"sandbox", &upstreams::StdioSettings::sandbox,
            "Sandbox for the program: it can access only what is listed here."},
           {"instances", &upstreams::StdioSettings::instances,
            "Number of processes. Calls are distributed over them.", Range{1, 64}},
           {"stop_timeout", &upstreams::StdioSettings::stop_grace,
            "Maximum time to exit after stdin is closed, and again after SIGTERM.",
            Range{Duration(10), Duration(3'600'000)}, Alias{"stop_grace"}},
           {"max_message_size", &upstreams::StdioSettings::line,
            "Maximum size of a message from the program. A larger one ends it.",
            Range{Bytes{1024}, Bytes{1 << 30}}, Alias{"line"}},
           {"max_outbox_size", &upstreams::StdioSettings::outbox,
            "Maximum size of the data queued for a program that does not read. Beyond it, calls "
            "are refused.",
            Range{Bytes{1024}, Bytes{1 << 30}}, Alias{"outbox"}},
           {"max_stderr_lines", &upstreams::StdioSettings::stderr_lines,
            "Maximum number of stderr lines logged per second. Further lines are counted and "
            "dropped.",
            Range{0, 10'000}, Alias{"stderr_lines"}},
       }),
       inherited<upstreams::StdioSettings, upstreams::McpSettings>()});
  return kFields;
}

}  // namespace patchbay
