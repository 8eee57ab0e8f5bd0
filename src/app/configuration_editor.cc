#include "app/configuration_editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "app/configuration_text.h"
#include "app/editable_settings.h"
#include "app/masked_text.h"
#include "async/hop.h"
#include "config/file.h"
#include "config/load.h"
#include "observe/log.h"

namespace patchbay::app {
namespace {

using frontends::ConfigurationEdit;
using frontends::EditableText;
using frontends::EditAnswer;
using frontends::EditOutcome;

constexpr std::string_view kTagKind = "configuration";
constexpr std::string_view kNoFile =
    "the gateway runs without a configuration file; `patchbay init` writes one";
constexpr std::string_view kOff =
    "console.edit is off: the configuration is edited on the machine of the gateway; `console: { "
    "edit: true }` in it permits changes here that define no command";
constexpr std::string_view kHidden =
    "a secret in the file spans lines or is written with escapes, so the text cannot be edited "
    "without it; edit the file on the machine of the gateway";

EditAnswer failure(EditOutcome outcome, std::string message) {
  EditAnswer answer;
  answer.outcome = outcome;
  answer.message = std::move(message);
  return answer;
}

std::string hex(const policy::Digest& digest) {
  constexpr std::size_t kBytes = 16;
  std::string text;
  for (std::size_t i = 0; i < kBytes; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::optional<std::string> masked(const std::string& text, const std::string& name) {
  config::Faults ignored;
  const config::Node root = config::parse_text(text, name, ignored);
  return without_secrets(text, scalars_of(root));
}

// A message about a value may repeat it.
std::string without_values(std::string message, const std::vector<ScalarAt>& scalars) {
  for (const auto& one : scalars) {
    const std::string& secret = one.node->text;
    if (!one.secret || secret.empty()) continue;
    for (auto at = message.find(secret); at != std::string::npos;
         at = message.find(secret, at + kMask.size())) {
      message.replace(at, secret.size(), kMask);
    }
  }
  return message;
}

// One change at a time.
class Busy {
 public:
  explicit Busy(bool& busy) : busy_(busy) { busy_ = true; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() { busy_ = false; }

 private:
  bool& busy_;
};

}  // namespace

bool ConfigurationEditor::is_on() const { return gateway_.running.settings.console.edit; }

std::string ConfigurationEditor::tag_of(std::string_view text) const {
  return hex(digester_.of(kTagKind, text));
}

// A file that is a link, or one of several names, would be another one after it was replaced.
Result<ConfigurationEditor::File> ConfigurationEditor::read() const {
  const std::string& path = gateway_.running.file;
  if (path.empty()) return Error{Code::unavailable, std::string(kNoFile)};
  File file;
  if (::lstat(path.c_str(), &file.status) != 0) {
    return Error{Code::unavailable, fmt::format("{} cannot be read", path)};
  }
  if (S_ISLNK(file.status.st_mode)) {
    return Error{Code::unavailable,
                 fmt::format("{} is a symbolic link, which is not replaced; edit what it leads to, "
                             "such as the ConfigMap",
                             path)};
  }
  if (file.status.st_nlink > 1) {
    return Error{Code::unavailable,
                 fmt::format("{} has several names (hard links), of which only one would be "
                             "replaced; edit it on the machine of the gateway",
                             path)};
  }
  auto text = config::read_file(path, config::kMaxFile);
  if (!text) return Error{Code::unavailable, fmt::format("{} {}", path, text.error().message)};
  file.text = *std::move(text);
  return file;
}

Result<EditableText> ConfigurationEditor::text_here() const {
  if (!is_on()) return Error{Code::forbidden, std::string(kOff)};
  auto file = read();
  if (!file) return file.error();
  auto text = masked(file->text, gateway_.running.file);
  if (!text) return Error{Code::unavailable, std::string(kHidden)};
  return EditableText{*std::move(text), tag_of(file->text)};
}

Task<EditableText> ConfigurationEditor::text() {
  auto there = [this]() -> Task<EditableText> { co_return text_here(); };
  co_return co_await hop<EditableText>(control_, there);
}

Task<EditAnswer> ConfigurationEditor::edit(ConfigurationEdit edit) {
  auto there = [this, &edit]() -> Task<EditAnswer> {
    auto editing = edit_here(edit);
    co_return co_await editing;
  };
  co_return co_await hop<EditAnswer>(control_, there);
}

// Whether the text may take the place of the file, as far as the two texts tell.
ConfigurationEditor::Candidate ConfigurationEditor::examine(const ConfigurationEdit& edit) const {
  Candidate found;
  const std::string& name = gateway_.running.file;
  auto file = read();
  if (!file) {
    found.answer = failure(EditOutcome::unwritable, file.error().message);
    return found;
  }
  found.before = *std::move(file);
  const std::string& now = found.before.text;
  constexpr mode_t kWritable = S_IWUSR | S_IWGRP | S_IWOTH;
  if ((found.before.status.st_mode & kWritable) == 0) {
    found.answer = failure(EditOutcome::unwritable, name + " is read-only; it was not changed");
    return found;
  }
  if (tag_of(now) != edit.tag) {
    found.answer =
        failure(EditOutcome::stale, name +
                                        " has changed since it was read: read it again, and "
                                        "make the change in the new text");
    return found;
  }
  const auto hidden = masked(now, name);
  if (!hidden) {
    found.answer = failure(EditOutcome::unwritable, std::string(kHidden));
    return found;
  }
  auto restored = restore_secrets(now, *hidden, edit.text, name);
  found.text = std::move(restored.text);
  auto faults = check_text(edit.text, name);
  if (!faults.empty()) {
    found.answer = failure(EditOutcome::faulty, "the text has faults; the file is as before");
    found.answer.faults = std::move(faults);
    return found;
  }
  config::Faults ignored;  // They are those of check_text().
  auto changes = configuration_changes(config::parse_text(now, name, ignored),
                                       config::parse_text(found.text, name, ignored), name);
  found.answer.outcome = EditOutcome::permitted;
  found.answer.changes = std::move(changes.paths);
  found.answer.faults = std::move(restored.faults);
  std::ranges::move(changes.refused, std::back_inserter(found.answer.faults));
  if (!found.answer.faults.empty()) {
    found.answer.outcome = EditOutcome::not_allowed;
    const auto& first = found.answer.faults.front();
    found.answer.message = first.path.empty() ? first.message : first.path + ": " + first.message;
  }
  return found;
}

Result<StagedFile> ConfigurationEditor::stage(const File& before, const std::string& path,
                                              std::string_view text) const {
  constexpr mode_t kBits = 07777;
  auto staged = StagedFile::make(path, text,
                                 {before.status.st_mode & kBits, true,
                                  StagedFile::Owner{before.status.st_uid, before.status.st_gid}});
  if (staged) return staged;
  return Error{Code::unavailable,
               fmt::format("the file cannot be replaced: {}; change it where it comes from, such "
                           "as the ConfigMap, or on the machine of the gateway",
                           staged.error().message)};
}

// Whether the gateway would use the text: as a reload decides it, with the files and variables that
// it names.
EditAnswer ConfigurationEditor::load(const StagedFile& staged, EditAnswer answer) const {
  config::Faults faults;
  const Configuration next = load_configuration(staged.name(), gateway_.overrides, faults);
  config::Faults ignored;
  const config::Node root = config::parse_file(staged.name(), ignored);
  const auto scalars = scalars_of(root);
  for (auto& fault : faults) {
    answer.faults.push_back(
        {fault.line, std::move(fault.path), without_values(std::move(fault.message), scalars)});
  }
  if (!answer.faults.empty()) {
    answer.outcome = EditOutcome::faulty;
    answer.message = "the text has faults; the file is as before";
    return answer;
  }
  for (auto& reason : gateway_.reasons_against(next)) {
    answer.faults.push_back({0, "", std::move(reason)});
  }
  if (answer.faults.empty()) return answer;
  answer.outcome = EditOutcome::refused;
  answer.message = fmt::format("the gateway would refuse it, so the file is as before: {}",
                               answer.faults.front().message);
  return answer;
}

Task<EditAnswer> ConfigurationEditor::edit_here(ConfigurationEdit edit) {
  if (!is_on()) co_return failure(EditOutcome::off, std::string(kOff));
  if (busy_) co_return failure(EditOutcome::busy, "another change is being applied; try again");
  const Busy busy(busy_);
  // From here until the file is written, nothing else runs on this thread.
  const auto timeout = gateway_.running.settings.console.apply_timeout;
  auto idle = co_await gateway_.reloads.wait_empty(here().now() + timeout);
  if (!idle) co_return failure(EditOutcome::busy, "a reload is in progress; try again");
  Candidate candidate = examine(edit);
  if (candidate.answer.outcome != EditOutcome::permitted || edit.only_checks) {
    co_return std::move(candidate.answer);
  }
  if (candidate.text == candidate.before.text) {
    candidate.answer.outcome = EditOutcome::unchanged;
    co_return std::move(candidate.answer);
  }
  auto storing = store(std::move(candidate), std::move(edit.by));
  co_return co_await storing;
}

Task<EditAnswer> ConfigurationEditor::store(Candidate candidate, std::string by) {
  const std::string file = gateway_.running.file;
  auto staged = stage(candidate.before, file, candidate.text);
  if (!staged) co_return failure(EditOutcome::unwritable, staged.error().message);
  auto answer = load(*staged, candidate.answer);
  if (answer.outcome != EditOutcome::permitted) co_return answer;
  const std::string backup = file + ".bak";
  auto copied = stage(candidate.before, backup, candidate.before.text);
  auto stored = copied ? copied->commit() : copied.error();
  if (stored) stored = staged->commit();
  if (!stored) {
    co_return failure(EditOutcome::unwritable,
                      fmt::format("the file cannot be replaced: {}", stored.error().message));
  }
  log::Line(log::Level::info, "configuration written").add("file", file).add("by", by);
  candidate.answer.backup = backup;
  gateway_.reload("applied in the console by " + by);
  const auto timeout = gateway_.running.settings.console.apply_timeout;
  auto waited = co_await gateway_.reloads.wait_empty(here().now() + timeout);
  candidate.answer.tag = tag_of(candidate.text);
  if (!waited && gateway_.running.text != candidate.text) {
    candidate.answer.outcome = EditOutcome::applying;
    co_return std::move(candidate.answer);
  }
  co_return conclude(candidate);
}

EditAnswer ConfigurationEditor::conclude(const Candidate& candidate) {
  EditAnswer answer = candidate.answer;
  if (gateway_.running.text == candidate.text) {
    answer.outcome = answer.changes.empty() ? EditOutcome::unchanged : EditOutcome::applied;
    return answer;
  }
  // It was loaded before, so that something else has changed meanwhile.
  auto now = read();
  if (!now || now->text != candidate.text) {
    return failure(EditOutcome::stale,
                   gateway_.running.file + " was changed again before it was reloaded");
  }
  return take_back(candidate, "the gateway has refused the file");
}

EditAnswer ConfigurationEditor::take_back(const Candidate& candidate, std::string why) {
  auto staged = stage(candidate.before, gateway_.running.file, candidate.before.text);
  auto restored = staged ? staged->commit() : staged.error();
  why += restored ? ", which is as before; the reloads have the reason"
                  : fmt::format(", and it could not be restored ({}); {} has what it was",
                                restored.error().message, candidate.answer.backup);
  return failure(EditOutcome::refused, std::move(why));
}

}  // namespace patchbay::app
