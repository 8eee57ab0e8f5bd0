// The ConfigurationEditor replaces the configuration file by a text that an admin has edited
// (frontends/configuration_editor.h), if it changes nothing that only the machine of the gateway
// may change (editable_settings.h), and has the gateway reload it.
//
// Lives on the control thread, to which the functions of the interface hop.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/configuration.h"
#include "app/staged_file.h"
#include "async/executor.h"
#include "async/gate.h"
#include "crypto/keyed_digest.h"
#include "frontends/configuration_editor.h"

namespace patchbay::app {

// What the editor needs of the gateway.
struct EditedGateway {
  const Configuration& running;
  const Overrides& overrides;
  Gate& reloads;  // Not empty while one is in progress.
  // Why a configuration without faults would be refused.
  std::function<std::vector<std::string>(const Configuration& next)> reasons_against;
  std::function<void(std::string why)> reload;  // Begins one, or has the one in progress repeated.
};

class ConfigurationEditor final : public frontends::ConfigurationEditor {
 public:
  // REQUIRES: what is referred to outlives this.
  ConfigurationEditor(Executor& control, policy::Digester digester, EditedGateway gateway)
      : control_(control), digester_(digester), gateway_(std::move(gateway)) {}

  Task<frontends::EditableText> text() override;
  Task<frontends::EditAnswer> edit(frontends::ConfigurationEdit edit) override;

 private:
  using EditAnswer = frontends::EditAnswer;

  // The file as it is.
  struct File {
    std::string text;
    struct stat status{};
  };
  // A text that may be stored.
  struct Candidate {
    File before;
    std::string text;
    EditAnswer answer;  // So far; another outcome than `permitted`: it may not be.
  };

  bool is_on() const;
  Result<File> read() const;
  std::string tag_of(std::string_view text) const;
  Result<frontends::EditableText> text_here() const;
  Candidate examine(const frontends::ConfigurationEdit& edit) const;
  Result<StagedFile> stage(const File& before, const std::string& path,
                           std::string_view text) const;
  EditAnswer load(const StagedFile& staged, EditAnswer answer) const;
  Task<EditAnswer> edit_here(frontends::ConfigurationEdit edit);
  Task<EditAnswer> store(Candidate candidate, std::string by);
  EditAnswer conclude(const Candidate& candidate);
  EditAnswer take_back(const Candidate& candidate, std::string why);

  Executor& control_;
  const policy::Digester digester_;  // So that tags say nothing about secrets.
  const EditedGateway gateway_;
  bool busy_ = false;
};

}  // namespace patchbay::app
