#include "cli/prompt.h"

#include <histedit.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>

#include "json/text.h"

namespace patchbay::app {
namespace {

constexpr std::size_t kMostHistory = 1000;  // Lines.

}  // namespace

// libedit reads characters through us, so that it can be interrupted.
struct Prompt::Editor {
  explicit Editor(Prompt& prompt) : history(::history_init()) {
    // How wide a character is depends on it; nothing else here looks at the locale.
    std::setlocale(LC_CTYPE, "C.UTF-8");
    HistEvent event;
    ::history(history, &event, H_SETSIZE, static_cast<int>(kMostHistory));
    ::history(history, &event, H_SETUNIQUE, 1);
    line = ::el_init("patchbay", stdin, stdout, stderr);
    ::el_set(line, EL_CLIENTDATA, &prompt);
    ::el_set(line, EL_PROMPT, show_prompt);
    ::el_set(line, EL_EDITOR, "emacs");
    ::el_set(line, EL_HIST, ::history, history);
    ::el_set(line, EL_GETCFN, get_character);
  }
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;
  ~Editor() {
    ::el_end(line);
    ::history_end(history);
  }

  static Prompt& owner(EditLine* line) {
    void* prompt = nullptr;
    ::el_get(line, EL_CLIENTDATA, &prompt);
    return *static_cast<Prompt*>(prompt);
  }

  static char* show_prompt(EditLine* line) { return const_cast<char*>(owner(line).text_.c_str()); }

  // One character from its UTF-8 bytes. 1 if there is one, 0 at the end.
  static int get_character(EditLine* line, wchar_t* out) {
    Prompt& prompt = owner(line);
    auto byte = prompt.next_byte();
    if (!byte) return 0;
    const auto first = static_cast<unsigned char>(*byte);
    const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
    auto code = static_cast<wchar_t>(more == 0 ? first : first & (0x3F >> more));
    for (int i = 0; i < more; ++i) {
      byte = prompt.next_byte();
      if (!byte) return 0;
      code = static_cast<wchar_t>((code << 6) | (static_cast<unsigned char>(*byte) & 0x3F));
    }
    *out = code;
    return 1;
  }

  History* history;
  EditLine* line = nullptr;
};

Prompt::Prompt(std::string text, std::size_t most)
    : text_(std::move(text)), most_(most), wakeup_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1) {
    editor_ = std::make_unique<Editor>(*this);
  }
}

Prompt::~Prompt() = default;

void Prompt::interrupt() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wakeup_.get(), &one, sizeof one);
}

std::optional<char> Prompt::next_byte() {
  pollfd watched[] = {{STDIN_FILENO, POLLIN, 0}, {wakeup_.get(), POLLIN, 0}};
  while (::poll(watched, 2, -1) < 0) {
  }
  char byte = 0;
  if (watched[1].revents != 0 || ::read(STDIN_FILENO, &byte, 1) != 1) return std::nullopt;
  return byte;
}

std::optional<std::string> Prompt::read() {
  auto line = editor_ ? read_edited() : read_plain();
  if (line && !line->empty()) {
    if (history_.size() == kMostHistory) history_.erase(history_.begin());
    history_.push_back(*line);
  }
  return line;
}

std::optional<std::string> Prompt::read_edited() {
  int length = 0;
  const char* const got = ::el_gets(editor_->line, &length);
  if (!got || length <= 0) return std::nullopt;
  std::string line(got, static_cast<std::size_t>(length));
  while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
  if (!line.empty()) {
    HistEvent event;
    ::history(editor_->history, &event, H_ENTER, line.c_str());
  }
  if (line.size() > most_) line.resize(most_);
  return line;
}

std::optional<std::string> Prompt::read_plain() {
  std::string line;
  for (;;) {
    const auto byte = next_byte();
    if (!byte && line.empty()) return std::nullopt;
    if (!byte || *byte == '\n') break;
    if (line.size() < most_) line += *byte;
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

}  // namespace patchbay::app
