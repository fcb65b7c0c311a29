// run_control.cpp: what a person can ask of a run while it trains.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <exception>

#include "base/error.hpp"
#include "base/log.hpp"
#include "manifest/json.hpp"
#include "session/run.hpp"

namespace broch::session {

using manifest::Value;

namespace {

constexpr char kBroken = '!';  // before what is no refusal

}  // namespace

// Rank 0 answers. A folder that cannot have sockets is no reason not to train.
std::unique_ptr<ControlServer> Run::serve_control() {
  if (!log_dir_) return nullptr;
  ControlServer::Parts parts;
  parts.status = [this] { return status(); };
  parts.global_step = [this] { return train::load_global_step(progress_); };
  parts.notify = [this] { interrupt_.request_control(); };
  parts.perform = [this](const ControlRequest& request) { return perform(request); };
  parts.stop = [this] { interrupt_.take(SIGTERM); };
  try {
    return std::make_unique<ControlServer>(log_dir(), std::move(parts));
  } catch (const base::Error& error) {
    base::warning("broch ctl will not reach this training: " + std::string(error.what()));
    return nullptr;
  }
}

Value Run::status() {
  Value stats{Value::Object{}};
  for (const std::string& name : trainer_->monitors().names()) {
    const double last = trainer_->monitors().latest(name)->value;
    stats.set(name, std::isfinite(last) ? Value(last) : Value());
  }
  Value status{Value::Object{}};
  status.set("pid", Value(record_.pid));
  status.set("started", Value(record_.started));
  status.set("epoch_num", Value(progress_.epoch_num));
  status.set("max_epoch", Value(progress_.max_epoch));
  status.set("steps_per_epoch", Value(progress_.steps_per_epoch));
  status.set("global_step", Value(progress_.global_step));
  status.set("stats", std::move(stats));
  status.set("settable", changes_->settable());
  return status;
}

Value Run::perform(const ControlRequest& request) {
  Value answer{Value::Object{}};
  if (request.what == ControlRequest::What::save) {
    try {
      answer.set("checkpoint", Value(checkpoints_->save().string()));
    } catch (const base::Error& error) {
      throw Refused(error.exit(), error.what());  // a full disk is no reason to end
    }
    return answer;
  }
  const Changes::Done done = set(request.name, request.value);
  answer.set("name", Value(done.name));
  answer.set("before", done.before);
  answer.set("now", done.now);
  return answer;
}

// All ranks come here between the same two steps. Rank 0 says what is to be set, a line at a time;
// it may be busy for long in between.
void Run::take_control_requests(ControlServer* control) {
  if (options_.group && !options_.group->any(interrupt_.control_requested())) {
    if (control) control->publish();
    return;
  }
  interrupt_.take_control_requests();
  if (options_.rank == 0) {
    if (control) control->take();
    if (options_.group) options_.group->any(false);
    return;
  }
  while (options_.group->any(false)) settle(try_line(options_.group->all_gather("").front()));
}

Changes::Done Run::set(const std::string& name, const std::string& value) {
  if (!options_.group || !changes_->knows(name)) {  // a name that is not known is refused by this
    Changes::Done done = changes_->set(name, value);
    tell(done);
    return done;
  }
  options_.group->any(true);
  const std::string line = options_.group->all_gather(name + "=" + value).front();
  Attempt attempt = try_line(line);
  settle(attempt);
  return *attempt.done;
}

void Run::tell(const Changes::Done& done) {
  base::info("control: at global_step=" + std::to_string(progress_.global_step) + ", " + done.name +
             " changes from " + manifest::to_text(done.before) + " to " +
             manifest::to_text(done.now));
  try {
    note_settings();
  } catch (const base::Error& error) {
    base::warning("run.json does not say so: " + std::string(error.what()));
  }
}

// What runs on other ranks alone is none of this one's.
Run::Attempt Run::try_line(const std::string& line) {
  const size_t sign = line.find('=');
  const std::string name = line.substr(0, sign);
  Attempt attempt;
  try {
    if (changes_->knows(name)) attempt.done = changes_->set(name, line.substr(sign + 1));
  } catch (const Refused& refused) {
    attempt.failure = std::to_string(int(refused.exit())) + " " + refused.what();
  } catch (const std::exception& error) {
    attempt.failure = kBroken + std::string(error.what());
  }
  return attempt;
}

// All ranks have taken it, or all have what they had. What breaks on one ends all of them. Rank 0
// tells of a refusal.
void Run::settle(const Attempt& attempt) {
  const std::vector<std::string> failures = options_.group->all_gather(attempt.failure);
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
  if (options_.rank != 0) return;
  const std::string rank =
      first == failures.begin()
          ? ""
          : "rank " + std::to_string(first - failures.begin()) + " refuses it: ";
  throw Refused(base::Exit(std::stoi(*first)), rank + first->substr(first->find(' ') + 1));
}

// On all ranks: what went wrong on one of them, "" if nothing did.
std::string Run::taken_back(const Attempt& attempt) {
  std::string failure;
  try {
    if (attempt.done) attempt.done->take_back();
  } catch (const std::exception& error) {
    failure = error.what();
  }
  for (const std::string& one : options_.group->all_gather(failure))
    if (!one.empty()) return one;
  return "";
}

}  // namespace broch::session
