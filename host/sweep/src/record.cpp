// record.cpp: writes and reads sweep.json.
#include "record.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "log_folder/run_record.hpp"
#include "store/atomic_file.hpp"
#include "value/json.hpp"
#include "value/make.hpp"

namespace broch::sweep {
namespace {

namespace fs = std::filesystem;
using Kind = Value::Kind;

constexpr int64_t kVersion = 1;
constexpr size_t kMostBytes = size_t{1} << 28;

Value to_value(const Trial& trial, const Spec& spec, const Decision& decision, bool running) {
  Value value{Value::Object{}};
  const int64_t epochs = last_epoch_of(trial, decision);
  value.set("trial", Value(trial.number));
  if (!trial.id.is_null()) value.set("id", trial.id);
  value.set("parameters", trial.parameters);
  value.set("state", Value(state_of(trial, decision, running)));
  value.set("value", value::number(trial.value(spec, epochs)));
  value.set("epochs", Value(epochs));
  value.set("seconds", Value(trial.seconds));
  if (trial.exit) value.set("exit", Value(int64_t(*trial.exit)));
  if (trial.stopped) value.set("stopped", Value(*trial.stopped));
  return value;
}

[[noreturn]] void damaged(const Spec& spec) {
  throw base::Error(base::Exit::data, {record_file(spec), "no list of trials",
                                       "what a sweep has written there", "choose another folder"});
}

const Value& member(const Value& value, const char* key, Kind kind, const Spec& spec) {
  const Value* found = value.find(key);
  const bool fits = found && (kind == Kind::real ? found->is_number() : found->is(kind));
  if (!fits) damaged(spec);
  return *found;
}

// How long a trial ran whose sweep was killed meanwhile, and how it ended, if it did by itself.
void add_last_start(Trial& trial, const Spec& spec) {
  const auto run = log_folder::read_record(trial.log_dir(spec));
  if (!run || !run->ended) return;
  trial.seconds += *run->ended - run->started;
  if (run->exit == 0) trial.exit = 0;
}

Trial trial_of(const Value& value, const Spec& spec) {
  Trial trial;
  trial.number = member(value, "trial", Kind::integer, spec).integer();
  trial.parameters = member(value, "parameters", Kind::object, spec);
  trial.seconds = member(value, "seconds", Kind::real, spec).number();
  const std::string& state = member(value, "state", Kind::string, spec).string();
  trial.started = state != "waiting";
  if (const Value* id = value.find("id")) trial.id = *id;
  if (value.find("exit")) trial.exit = int(member(value, "exit", Kind::integer, spec).integer());
  if (value.find("stopped"))
    trial.stopped = member(value, "stopped", Kind::integer, spec).integer();
  if (state == "running") add_last_start(trial, spec);
  if (trial.started) read_progress(trial, spec);
  return trial;
}

}  // namespace

std::string state_of(const Trial& trial, const Decision& decision, bool running) {
  if (decision.what == Decision::What::prune || trial.stopped) return "pruned";
  if (trial.exit) return *trial.exit == 0 && !trial.values.empty() ? "finished" : "failed";
  if (running) return "running";
  if (decision.what == Decision::What::wait) return "paused";
  return trial.started ? "interrupted" : "waiting";
}

int64_t last_epoch_of(const Trial& trial, const Decision& decision) {
  if (trial.stopped) return std::min(trial.epochs, *trial.stopped);
  return decision.what == Decision::What::prune ? std::min(trial.epochs, decision.rung)
                                                : trial.epochs;
}

std::string record_file(const Spec& spec) { return spec.folder + "/sweep.json"; }

void write_record(const Spec& spec, const Record& record, const std::vector<Decision>& decisions,
                  const std::vector<bool>& running) {
  Value::Array trials;
  for (size_t i = 0; i < record.trials.size(); ++i)
    trials.push_back(to_value(record.trials[i], spec, decisions[i], running[i]));
  Value value{Value::Object{}};
  value.set("sweep", Value(kVersion));
  value.set("manifest", Value(record.checksum));
  value.set("metric", Value(spec.metric));
  value.set("trials", Value(std::move(trials)));
  store::write_atomically(record_file(spec), value::to_pretty_text(value));
}

std::optional<Record> read_record(const Spec& spec) {
  std::error_code error;
  if (!fs::exists(record_file(spec), error)) return std::nullopt;
  value::Dialect dialect;
  dialect.exit = base::Exit::data;
  dialect.limits.text_bytes = dialect.limits.nodes = kMostBytes;
  const Value value = value::parse(value::read_source(record_file(spec), dialect.limits), dialect);
  if (member(value, "sweep", Kind::integer, spec).integer() != kVersion) damaged(spec);
  Record record;
  record.checksum = member(value, "manifest", Kind::string, spec).string();
  for (const Value& one : member(value, "trials", Kind::array, spec).array())
    record.trials.push_back(trial_of(one, spec));
  for (size_t i = 0; i < record.trials.size(); ++i)
    if (record.trials[i].number != int64_t(i) + 1) damaged(spec);
  return record;
}

}  // namespace broch::sweep
