#include "oauth/token_service.h"

#include <fmt/format.h>

#include <algorithm>

#include "async/hop.h"
#include "oauth/exchange.h"
#include "oauth/no_token.h"
#include "observe/log.h"

namespace patchbay::oauth {
namespace {

// Sources of callers. Beyond this, those without a connection are dropped.
constexpr std::size_t kMostSources = 10'000;
constexpr auto kShutdown = std::chrono::seconds(3);

// The owner of the token: the caller, or all callers.
const Caller& owner_of(const Plan& plan, const Caller& caller) {
  static const Caller all = local_caller();
  return plan.per_caller ? caller : all;
}

// Empty for the gateway itself.
std::string caller_key(const Principal& caller) {
  return caller.id == Principal().id ? "" : CallerTokens::key_of(caller);
}

std::string_view name_of(Kind kind) {
  const auto* const choice =
      std::ranges::find(config::choices<Kind>, kind, &config::Choice<Kind>::value);
  return choice->name;
}

// Distinguishes the owners of tokens.
std::string key_of(const Plan& plan, const Principal& owner) {
  return plan.settings.kind == Kind::token_exchange ? CallerTokens::key_of(owner) : owner.id;
}

}  // namespace

Access::~Access() { service_.close(*plan_); }

std::shared_ptr<transport::Credentials> Access::credentials(const Caller& caller) const {
  return service_.source(plan_, caller);
}

std::string Access::mark(const Principal& caller) const {
  if (plan_->settings.kind != Kind::token_exchange) return {};
  return "\n" + CallerTokens::key_of(caller);
}

Task<SignInOffer> Access::offer(Caller caller) const {
  return service_.offer(plan_->upstream, std::move(caller));
}

Task<void> Access::wait(std::string id, Deadline deadline) const {
  return service_.wait(std::move(id), deadline);
}

TokenService::TokenService(Executor& control, metrics::Registry& registry)
    : context_{control, registry} {}
TokenService::~TokenService() = default;

void TokenService::use(const SignInSettings& settings, const std::string& listener) {
  redirect_endpoint_.base = settings.url.empty() ? listener : settings.url;
  while (redirect_endpoint_.base.ends_with('/')) redirect_endpoint_.base.pop_back();
  redirect_endpoint_.name = settings.name;
  redirect_endpoint_.require_credentials = settings.require_credentials;
  sign_ins_.set_bounds(settings);
}

std::shared_ptr<Access> TokenService::open(std::shared_ptr<const Plan> plan) {
  if (plan->settings.kind == Kind::token_exchange) caller_tokens_.want();
  const bool for_people = plan->settings.kind == Kind::authorization_code;
  if (for_people && open_redirect_endpoint_ && redirect_endpoint_.base.empty()) {
    redirect_endpoint_.base = open_redirect_endpoint_();
    context_.wanted = [this](SourcePtr source) {
      context_.tasks.spawn(announce(std::move(source)));
    };
  }
  {
    const std::lock_guard lock(mutex_);
    plans_[plan->upstream] = plan;
  }
  return std::make_shared<Access>(*this, std::move(plan));
}

std::unique_ptr<Supplier> TokenService::supplier_for(const PlanPtr& plan, const Caller& caller) {
  switch (plan->settings.kind) {
    case Kind::bearer:
      return std::make_unique<ConfiguredToken>(plan);
    case Kind::client_credentials:
      return std::make_unique<OwnToken>(plan);
    case Kind::jwt_bearer:
      return std::make_unique<AssertedToken>(plan);
    case Kind::token_exchange:
      return std::make_unique<ExchangedToken>(plan, caller_key(*caller), caller_tokens_);
    case Kind::authorization_code:
      break;
  }
  return std::make_unique<SignInToken>(plan, caller, *records_, redirect_endpoint_);
}

TokenService::SourcePtr TokenService::source(const PlanPtr& plan, const Caller& caller) {
  const Caller& owner = owner_of(*plan, caller);
  const std::lock_guard lock(mutex_);
  auto& source = sources_[{plan.get(), key_of(*plan, *owner)}];
  if (source) return source;
  source = std::make_shared<TokenSource>(context_, plan, supplier_for(plan, owner));
  SourcePtr made = source;
  if (sources_.size() > kMostSources) {
    std::erase_if(sources_, [](const auto& entry) { return entry.second.use_count() == 1; });
  }
  return made;
}

void TokenService::close(const Plan& plan) {
  const std::lock_guard lock(mutex_);
  std::erase_if(sources_, [&](const auto& entry) { return entry.first.first == &plan; });
}

TokenService::PlanPtr TokenService::find_any_plan(const std::string& upstream) {
  const std::lock_guard lock(mutex_);
  const auto found = plans_.find(upstream);
  return found == plans_.end() ? nullptr : found->second.lock();
}

TokenService::PlanPtr TokenService::find_plan(const std::string& upstream) {
  auto plan = find_any_plan(upstream);
  return plan && plan->settings.kind == Kind::authorization_code ? plan : nullptr;
}

// A renewal in progress may have used up its refresh token, so it is worth waiting for the answer.
Task<void> TokenService::stop() {
  auto drained = co_await context_.tasks.drain(Clock::now() + kShutdown);
  if (drained) co_return drained;
  context_.tasks.cancel();
  co_return co_await context_.tasks.drain(kNever);
}

// ---- Signing in; each of these hops to the control thread.

std::optional<bool> TokenService::is_shared(const std::string& upstream) {
  const PlanPtr plan = find_plan(upstream);
  if (!plan) return std::nullopt;
  return !plan->per_caller;
}

Task<std::optional<TokenReport>> TokenService::report(std::string upstream, Caller caller) {
  auto there = [this, upstream, caller]() -> Task<std::optional<TokenReport>> {
    co_return report_here(upstream, caller);
  };
  co_return co_await hop<std::optional<TokenReport>>(context_.executor, there);
}

std::optional<TokenReport> TokenService::report_here(const std::string& upstream,
                                                     const Caller& caller) {
  const PlanPtr plan = find_any_plan(upstream);
  if (!plan) return std::nullopt;
  TokenReport report{.kind = name_of(plan->settings.kind),
                     .interactive = plan->settings.kind == Kind::authorization_code,
                     .per_caller = plan->per_caller};
  const std::string own = key_of(*plan, *owner_of(*plan, caller));
  const std::lock_guard lock(mutex_);
  for (const auto& [key, source] : sources_) {
    if (key.first != plan.get()) continue;
    const auto status = source->status();
    if (status.has_token) ++report.holders;
    if (key.second != own) continue;
    report.used = true;
    report.has_token = status.has_token;
    report.expires_in = status.expires_in;
    if (status.has_token || !status.failure) continue;
    report.wants_sign_in = wants_sign_in(*status.failure);
    report.failure = status.failure->message;
  }
  return report;
}

Task<SignInOffer> TokenService::offer(std::string upstream, Caller caller, bool for_gateway) {
  auto there = [this, upstream, caller, for_gateway] {
    return offer_here(upstream, caller, for_gateway);
  };
  co_return co_await hop<SignInOffer>(context_.executor, there);
}

Task<SignInOffer> TokenService::offer_here(std::string upstream, Caller caller, bool for_gateway) {
  const PlanPtr plan = find_plan(upstream);
  if (!plan) {
    co_return Error{Code::not_found,
                    fmt::format("there is no upstream '{}' with interactive sign-in", upstream)};
  }
  const SourcePtr of = source(plan, for_gateway ? local_caller() : caller);
  TokenRequirements requirements = of->requirements();
  // The upstream has sent its challenge to the gateway's own connection.
  if (!requirements.challenge)
    requirements.challenge = source(plan, local_caller())->requirements().challenge;
  auto id = co_await sign_ins_.offer(of, std::move(requirements), caller);
  if (!id) co_return id.error();
  SignInOffer offer{*id, sign_ins_.url_of(*id)};
  co_return offer;
}

Task<void> TokenService::announce(SourcePtr source) {
  TokenRequirements requirements = source->requirements();
  auto id = co_await sign_ins_.offer(source, std::move(requirements), local_caller());
  if (!id) {
    log::Line(log::Level::error, "sign-in impossible")
        .add("upstream", source->plan().upstream)
        .add("why", id.error().message);
    co_return id.error();
  }
  log::Line(log::Level::info, "sign-in required")
      .add("upstream", source->plan().upstream)
      .add("url", sign_ins_.url_of(*id));
  co_return ok();
}

Task<void> TokenService::wait(std::string id, Deadline deadline) {
  auto there = [this, id, deadline] { return sign_ins_.wait(id, deadline); };
  co_return co_await hop<void>(context_.executor, there);
}

Task<SignInState> TokenService::state(std::string id) {
  auto there = [this, id]() -> Task<SignInState> { co_return sign_ins_.state(id); };
  co_return co_await hop<SignInState>(context_.executor, there);
}

Task<void> TokenService::forget(std::string upstream, Caller caller, bool for_gateway) {
  auto there = [this, upstream, caller, for_gateway] {
    return forget_here(upstream, caller, for_gateway);
  };
  co_return co_await hop<void>(context_.executor, there);
}

Task<void> TokenService::forget_here(std::string upstream, Caller caller, bool for_gateway) {
  const PlanPtr plan = find_plan(upstream);
  if (!plan) {
    co_return Error{Code::not_found,
                    fmt::format("there is no upstream '{}' with interactive sign-in", upstream)};
  }
  const Caller owner = owner_of(*plan, for_gateway ? local_caller() : caller);
  auto record = policy::event_record(policy::kSignInEvent, *owner);
  record.method = "forget";
  record.upstream = upstream;
  record.by = caller->name;
  redirect_endpoint_.audit(std::move(record));
  const SourcePtr of = source(plan, owner);
  auto forgotten = co_await static_cast<SignInToken&>(of->supplier()).forget();
  of->forget();
  co_return forgotten;
}

Task<SignInPage> TokenService::page(std::string id) {
  auto there = [this, id]() -> Task<SignInPage> { co_return sign_ins_.page(id); };
  co_return co_await hop<SignInPage>(context_.executor, there);
}

Task<AuthorizationRedirect> TokenService::authorization_redirect(std::string id) {
  auto there = [this, id]() -> Task<AuthorizationRedirect> {
    co_return sign_ins_.authorization_redirect(id);
  };
  co_return co_await hop<AuthorizationRedirect>(context_.executor, there);
}

Task<std::string> TokenService::handle_callback(CallbackRequest arrival) {
  auto there = [this, &arrival] { return sign_ins_.handle_callback(arrival); };
  co_return co_await hop<std::string>(context_.executor, there);
}

Task<std::string> TokenService::document(std::string upstream) {
  auto there = [this, upstream]() -> Task<std::string> {
    const std::string id = find_plan(upstream) ? redirect_endpoint_.document(upstream) : "";
    if (id.empty()) co_return Error{Code::not_found, "there is nothing at this path"};
    co_return client_document(id, {redirect_endpoint_.name, redirect_endpoint_.callback(upstream)});
  };
  co_return co_await hop<std::string>(context_.executor, there);
}

}  // namespace patchbay::oauth
