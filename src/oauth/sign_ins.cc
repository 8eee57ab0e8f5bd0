#include "oauth/sign_ins.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>

#include "core/ids.h"
#include "core/text.h"
#include "net/http/syntax/url.h"
#include "observe/log.h"

namespace patchbay::oauth {
namespace {

// Sign-ins that one caller may always begin, however small the maximum is.
constexpr int kLeastShare = 16;

Error unknown() {
  return {Code::not_found, "there is no sign-in at this link; it may have expired"};
}

bool same_secret(const std::string& a, const std::string& b) {
  return a.size() == b.size() && !a.empty() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

SignInToken& supplier_of(TokenSource& source) {
  return static_cast<SignInToken&>(source.supplier());
}

policy::AuditRecord record_of(const SignIn& sign_in, std::string_view what) {
  auto record = policy::event_record(policy::kSignInEvent, *sign_in.caller);
  record.method = what;
  record.upstream = sign_in.upstream;
  record.target = sign_in.found.server.issuer;
  return record;
}

// The value of a cookie in the header; empty if it is not there.
std::string cookie(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const std::size_t end = std::min(header.find(';'), header.size());
    const std::string_view one = trimmed(header.substr(0, end));
    const std::size_t equals = one.find('=');
    if (equals != std::string_view::npos && one.substr(0, equals) == name) {
      return std::string(one.substr(equals + 1));
    }
    header.remove_prefix(std::min(end + 1, header.size()));
  }
  return {};
}

}  // namespace

std::string SignIns::url_of(const std::string& id) const {
  return fmt::format("{}/oauth/sign-in/{}", redirect_endpoint_.base, id);
}

Task<std::string> SignIns::offer(std::shared_ptr<TokenSource> source,
                                 TokenRequirements requirements, Caller caller) {
  sweep();
  for (const auto& [id, pending] : pending_) {
    const bool same = pending->source == source && !pending->over;
    // The call may now need more scopes than the offered sign-in requests.
    if (same && has_scopes(pending->sign_in.scopes, requirements.more)) co_return id;
  }
  if (auto room = make_room(); !room) co_return room.error();
  auto prepared = co_await supplier_of(*source).prepare(std::move(requirements));
  if (!prepared) co_return prepared.error();
  // Others may have come meanwhile.
  auto room = check_share(*prepared->caller);
  if (room) room = make_room();
  if (!room) co_return room.error();
  auto pending = std::make_shared<Pending>(*std::move(prepared), source);
  pending->sign_in.id = random_hex(16);
  pending->sign_in.expires = Clock::now() + time_;
  const std::string id = pending->sign_in.id;
  log::Line(log::Level::info, "sign-in offered")
      .add("upstream", pending->sign_in.upstream)
      .add("who", pending->sign_in.caller->name)
      .add("issuer", pending->sign_in.found.server.issuer);
  auto record = record_of(pending->sign_in, "offer");
  record.by = caller->name;
  redirect_endpoint_.audit(std::move(record));
  pending_.emplace(id, std::move(pending));
  co_return id;
}

void SignIns::set_bounds(const SignInSettings& settings) {
  time_ = settings.time;
  most_ = static_cast<std::size_t>(settings.most);
  most_of_caller_ = settings.most_of_caller > 0 ? settings.most_of_caller
                                                : std::max(kLeastShare, settings.most / 4);
}

// What is over is there for those who ask how it ended; it makes way.
Result<void> SignIns::make_room() {
  if (pending_.size() < most_) return ok();
  const auto over =
      std::ranges::find_if(pending_, [](const auto& one) { return one.second->over; });
  if (over == pending_.end()) {
    return Error{Code::overloaded,
                 "too many people are signing in; try again later (sign_in.max_pending)"};
  }
  pending_.erase(over);
  return ok();
}

// One caller must not use up the maximum of all.
Result<void> SignIns::check_share(const Principal& caller) const {
  const auto own = std::ranges::count_if(pending_, [&](const auto& entry) {
    return !entry.second->over && entry.second->sign_in.caller->id == caller.id;
  });
  if (own < most_of_caller_) return ok();
  return Error{Code::rate_limited,
               "this caller has too many pending sign-ins; finish some, or try again later "
               "(sign_in.max_pending_per_caller)"};
}

SignIns::Pending* SignIns::find(const std::string& id) {
  sweep();
  const auto found = pending_.find(id);
  return found == pending_.end() ? nullptr : found->second.get();
}

Result<SignInPage> SignIns::page(const std::string& id) {
  const Pending* const pending = find(id);
  if (!pending || pending->over) return unknown();
  const SignIn& sign_in = pending->sign_in;
  auto endpoint = net::parse_url(sign_in.found.server.authorization_endpoint);
  if (!endpoint) return Error{Code::upstream_failed, endpoint.error().message};
  return SignInPage{sign_in.upstream,
                    sign_in.caller->name,
                    sign_in.found.server.issuer,
                    sign_in.scopes,
                    endpoint->origin(),
                    sign_in.caller->id,
                    redirect_endpoint_.require_credentials};
}

Result<AuthorizationRedirect> SignIns::authorization_redirect(const std::string& id) {
  Pending* const pending = find(id);
  if (!pending || pending->over) return unknown();
  std::string url = begin(pending->sign_in);
  const bool secure = redirect_endpoint_.base.starts_with("https://");
  return AuthorizationRedirect{
      std::move(url),
      fmt::format("{}={}; Path={}; HttpOnly; SameSite=Lax{}", cookie_name(id),
                  pending->sign_in.browser, secure ? "/" : "/oauth", secure ? "; Secure" : "")};
}

// One cookie each, so that several sign-ins can run at the same time.
std::string SignIns::cookie_name(const std::string& id) const {
  return fmt::format("{}patchbay-{}",
                     redirect_endpoint_.base.starts_with("https://") ? "__Host-" : "", id);
}

Task<void> SignIns::wait(std::string id, Deadline deadline) {
  sweep();
  const auto found = pending_.find(id);
  if (found == pending_.end()) co_return unknown();
  const auto pending = found->second;  // Keeps it alive during the wait.
  if (!pending->over) {
    OneShot<void> update;
    pending->waiting.push_back(&update);
    auto waited = co_await update.wait(std::min(deadline, pending->sign_in.expires));
    std::erase(pending->waiting, &update);
    if (!waited) co_return waited;
  }
  if (pending->why.empty()) co_return ok();
  co_return Error{Code::forbidden, pending->why};
}

Result<SignInState> SignIns::state(const std::string& id) {
  const Pending* const pending = find(id);
  if (!pending) return unknown();
  std::string text = pending->over ? "done" : "waiting";
  if (!pending->why.empty()) text = pending->why;
  return SignInState{std::move(text), pending->sign_in.caller->id};
}

Result<SignIns::Pending*> SignIns::find_returning(const CallbackRequest& arrival) {
  sweep();
  const auto state = arrival.returned.find("state");
  if (state == arrival.returned.end()) return unknown();
  for (const auto& [id, pending] : pending_) {
    SignIn& sign_in = pending->sign_in;
    if (pending->over || !same_secret(sign_in.state, state->second)) continue;
    sign_in.state.clear();  // Single-use.
    if (sign_in.upstream != arrival.upstream) return unknown();
    if (!same_secret(sign_in.browser, cookie(arrival.cookies, cookie_name(id)))) {
      return Error{Code::forbidden, "this browser has not started the sign-in"};
    }
    // For the gateway itself an admin signs in, whose role was checked at the start.
    const bool own = sign_in.caller->id == Principal().id;
    if (arrival.caller && !own && arrival.caller->id != sign_in.caller->id) {
      return Error{Code::forbidden, "this sign-in belongs to another caller"};
    }
    return pending.get();
  }
  return unknown();
}

Task<std::string> SignIns::handle_callback(CallbackRequest arrival) {
  auto found = find_returning(arrival);
  if (!found) co_return found.error();
  const auto pending = pending_.find((*found)->sign_in.id)->second;
  auto code = code_of(pending->sign_in, arrival.returned);
  if (!code) {
    end(*pending, arrival, code.error().message);
    co_return code.error();
  }
  auto& supplier = supplier_of(*pending->source);
  auto answer = co_await supplier.complete(pending->sign_in, *std::move(code));
  if (!answer) {
    end(*pending, arrival, answer.error().message);
    co_return answer.error();
  }
  pending->source->supply(*answer);
  end(*pending, arrival, "");
  co_return std::move(arrival.upstream);
}

void SignIns::end(Pending& pending, const CallbackRequest& arrival, std::string why) {
  auto record = record_of(pending.sign_in, "complete");
  record.from = arrival.from;
  if (arrival.caller) record.by = arrival.caller->name;
  if (!why.empty()) record.outcome = info(Code::forbidden).name;
  redirect_endpoint_.audit(std::move(record));
  log::Line(why.empty() ? log::Level::info : log::Level::warn,
            why.empty() ? "signed in" : "not signed in")
      .add("upstream", pending.sign_in.upstream)
      .add("who", pending.sign_in.caller->name)
      .add("issuer", pending.sign_in.found.server.issuer)
      .add("why", why);
  pending.over = true;
  pending.why = std::move(why);
  for (OneShot<void>* const one : std::exchange(pending.waiting, {})) one->deliver(ok());
}

void SignIns::sweep() {
  std::erase_if(pending_,
                [](const auto& entry) { return Clock::now() >= entry.second->sign_in.expires; });
}

}  // namespace patchbay::oauth
