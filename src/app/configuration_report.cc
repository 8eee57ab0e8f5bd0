#include "app/configuration_report.h"

#include <algorithm>
#include <chrono>

#include "app/configuration_text.h"
#include "config/describe.h"
#include "config/fields.h"
#include "config/load.h"

namespace patchbay::app {
namespace {

using frontends::SettingLine;

// What the command line has set overrides the file.
void override_line(std::vector<SettingLine>& lines, std::string_view path, std::string value) {
  const auto known = std::ranges::find(lines, path, &SettingLine::path);
  SettingLine line{.path = std::string(path), .value = std::move(value), .source = "option"};
  if (known == lines.end()) {
    lines.push_back(std::move(line));
  } else {
    *known = std::move(line);
  }
}

}  // namespace

void ConfigurationReport::use(const Configuration& configuration, const Overrides& overrides) {
  const std::lock_guard lock(mutex_);
  file_ = configuration.file;
  text_ = configuration.text;
  digest_ = configuration.digest;
  overrides_ = overrides;
  editable_ = configuration.settings.console.edit;
  most_reloads_ = static_cast<std::size_t>(configuration.settings.reload.max_history);
  if (reloads_.size() > most_reloads_) reloads_.resize(most_reloads_);
}

void ConfigurationReport::add_reload(std::string why, bool applied,
                                     std::vector<std::string> details) {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  const std::lock_guard lock(mutex_);
  reloads_.push_front({std::chrono::duration_cast<std::chrono::milliseconds>(since).count(),
                       std::move(why), applied, applied ? digest_ : "", std::move(details)});
  if (reloads_.size() > most_reloads_) reloads_.resize(most_reloads_);
}

frontends::ConfigurationPage ConfigurationReport::page() const {
  frontends::ConfigurationPage page;
  std::string text;
  Overrides overrides;
  {
    const std::lock_guard lock(mutex_);
    page.file = file_;
    page.digest = digest_;
    page.editable = editable_;
    page.reloads.assign(reloads_.begin(), reloads_.end());
    text = text_;
    overrides = overrides_;
  }
  config::Faults faults;
  config::Faults notes;
  config::Node root = config::parse_text(text, page.file, faults);
  const auto scalars = scalars_of(root);
  if (!page.file.empty()) page.text = without_secrets(text, scalars);
  if (!page.text) {
    page.no_text = page.file.empty() ? "there is no file: all settings have their defaults"
                                     : "a secret in it spans lines or is written with escapes, so "
                                       "the text cannot be shown without it";
  }
  config::apply_aliases(config::fields<Settings>(), root, {page.file, "", faults}, notes);
  page.settings = effective_settings(root);
  if (!overrides.listen.empty()) override_line(page.settings, "listen", overrides.listen);
  if (!overrides.tls_listen.empty()) {
    override_line(page.settings, "tls.listen", overrides.tls_listen);
  }
  if (!overrides.wire_listen.empty()) {
    override_line(page.settings, "wire.tcp", overrides.wire_listen);
  }
  return page;
}

const std::string& ConfigurationReport::schema() const {
  static const std::string kSchema =
      config::to_json_schema(configuration_shape(), "Patchbay configuration", "");
  return kSchema;
}

std::vector<frontends::TextFault> ConfigurationReport::check(std::string_view text) const {
  std::string name;
  {
    const std::lock_guard lock(mutex_);
    name = file_.empty() ? "patchbay.yaml" : file_;
  }
  return check_text(text, name);
}

}  // namespace patchbay::app
