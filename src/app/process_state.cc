#include "app/process_state.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "app/configuration.h"
#include "crypto/key_file.h"
#include "observe/log.h"
#include "store/embedded_store.h"
#include "store/redis/redis_store.h"

namespace patchbay::app {
namespace {

std::string text_of(const policy::Sealer::Key& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

Result<std::string> stored_secret(const std::string& folder) {
  std::error_code fault;
  if (std::filesystem::create_directories(folder, fault)) ::chmod(folder.c_str(), 0700);
  if (fault) {
    return Error{Code::internal,
                 fmt::format("cannot create the folder {}: {}", folder, fault.message())};
  }
  auto key = policy::key_in(folder);
  if (!key) return key.error();
  return text_of(*key);
}

}  // namespace

Result<ProcessState::Secrets> ProcessState::secrets_of(const Settings& settings) {
  if (!settings.cluster.keys.empty()) return Secrets{settings.cluster.keys};
  // With it, no key is in the state folder.
  if (!settings.sign_in.key.empty()) {
    auto key = policy::parse_key(settings.sign_in.key);
    if (!key) return key.error();
    const std::string secret = text_of(*key);
    return Secrets{{secret}, secret};
  }
  const std::string folder = state_folder(settings);
  std::string why = "there is no state folder";
  if (!folder.empty()) {
    auto stored = stored_secret(folder);
    if (stored) return Secrets{{*stored}, *stored};
    why = stored.error().message;
  }
  auto random = policy::Keyring::random_secret();
  if (!random) return random.error();
  return Secrets{{*random}, *random, std::move(why)};
}

Result<std::unique_ptr<ProcessState>> ProcessState::open(const Settings& settings) {
  auto secrets = secrets_of(settings);
  if (!secrets) return secrets.error();
  std::unique_ptr<ProcessState> state(new ProcessState(*std::move(secrets)));
  auto store = open_store(settings, state->keys_);
  if (!store) return store.error();
  state->store_ = *std::move(store);
  state->use_bounds(settings.cluster);
  return state;
}

Result<std::unique_ptr<store::Store>> ProcessState::open_store(const Settings& settings,
                                                               const policy::Keyring& keys) {
  if (settings.cluster.store == StoreKind::redis) {
    auto store = store::RedisStore::open(settings.cluster.redis, keys);
    if (!store) return store.error();
    return std::unique_ptr<store::Store>(*std::move(store));
  }
  auto store = store::EmbeddedStore::open(state_folder(settings), keys);
  if (!store) return store.error();
  return std::unique_ptr<store::Store>(*std::move(store));
}

void ProcessState::use_bounds(const ClusterSection& section) {
  store_->set_bounds(
      {static_cast<std::size_t>(section.max_store_queue), section.max_store_size.value});
}

void ProcessState::update(const Settings& settings) {
  use_bounds(settings.cluster);
  if (settings.cluster.keys.empty()) return;
  Secrets next{settings.cluster.keys, secrets_.own};
  if (!next.own.empty()) next.all.push_back(next.own);
  if (next.all == secrets_.all) return;
  keys_.use(next.all);
  secrets_ = std::move(next);
}

void ProcessState::log_passing() const {
  if (passing().empty()) return;
  log::Line(log::Level::info, "state ends with the process")
      .add("why", passing())
      .add("hint",
           "after a restart clients have to begin anew; set `state`, the folder for persistent "
           "state");
}

}  // namespace patchbay::app
