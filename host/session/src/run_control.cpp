// run_control.cpp: what a person can ask of a run while it trains.
#include <cmath>
#include <csignal>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "session/run.hpp"

namespace broch::session {

using manifest::Value;

// Rank 0 answers. A folder that cannot have sockets is no reason not to train.
std::unique_ptr<ControlServer> Run::serve_control() {
  if (!log_dir_) return nullptr;
  ControlServer::Parts parts;
  parts.status = [this] { return status(); };
  parts.global_step = [this] { return train::load_global_step(progress_); };
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
  return status;
}

Value Run::perform(const ControlRequest& request) {
  Value answer{Value::Object{}};
  if (request.what == ControlRequest::What::save) {
    answer.set("checkpoint", Value(checkpoints_->save().string()));
    return answer;
  }
  const std::vector<std::string> names = hypers_->names();
  const std::string place = "set " + request.name;
  if (options_.everyone || options_.world > 1)
    throw base::Error(base::Exit::usage,
                      {place, "a training of several ranks", "one rank, which changes alone",
                       "use scheduled-hyper-param-setter, or resume with another value"});
  if (!hypers_->has(request.name))
    throw base::Error(base::Exit::usage,
                      {place, "no such hyper-parameter" + base::did_you_mean(request.name, names),
                       "one of " + base::join(names, ", "), ""});
  const double before = hypers_->get(request.name);
  hypers_->set(request.name, request.value);
  base::info("control: at global_step=" + std::to_string(progress_.global_step) + ", " +
             request.name + " changes from " + base::shortest(before) + " to " +
             base::shortest(request.value));
  answer.set("name", Value(request.name));
  answer.set("before", std::isfinite(before) ? Value(before) : Value());
  answer.set("now", Value(request.value));
  return answer;
}

}  // namespace broch::session
