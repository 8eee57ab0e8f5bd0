// The subcommands of `patchbay`, each a function from what was typed to an exit code.
#pragma once

#include <string>
#include <vector>

namespace patchbay::agent {
struct Settings;
}

namespace patchbay::app {

// Exit codes that scripts can rely on; docs/commands.md lists them.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;         // Could not be done: unreachable, protocol failure.
inline constexpr int kExitUsage = 2;          // The command line is wrong.
inline constexpr int kExitConfiguration = 3;  // The configuration is wrong.
inline constexpr int kExitToolError = 4;      // The tool answered that it failed.
inline constexpr int kExitUnknown = 5;        // The server has no such tool, prompt or resource.

struct ServeOptions {
  std::string config;
  std::string properties;
  std::string listen;
  std::string tls_listen;
  std::string wire_listen;
  std::string log_format;
  std::string log_level;
};

int serve(const ServeOptions& options);
int serve_stdio(const ServeOptions& options);
int chat(const ServeOptions& options);
int print_openapi(const ServeOptions& options, bool yaml);
int check(const std::string& file, bool as_json);
int describe(bool schema);
int print_version(bool verbose, bool as_json);
int import_servers(const std::string& file, bool as_json);

struct AuditOptions {
  std::string config;
  std::string database;
  std::string since;
  std::string until;
  std::string caller;
  std::string name;
  std::string upstream;
  std::string outcome;
  std::string trace;
  std::string event;
  int most = 100;
  bool json = false;
  bool follow = false;  // Wait for new records, until it is interrupted.
};

struct OsqueryOptions {
  std::string config;
  std::string engine;
  std::string osqueryi;
  std::string timeout;
  bool extra_tools = false;
  std::string log_format;
  std::string log_level;
};

int serve_osquery(const OsqueryOptions& options);

struct SandboxOptions {
  std::string config;
  std::string timeout;
  std::vector<std::string> args;  // The program and its arguments.
};

int run_in_sandbox(const SandboxOptions& options);

struct DoctorOptions {
  std::string config;
  bool json = false;
};

int doctor(const DoctorOptions& options);

struct ClientOptions {
  std::vector<std::string> args;  // As typed: an optional target, then what the command takes.
  bool json = false;
  double seconds = 60;
  // PEM files, for targets with https: the CA that replaces those of the system; the client
  // certificate.
  std::string ca;
  std::string cert;
  std::string key;
  std::string token;        // Sent to targets over HTTP; empty: that of PATCHBAY_TOKEN.
  std::string output = {};  // call, read: the file for content; empty: none.
};

// With a target among the arguments of `connection`, a running gateway is asked instead of a
// database.
int find_audit(const AuditOptions& options, const ClientOptions& connection);

int list_tools(const ClientOptions& options);
int call_tool(const ClientOptions& options);
int list_resources(const ClientOptions& options);
int read_resource(const ClientOptions& options);
int use_prompts(const ClientOptions& options);

struct TokenOptions {
  std::string config;  // Names the file of tokens, unless `file` does.
  std::string file;
  std::string name;  // Of a token; to revoke one, its id will do.
  std::vector<std::string> roles;
  std::vector<std::string> scopes;
  std::string expires;
  bool json = false;
};

int create_token(const TokenOptions& options);
int list_tokens(const TokenOptions& options);
int revoke_token(const TokenOptions& options);
int hash_token(const TokenOptions& options);

// The arguments are an optional target and an optional id: without one, pending calls are listed.
int approve(const ClientOptions& options, bool refuse);

// The arguments are an optional target and the name of an upstream. `own`: for the connection of
// the gateway itself.
int log_in(const ClientOptions& options, bool own, bool forget);

struct PinsOptions {
  std::string verb = "list";  // list, diff or accept.
  std::vector<std::string> tools;
  std::string config;
  std::string state;
  bool all = false;
  bool json = false;
};

int pins(const PinsOptions& options);

int serve_agent(const agent::Settings& settings);

}  // namespace patchbay::app
