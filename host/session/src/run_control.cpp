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

// Rank 0 answers. A folder that cannot have sockets is no reason not to train.
std::unique_ptr<ControlServer> Run::serve_control() {
  if (!log_dir_) return nullptr;
  ControlServer::Parts parts;
  parts.status = [this] { return status(); };
  parts.global_step = [this] { return train::load_global_step(progress_); };
  parts.wish = [this] { interrupt_.wish(); };
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
    answer.set("checkpoint", Value(checkpoints_->save().string()));
    return answer;
  }
  const Changes::Done done = set(request.name, request.value);
  answer.set("name", Value(done.name));
  answer.set("before", done.before);
  answer.set("now", done.now);
  return answer;
}

// All ranks come here between the same two steps. Rank 0 says what is to be set, a line at a time,
// and an empty one at last.
void Run::take_wishes(ControlServer* control) {
  if (options_.group && !options_.group->any(interrupt_.wished())) return;
  interrupt_.take_wishes();
  if (options_.rank != 0) {
    std::optional<Changes::Done> done;
    while (set_here("", done)) done.reset();
    return;
  }
  if (control) control->take();
  std::optional<Changes::Done> nothing;
  if (options_.group) set_here("", nothing);
}

Changes::Done Run::set(const std::string& name, const std::string& value) {
  std::optional<Changes::Done> done;
  // A name that is not known is refused here, with those that are.
  if (options_.group && changes_->knows(name))
    set_here(name + "=" + value, done);
  else
    tell(*(done = changes_->set(name, value)));
  return *done;
}

void Run::tell(const Changes::Done& done) const {
  base::info("control: at global_step=" + std::to_string(progress_.global_step) + ", " + done.name +
             " changes from " + manifest::to_text(done.before) + " to " +
             manifest::to_text(done.now));
}

// On every rank at once: what rank 0 says in line is set, or on none. False: the line was empty.
// A callback of rank 0 alone is not told elsewhere. done: empty where it was not set.
bool Run::set_here(const std::string& line, std::optional<Changes::Done>& done) {
  const std::string wish = options_.group->all_gather(line).front();
  if (wish.empty()) return false;
  const size_t sign = wish.find('=');
  const std::string name = wish.substr(0, sign);
  std::string failure;
  std::exception_ptr error;
  try {
    if (changes_->knows(name)) done = changes_->set(name, wish.substr(sign + 1));
  } catch (const base::Error& refused) {
    failure = refused.what();
    error = std::current_exception();
  }
  const std::vector<std::string> failures = options_.group->all_gather(failure);
  const auto first = std::ranges::find_if(failures, [](const auto& one) { return !one.empty(); });
  if (first == failures.end()) {
    if (done) tell(*done);
    return true;
  }
  if (done) changes_->take_back(*done);
  done.reset();
  if (options_.rank != 0) return true;
  if (error) std::rethrow_exception(error);
  throw base::Error(
      base::Exit::plugin,
      {"set " + name, "rank " + std::to_string(first - failures.begin()) + " refuses it: " + *first,
       "a value that all ranks take", ""});
}

}  // namespace broch::session
