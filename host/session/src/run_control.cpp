// run_control.cpp: carries out requests of broch ctl on all ranks of a run.
#include "run_control.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <exception>

#include "base/error.hpp"
#include "base/log.hpp"
#include "value/json.hpp"

namespace broch::session {

using value::Value;

namespace {

constexpr char kBroken = '!';  // first character of a failure that is not a refusal

}  // namespace

RunControl::RunControl(Deps deps) : deps_(std::move(deps)), server_(serve()) {}

// Rank 0 alone has a socket.
std::unique_ptr<control::Server> RunControl::serve() {
  if (deps_.log_dir.empty()) return nullptr;
  control::Server::Parts parts;
  parts.status = [this] { return status(); };
  parts.global_step = [this] { return train::load_global_step(*deps_.progress); };
  parts.notify = [this] { deps_.interrupt->request_control(); };
  parts.perform = [this](const control::Request& request) { return perform(request); };
  parts.stop = [this] { deps_.interrupt->take(SIGTERM); };
  try {
    return std::make_unique<control::Server>(deps_.log_dir, std::move(parts));
  } catch (const base::Error& error) {
    base::warning("broch ctl cannot reach this run: " + std::string(error.what()));
    return nullptr;
  }
}

Value RunControl::status() const {
  Value stats{Value::Object{}};
  for (const std::string& name : deps_.trainer->monitors().names()) {
    const double last = deps_.trainer->monitors().latest(name)->value;
    stats.set(name, std::isfinite(last) ? Value(last) : Value());
  }
  Value status{Value::Object{}};
  status.set("pid", Value(deps_.record->pid));
  status.set("started", Value(deps_.record->started));
  status.set("epoch_num", Value(deps_.progress->epoch_num));
  status.set("max_epoch", Value(deps_.progress->max_epoch));
  status.set("steps_per_epoch", Value(deps_.progress->steps_per_epoch));
  status.set("global_step", Value(deps_.progress->global_step));
  status.set("stats", std::move(stats));
  status.set("settable", deps_.changes->settable());
  return status;
}

Value RunControl::perform(const control::Request& request) {
  Value answer{Value::Object{}};
  if (request.what == control::Request::What::save) {
    try {
      answer.set("checkpoint", Value(deps_.checkpoints->save().string()));
    } catch (const base::Error& error) {
      throw control::Refused(error.exit(), error.what());  // a full disk must not end the run
    }
    return answer;
  }
  const Changes::Done done = set(request.name, request.value);
  answer.set("name", Value(done.name));
  answer.set("before", done.before);
  answer.set("now", done.now);
  return answer;
}

// All ranks come here between the same two steps. Rank 0 sends each change as one line, and may do
// other requests in between that take long. any(true): a change follows; any(false): no more.
void RunControl::take_requests() {
  if (deps_.group && !deps_.group->any(deps_.interrupt->control_requested())) {
    if (server_) server_->publish();
    return;
  }
  deps_.interrupt->take_control_requests();
  if (deps_.rank == 0) {
    if (server_) server_->take();
    if (deps_.group) deps_.group->any(false);
    return;
  }
  while (deps_.group->any(false)) settle(try_line(deps_.group->all_gather("").front()));
}

Changes::Done RunControl::set(const std::string& name, const std::string& value) {
  // An unknown name is refused by set on this rank.
  if (!deps_.group || !deps_.changes->knows(name)) {
    Changes::Done done = deps_.changes->set(name, value);
    tell(done);
    return done;
  }
  deps_.group->any(true);
  const std::string line = deps_.group->all_gather(name + "=" + value).front();
  Attempt attempt = try_line(line);
  settle(attempt);
  return *attempt.done;
}

void RunControl::tell(const Changes::Done& done) const {
  base::info("control: at global_step=" + std::to_string(deps_.progress->global_step) + ", " +
             done.name + " changes from " + value::to_text(done.before) + " to " +
             value::to_text(done.now));
  try {
    deps_.settings_changed();
  } catch (const base::Error& error) {
    base::warning("run.json could not be updated: " + std::string(error.what()));
  }
}

// Tries a change on this rank. Does nothing if the name belongs to an instance that runs on other
// ranks only.
RunControl::Attempt RunControl::try_line(const std::string& line) {
  const size_t sign = line.find('=');
  const std::string name = line.substr(0, sign);
  Attempt attempt;
  try {
    if (deps_.changes->knows(name)) attempt.done = deps_.changes->set(name, line.substr(sign + 1));
  } catch (const control::Refused& refused) {
    attempt.failure = std::to_string(int(refused.exit())) + " " + refused.what();
  } catch (const std::exception& error) {
    attempt.failure = kBroken + std::string(error.what());
  }
  return attempt;
}

// Ensures that all ranks have made the change, or none has. An error that is not a refusal ends the
// run on all ranks. A refusal is reported by rank 0.
void RunControl::settle(const Attempt& attempt) {
  const std::vector<std::string> failures = deps_.group->all_gather(attempt.failure);
  const auto first = std::ranges::find_if(failures, [](const auto& one) { return !one.empty(); });
  if (first == failures.end()) {
    if (attempt.done) tell(*attempt.done);
    return;
  }
  std::string broken;
  for (const std::string& failure : failures)
    if (failure.starts_with(kBroken)) broken = failure.substr(1);
  if (broken.empty()) broken = taken_back(attempt);
  if (!broken.empty()) throw base::Error(base::Exit::training, broken);
  if (deps_.rank != 0) return;
  const std::string rank =
      first == failures.begin()
          ? ""
          : "rank " + std::to_string(first - failures.begin()) + " refuses it: ";
  throw control::Refused(base::Exit(std::stoi(*first)), rank + first->substr(first->find(' ') + 1));
}

// Takes the change back on all ranks. Returns the first error on any of them, or "".
std::string RunControl::taken_back(const Attempt& attempt) {
  std::string failure;
  try {
    if (attempt.done) attempt.done->take_back();
  } catch (const std::exception& error) {
    failure = error.what();
  }
  for (const std::string& one : deps_.group->all_gather(failure))
    if (!one.empty()) return one;
  return "";
}

}  // namespace broch::session
