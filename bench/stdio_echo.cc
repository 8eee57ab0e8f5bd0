// stdio_echo: the answers of echo_answers.h on stdin and stdout. Many lines per read, many answers
// per write. One thread; it waits in read() and in write() and nowhere else.

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "bench/echo_answers.h"

namespace patchbay::bench {
namespace {

constexpr std::size_t kFull = 128 * 1024;  // Written before more is added.

void write_all(std::string& pending) {
  std::string_view text = pending;
  while (!text.empty()) {
    ssize_t count = write(STDOUT_FILENO, text.data(), text.size());
    if (count < 0 && errno != EINTR) _exit(0);  // The gateway has closed the pipe.
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  pending.clear();
}

void handle(EchoAnswers& server, std::string_view line, std::string& out) {
  const auto before = out.size();
  server.answer(line, out);
  if (out.size() > before) out += '\n';
  if (out.size() > kFull) write_all(out);
}

int main() {
  EchoAnswers server;
  std::string out;
  std::vector<char> buffer(256 * 1024);
  std::size_t held = 0;  // Bytes of a line without its end.
  for (;;) {
    if (held == buffer.size()) buffer.resize(buffer.size() * 2);
    ssize_t count = read(STDIN_FILENO, buffer.data() + held, buffer.size() - held);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    // Only new bytes can contain the end of the retained line.
    std::size_t search_from = held;
    held += static_cast<std::size_t>(count);
    std::size_t line = 0;
    std::string_view all(buffer.data(), held);
    for (auto end = all.find('\n', search_from); end != all.npos; end = all.find('\n', line)) {
      handle(server, all.substr(line, end - line), out);
      line = end + 1;
    }
    write_all(out);
    held -= line;
    std::memmove(buffer.data(), buffer.data() + line, held);
  }
}

}  // namespace
}  // namespace patchbay::bench

int main() { return patchbay::bench::main(); }
