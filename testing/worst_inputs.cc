#include "testing/worst_inputs.h"

#include <fmt/format.h>

#include <string_view>

namespace patchbay::testing {
namespace {

// `piece` again and again.
std::string many(std::size_t size, std::string_view piece) {
  std::string out;
  while (out.size() < size) out += piece;
  return out;
}

// Pieces with a number instead of {0}, with `between` between them.
std::string numbered(std::size_t size, const char* piece, std::string_view between = ",") {
  std::string out;
  for (std::size_t i = 0; out.size() < size; ++i) {
    if (i > 0) out += between;
    out += fmt::format(fmt::runtime(piece), i);
  }
  return out;
}

std::string members(std::size_t size) { return '{' + numbered(size, R"("k{0}":{0})") + '}'; }
std::string list(std::size_t size) { return '[' + numbered(size, "{0}") + ']'; }
std::string deep(std::size_t size) {
  return '[' + many(size, std::string(60, '[') + std::string(60, ']') + ',') + "0]";
}
std::string request(const std::string& params) {
  return R"({"jsonrpc":"2.0","id":1,"method":"m","params":)" + params + '}';
}
std::string head(std::string_view first, std::size_t size) {
  return std::string(first) + numbered(size, "X-{0}: {0}\r\n", "") + "\r\n";
}
std::string properties(std::size_t size) {
  return R"({"properties":{)" + numbered(size, R"("k{0}":{{"type":"integer"}})") + "}}";
}
std::string frames(char first, std::string_view frame, std::size_t size) {
  return first + many(size, frame);
}
// For an array of strings.
std::string strings(std::size_t size) { return '[' + numbered(size, R"("a{0}")") + ']'; }

// clang-format off
constexpr WorstInput kInputs[] = {
    {"agent_request", "parameters", [](std::size_t n) { return R"({"jsonrpc":"2.0","id":1,"method":"exec","params":)" + members(n) + '}'; }},
    {"agent_request", "environment", [](std::size_t n) { return R"({"jsonrpc":"2.0","id":1,"method":"exec","params":{"cmd":"a","env":{)" + numbered(n, R"("k{0}":"v")") + "}}}"; }},
    {"avro", "fields", [](std::size_t n) { return R"({"type":"record","name":"R","fields":[)" + numbered(n, R"({{"name":"f{0}","type":"int"}})") + "]}\n"; }},
    {"avro", "symbols", [](std::size_t n) { return R"({"type":"enum","name":"E","symbols":)" + strings(n) + "}\n\"a0\""; }},
    {"avro", "union", [](std::size_t n) { return '[' + numbered(n, R"({{"type":"fixed","name":"F{0}","size":1}})") + "]\nx"; }},
    {"avro", "elements", [](std::size_t n) { return R"({"type":"array","items":"int"})" "\n" + list(n); }},
    {"bus_offer", "properties", [](std::size_t n) { return properties(n) + "\n{0}"; }},
    {"bus_offer", "arguments", [](std::size_t n) { return "{\"type\":\"object\"}\n" + members(n); }},
    {"bus_record", "reply", [](std::size_t n) { return "{0}\n" + members(n); }},
    {"bus_record", "key", [](std::size_t n) { return members(n) + "\n{0}"; }},
    {"canonical", "members", members},
    {"canonical", "long keys", [](std::size_t n) { const std::string key(200, 'k'); return '{' + numbered(n, ('"' + key + R"({0}":0)").c_str()) + '}'; }},
    {"canonical", "nesting", deep},
    {"client_address", "hops", [](std::size_t n) { return many(n, "10.0.0.1,"); }},
    {"client_address", "elements", [](std::size_t n) { return many(n, "for=10.0.0.1,"); }},
    {"client_address", "quotes", [](std::size_t n) { return many(n, "for=\"\\\"\";"); }},
    {"client_address", "open quotes", [](std::size_t n) { return "for=\"" + many(n, "\\\","); }},
    {"config_text", "json", members},
    {"config_text", "json comments", [](std::size_t n) { return "{" + many(n, "/*") + "}"; }},
    {"config_text", "json commas", [](std::size_t n) { return "[" + many(n, "[1,],") + "]"; }},
    {"config_text", "toml keys", [](std::size_t n) { return numbered(n, "k{0}.a = 1\n", ""); }},
    {"config_text", "toml tables", [](std::size_t n) { return numbered(n, "[t{0}.a]\nb = 1\n", ""); }},
    {"config_text", "toml strings", [](std::size_t n) { return "a = [" + many(n, "'a.',") + "]\n"; }},
    {"config_text", "clients", [](std::size_t n) { return R"({"mcpServers":{)" + numbered(n, R"("s{0}":{{"command":"x","args":["${{X}}"]}})") + "}}"; }},
    {"config_text", "yaml map", [](std::size_t n) { return numbered(n, "k{0}: {0}\n", ""); }},
    {"config_text", "yaml list", [](std::size_t n) { return many(n, "- a\n"); }},
    {"config_text", "yaml blanks", [](std::size_t n) { return "a: '" + std::string(4000, ' ') + many(n, "b ") + '\''; }},
    {"config_text", "yaml lines", [](std::size_t n) { return "a: >\n" + std::string(4000, '\n') + many(n, " b\n\n"); }},
    {"config_text", "yaml long blanks", [](std::size_t n) { return "a: '" + many(n / 2, " ") + many(n / 2, "b ") + '\''; }},
    {"config_text", "yaml directives", [](std::size_t n) { return numbered(n, "%TAG !t{0}! x\n", "") + "---\n1\n"; }},
    {"config_text", "yaml keys in keys", [](std::size_t n) { return '[' + many(n, std::string(25, '[') + 'x' + many(96, "]: a") + "],\n") + ']'; }},
    {"config_text", "yaml anchors", [](std::size_t n) { return numbered(n, "- &a{0} [{0}, &b {0}, *b]\n- *a{0}\n", ""); }},
    {"config_text", "yaml anchors in anchors", [](std::size_t n) { return numbered(360, "&a{0} [", "") + many(n, "1,") + std::string(62, ']'); }},
    {"config_text", "yaml open", [](std::size_t n) { return many(n, "- ["); }},
    {"credential_files", "tokens", [](std::size_t n) { return numbered(n, R"({{"id":"0123456789","name":"n{0}","roles":[],"scopes":[],"created":1,"hash":"0123456789$scrypt$ln=14,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}})", "\n"); }},
    {"credential_files", "users", [](std::size_t n) { return numbered(n, "u{0}:$6$salt$x\n", ""); }},
    {"egress_request", "fields", [](std::size_t n) { return head("GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n", n); }},
    {"egress_request", "host", [](std::size_t n) { return "CONNECT " + many(n, "a.") + "b:443 HTTP/1.1\r\n\r\n"; }},
    {"expression", "sum", [](std::size_t n) { return many(n, "1+") + "1"; }},
    {"expression", "nesting", [](std::size_t n) { return many(n / 2, "(") + "1" + many(n / 2, ")"); }},
    {"expression", "signs", [](std::size_t n) { return many(n, "-") + "1"; }},
    {"goal_steps", "steps", [](std::size_t n) { return many(n, "echo a then "); }},
    {"goal_steps", "numbers", [](std::size_t n) { return many(n, "1 + 2 x "); }},
    {"goal_steps", "signs", [](std::size_t n) { return many(n, "( 1 + "); }},
    {"goal_steps", "sql", [](std::size_t n) { return "SELECT " + many(n, "a,") + "b FROM users"; }},
    {"http_chunks", "small chunks", [](std::size_t n) { return many(n, "1\r\na\r\n") + "0\r\n\r\n"; }},
    {"http_chunks", "one chunk", [](std::size_t n) { return fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", n, many(n, "a").substr(0, n)); }},
    {"http_chunks", "zeros", [](std::size_t n) { return many(n, "0"); }},
    {"http_request", "fields", [](std::size_t n) { return head("GET / HTTP/1.1\r\nHost: a\r\n", n); }},
    {"http_request", "target", [](std::size_t n) { return "GET /" + many(n, "%2e/") + " HTTP/1.1\r\nHost: a\r\n\r\n"; }},
    {"http_response", "fields", [](std::size_t n) { return head("HTTP/1.1 200 OK\r\n", n); }},
    {"json_cursor", "members", members},
    {"json_cursor", "nesting", deep},
    {"json_cursor", "escapes", [](std::size_t n) { return '"' + many(n, "\\u00e9") + '"'; }},
    {"json_cursor", "escaped keys", [](std::size_t n) { return '{' + numbered(n, R"("\u00e9{0}":[{{"\n":0}}])") + '}'; }},
    {"json_cursor", "open", [](std::size_t n) { return many(n, "["); }},
    {"jwt", "keys", [](std::size_t n) { return R"({"keys":[)" + numbered(n, R"({{"kid":"k{0}","kty":"EC","crv":"P-256","x":"AA","y":"AA"}})") + "]}"; }},
    {"jwt", "points", [](std::size_t n) { return many(n, "a."); }},
    {"jwt", "text", [](std::size_t n) { return "eyJhbGciOiJFUzI1NiJ9." + many(n, "eyJh") + ".AAAA"; }},
    {"mcp_message", "params", [](std::size_t n) { return request(members(n)); }},
    {"mcp_message", "meta", [](std::size_t n) { return request(R"({"_meta":)" + members(n) + '}'); }},
    {"mcp_message", "long keys", [](std::size_t n) { const std::string key(200, 'k'); return request('{' + numbered(n, ('"' + key + R"({0}":0)").c_str()) + '}'); }},
    {"mcp_message", "escaped keys", [](std::size_t n) { return request('{' + numbered(n, R"("\u006b{0}":0)") + '}'); }},
    {"mcp_message", "the same key", [](std::size_t n) { return request('{' + many(n, R"("k":0,)") + R"("k":0})"); }},
    {"mcp_message", "around", [](std::size_t n) { return R"({"jsonrpc":"2.0","id":1,"method":"m",)" + numbered(n, R"("k{0}":0)") + '}'; }},
    {"mcp_message", "arguments", [](std::size_t n) { return request(R"({"name":"t","arguments":)" + members(n) + '}'); }},
    {"mcp_message", "result", [](std::size_t n) { return R"({"jsonrpc":"2.0","id":1,"result":)" + members(n) + '}'; }},
    {"oauth", "parameters", [](std::size_t n) { return "Bearer " + numbered(n, R"(p{0}="x")", ", "); }},
    {"oauth", "challenges", [](std::size_t n) { return numbered(n, R"(Scheme{0} a="x")", ", "); }},
    {"oauth", "scopes", [](std::size_t n) { return R"(Bearer scope=")" + numbered(n, "s{0}", " ") + '"'; }},
    {"oauth", "quotes", [](std::size_t n) { return R"(Bearer a=")" + many(n, "\\\""); }},
    {"oauth", "servers", [](std::size_t n) { return R"({"resource":"https://a","authorization_servers":[)" + numbered(n, R"("https://a{0}/x/y")") + "]}"; }},
    {"openapi_arguments", "list", [](std::size_t n) { return R"({"a":"x","b":"x","c":"x","d":)" + list(n) + '}'; }},
    {"openapi_arguments", "object", [](std::size_t n) { return R"({"a":"x","b":"x","c":"x","f":)" + members(n) + '}'; }},
    {"openapi_arguments", "others", members},
    {"openapi_document", "paths", [](std::size_t n) { return R"({"openapi":"3.1.0","paths":{)" + numbered(n, R"("/p{0}":{{"get":{{}}}})") + "}}"; }},
    {"openapi_document", "same names", [](std::size_t n) { return R"({"openapi":"3.1.0","paths":{)" + numbered(n, R"("/p{0}":{{"get":{{"operationId":"same"}}}})") + "}}"; }},
    {"openapi_document", "parameters", [](std::size_t n) { return R"({"openapi":"3.1.0","paths":{"/p":{"get":{"parameters":[)" + numbered(n, R"({{"name":"p{0}","in":"query"}})") + "]}}}}"; }},
    {"openapi_document", "references", [](std::size_t n) { return R"({"openapi":"3.1.0","paths":{"/p":{"get":{"parameters":[{"name":"a","in":"query","schema":{"$ref":"#/components/schemas/s0"}}]}}},"components":{"schemas":{)" + numbered(n, R"("s{0}":{{"$ref":"#/components/schemas/s{0}x"}})") + "}}}"; }},
    {"openapi_document", "yaml", [](std::size_t n) { return "openapi: 3.1.0\npaths:\n" + numbered(n, "  /p{0}: {{get: {{}}}}\n", ""); }},
    {"osquery_statement", "columns", [](std::size_t n) { return "SELECT " + many(n, "1,") + "1"; }},
    {"osquery_statement", "tables", [](std::size_t n) { return "SELECT * FROM " + numbered(n, "t{0}"); }},
    {"osquery_statement", "nesting", [](std::size_t n) { return "SELECT " + many(n, "("); }},
    {"osquery_statement", "names", [](std::size_t n) { return "WITH " + numbered(n, "c{0} AS (SELECT 1)") + " SELECT * FROM c0"; }},
    {"osquery_statement", "comments", [](std::size_t n) { return "SELECT 1 " + many(n, "/* */"); }},
    {"osquery_statement", "quotes", [](std::size_t n) { return "SELECT '" + many(n, "''"); }},
    {"otlp_response", "messages", [](std::size_t n) { return many(n, "\x0A\x04\x12\x02no"); }},
    {"otlp_response", "numbers", [](std::size_t n) { return many(n, "\x08\xFF\xFF\x01"); }},
    {"otlp_response", "members", [](std::size_t n) { return R"({"partialSuccess":)" + members(n) + '}'; }},
    {"param_headers", "properties", [](std::size_t n) { return R"({"type":"object","properties":{)" + numbered(n, R"("p{0}":{{"type":"string","x-mcp-header":"H{0}"}})") + "}}\n{\"p0\":\"a\"}"; }},
    {"param_headers", "arguments", [](std::size_t n) { return R"({"type":"object","properties":{"p0":{"type":"string","x-mcp-header":"H"}}})" "\n" + members(n); }},
    {"param_headers", "text", [](std::size_t n) { return many(n, "\xC3\xA9"); }},
    {"regex", "nested repeats", [](std::size_t n) { return "(a*)*b\n" + many(n, "a"); }},
    {"regex", "looks", [](std::size_t n) { return "^(?=.*b)(?!.*aab)(?=(?:a(?!b))*$)(?<!a.*)a+$\n" + many(n, "a"); }},
    {"regex", "too large for a table", [](std::size_t n) { return "([ab]*a[ab]{5})+c\n" + many(n, "ab"); }},
    {"sandbox_input", "path", [](std::size_t n) { return many(n, "a/./../"); }},
    {"sandbox_input", "arguments", members},
    {"sandbox_input", "mounts", [](std::size_t n) { return numbered(n, "{0} 1 0:1 / /m{0} rw - ext4 /dev/d{0} rw\n", ""); }},
    {"schema", "elements", [](std::size_t n) { return "{\"items\":{\"type\":\"integer\"}}\n" + list(n); }},
    {"schema", "unique", [](std::size_t n) { return "{\"uniqueItems\":true}\n" + list(n); }},
    {"schema", "members", [](std::size_t n) { return "{\"additionalProperties\":{\"minimum\":0},\"propertyNames\":{\"maxLength\":9}}\n" + members(n); }},
    {"schema", "unevaluated", [](std::size_t n) { return "{\"anyOf\":[{\"patternProperties\":{\"1$\":true}}],\"unevaluatedProperties\":{\"type\":\"integer\"}}\n" + members(n); }},
    {"schema", "properties", [](std::size_t n) { return properties(n) + "\n{\"k1\":1}"; }},
    {"schema", "enum", [](std::size_t n) { return R"({"enum":)" + list(n) + "}\n-1"; }},
    {"schema", "required", [](std::size_t n) { return R"({"required":)" + strings(n) + "}\n{0}"; }},
    {"schema", "alternatives", [](std::size_t n) { return R"({"anyOf":[)" + numbered(n, R"({{"const":{0}}})") + "]}\n-1"; }},
    {"schema", "string", [](std::size_t n) { return "{\"pattern\":\"^(?!.*x)(a|b)*$\",\"minLength\":3}\n\"" + many(n, "ab") + '"'; }},
    {"schema", "number", [](std::size_t n) { return "{\"multipleOf\":0.01}\n[" + many(n, "1e300,") + "1]"; }},
    {"server_list", "entries", [](std::size_t n) { return numbered(n, "s{0}:http://h/x"); }},
    {"server_list", "quotes", [](std::size_t n) { return "\"" + many(n, "\\\""); }},
    {"shape", "content", [](std::size_t n) { return R"({"content":[)" + numbered(n, R"({{"type":"text","text":"t{0}","_meta":{{}}}})") + "]}"; }},
    {"shape", "members", members},
    {"shape", "messages", [](std::size_t n) { return R"({"messages":[)" + numbered(n, R"({{"role":"user","content":[{{"type":"audio","data":"{0}"}}]}})") + "]}"; }},
    {"sse", "events", [](std::size_t n) { return frames('\x05', "data: x\n\n", n); }},
    {"sse", "lines", [](std::size_t n) { return frames('\x05', "data: x\r", n); }},
    {"sse", "one line", [](std::size_t n) { return frames('\x05', "x", n); }},
    {"sse", "ids", [](std::size_t n) { return frames('\x05', "id: 12345\n", n); }},
    {"uri_template", "expressions", [](std::size_t n) { return many(n / 2, "{x}a") + "b\n" + many(n / 2, "a"); }},
    {"uri_template", "long literal", [](std::size_t n) { return "{x}" + many(n / 4, "a") + "b{y}\n" + many(n / 2, "a"); }},
    {"uri_template", "dots", [](std::size_t n) { return "x\n" + many(n, "a/../"); }},
    {"uri_template", "codes", [](std::size_t n) { return "x\nfile:///" + many(n, "%25"); }},
    {"redis_reply", "items", [](std::size_t n) { return fmt::format("*{}\r\n", n / 4) + many(n, ":1\r\n"); }},
    {"redis_reply", "texts", [](std::size_t n) { return fmt::format("%{}\r\n", n / 16) + many(n, "$1\r\nx\r\n"); }},
    {"url", "dots", [](std::size_t n) { return "http://h/" + many(n, "a/../"); }},
    {"url", "host", [](std::size_t n) { return "http://" + many(n, "a."); }},
    {"url", "codes", [](std::size_t n) { return "x?" + many(n, "%41"); }},
    {"websocket_frame", "small frames", [](std::size_t n) { return frames('\x09', std::string_view("\x81\x01" "a", 3), n); }},
    {"websocket_frame", "pings", [](std::size_t n) { return frames('\x01', std::string_view("\x89\x00", 2), n); }},
    {"wire_envelope", "metadata", [](std::size_t n) { return R"({"id":"1","timestamp":"2024-01-15T10:30:45Z","source":"x","mcp_payload":{0},"metadata":)" + members(n) + '}'; }},
    {"wire_envelope", "others", [](std::size_t n) { return R"({"id":"1","timestamp":"2024-01-15T10:30:45Z","source":"x","mcp_payload":{0},)" + numbered(n, R"("k{0}":0)") + '}'; }},
    {"wire_envelope", "payload", [](std::size_t n) { return R"({"id":"1","timestamp":"2024-01-15T10:30:45Z","source":"x","mcp_payload":)" + members(n) + '}'; }},
    {"wire_frame", "small frames", [](std::size_t n) { return frames('\x80', std::string_view("MCP\0\0\1\0\1\0\0\0\0\0\0\0\2{0}", 18), n); }},
    {"wire_frame", "large frames", [](std::size_t n) { return frames('\x80', std::string_view("MCP\0\0\1\0\1\0\0\0\0\0\0\x0f\0", 16), 16) + many(n, "x"); }},
};
// clang-format on

}  // namespace

std::span<const WorstInput> worst_inputs() { return kInputs; }

}  // namespace patchbay::testing
