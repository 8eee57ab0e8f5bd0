#include "app/masked_text.h"

#include <map>
#include <set>
#include <string_view>

#include "app/configuration_text.h"
#include "config/load.h"

namespace patchbay::app {
namespace {

using frontends::TextFault;
using Lines = std::vector<std::string>;

constexpr std::string_view kMoved =
    "<secret> stands for a secret that this setting does not have in the file: leave it where it "
    "was, or write a value";

Lines lines_of(std::string_view text) {
  Lines lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const auto& line : lines) {
    if (&line != lines.data()) text += '\n';
    text += line;
  }
  return text;
}

bool is_masked(std::string_view text) { return text.contains(kMask); }

const std::string& line_of(const Lines& lines, int number) {
  static const std::string kNone;
  const auto index = static_cast<std::size_t>(number) - 1;
  return number > 0 && index < lines.size() ? lines[index] : kNone;
}

class Restorer {
 public:
  Restorer(const std::string& original, const std::string& masked, const std::string& name)
      : name_(name),
        root_(config::parse_text(original, name, ignored_)),
        original_(lines_of(original)),
        masked_(lines_of(masked)) {
    for (const auto& one : scalars_of(root_)) before_.emplace(one.path, one.node);
    const config::Node hidden = config::parse_text(masked, name, ignored_);
    for (const auto& one : scalars_of(hidden)) {
      if (is_masked(one.node->text)) hidden_.emplace(one.path, one.node->text);
    }
  }

  RestoredText restore(const std::string& edited) {
    const config::Node root = config::parse_text(edited, name_, ignored_);
    const auto scalars = scalars_of(root);
    lines_ = lines_of(edited);
    for (const auto& one : scalars) {
      if (is_masked(one.node->text)) put_back(one);
    }
    for (const auto& [number, secrets] : restored_) restore_comment(number, secrets);
    std::string text = joined(lines_);
    if (faults_.empty()) compare(scalars, text);
    if (faults_.empty()) find_lost_masks();
    return {std::move(text), std::move(faults_)};
  }

 private:
  void fault(int line, const std::string& path) {
    faults_.push_back({line, path, std::string(kMoved)});
  }

  // The value that the mask of this setting stands for; null if it stands for nothing.
  const config::Node* value_of(const ScalarAt& edited) const {
    const auto mask = hidden_.find(edited.path);
    if (mask == hidden_.end() || mask->second != edited.node->text) return nullptr;
    const auto found = before_.find(edited.path);
    return found == before_.end() ? nullptr : found->second;
  }

  // A line that nobody has edited is as it was in the file, with what is masked in comments.
  void put_back(const ScalarAt& edited) {
    const config::Node* const known = value_of(edited);
    const int number = edited.node->line;
    if (!known || number <= 0 || static_cast<std::size_t>(number) > lines_.size()) {
      return fault(number, edited.path);
    }
    std::string& line = lines_[static_cast<std::size_t>(number) - 1];
    if (whole_.contains(number)) return;  // compare() finds what does not belong there.
    if (line == line_of(masked_, known->line)) {
      line = line_of(original_, known->line);
      whole_.insert(number);
      return;
    }
    std::size_t& from = done_[number];
    const std::size_t at = line.find(edited.node->text, from);
    if (at == std::string::npos) return fault(number, edited.path);
    line.replace(at, edited.node->text.size(), known->text);
    from = at + known->text.size();
    restored_[number].insert(known->text);
  }

  // What is left in an edited line is in its comment, and can be only the secret of that line.
  void restore_comment(int number, const std::set<std::string>& secrets) {
    if (secrets.size() != 1) return;
    std::string& line = lines_[static_cast<std::size_t>(number) - 1];
    for (auto at = line.find(kMask); at != std::string::npos;
         at = line.find(kMask, at + secrets.begin()->size())) {
      line.replace(at, kMask.size(), *secrets.begin());
    }
  }

  // Whatever the text looks like: each secret is that of its setting, and nothing else has changed.
  void compare(const std::vector<ScalarAt>& edited, const std::string& text) {
    const config::Node root = config::parse_text(text, name_, ignored_);
    const auto restored = scalars_of(root);
    for (std::size_t i = 0; i < edited.size(); ++i) {
      const ScalarAt& one = edited[i];
      const config::Node* const known = is_masked(one.node->text) ? value_of(one) : one.node;
      const std::string& wanted = known ? known->text : one.node->text;
      const bool same =
          i < restored.size() && restored[i].path == one.path && restored[i].node->text == wanted;
      if (!same) return fault(one.node->line, one.path);
    }
    if (restored.size() != edited.size()) fault(0, "");
  }

  // Masks in comments and keys.
  void find_lost_masks() {
    const std::set<std::string> known(original_.begin(), original_.end());
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (is_masked(lines_[i]) && !known.contains(lines_[i])) {
        fault(static_cast<int>(i) + 1, "");
      }
    }
  }

  const std::string& name_;
  config::Faults ignored_;  // Of texts that are checked elsewhere.
  const config::Node root_;
  const Lines original_;
  const Lines masked_;
  std::map<std::string, const config::Node*> before_;  // The scalars of the file...
  std::map<std::string, std::string> hidden_;          // ...and those with a mask.
  Lines lines_;
  std::set<int> whole_;                            // The lines that are as in the file.
  std::map<int, std::size_t> done_;                // How far the others have been restored...
  std::map<int, std::set<std::string>> restored_;  // ...and with what.
  std::vector<TextFault> faults_;
};

}  // namespace

RestoredText restore_secrets(const std::string& original, const std::string& masked,
                             const std::string& edited, const std::string& name) {
  return Restorer(original, masked, name).restore(edited);
}

}  // namespace patchbay::app
