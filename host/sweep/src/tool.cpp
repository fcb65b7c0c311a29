// tool.cpp: one JSON object per line, in both directions.
#include "tool.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "value/fault.hpp"
#include "value/json.hpp"
#include "value/make.hpp"

namespace broch::sweep {
namespace {

using value::number;
using value::object;
using Kind = Value::Kind;

constexpr const char* kProtocol = "see docs/sweep_protocol.md";
constexpr size_t kLongestId = 64;             // bytes
constexpr std::chrono::seconds kPatience{5};  // for its end
constexpr std::chrono::milliseconds kPause{10};

// Both ends of a pipe.
struct Pipe {
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      base::fail(base::Exit::data, "a pipe", "no free descriptor", "two", "raise ulimit -n");
    read = ends[0], write = ends[1];
  }
  int read, write;
};

bool is_id(const Value& id) {
  return id.is(Kind::integer) ||
         (id.is(Kind::string) && !id.string().empty() && id.string().size() <= kLongestId);
}

const Trial* find(const std::vector<Trial>& trials, const Value& id) {
  const auto found = std::ranges::find(trials, id, &Trial::id);
  return found == trials.end() ? nullptr : &*found;
}

std::string state_word(const Trial& trial) {
  if (trial.stopped) return "pruned";
  if (!trial.exit) return "running";
  return *trial.exit == 0 && !trial.values.empty() ? "finished" : "failed";
}

}  // namespace

Tool::Tool(const Spec& spec, const std::vector<Trial>& known) : spec_(spec) {
  const Pipe input, output;
  Launch launch{spec.method.command[0],
                {spec.method.command.begin() + 1, spec.method.command.end()}};
  launch.folder = spec.directory;
  launch.input = input.read;
  launch.output = output.write;
  lines_ = std::make_unique<Lines>(output.read, input.write);
  child_.emplace(launch);
  close(input.read);
  close(output.write);
  start(known);
}

Tool::~Tool() = default;

void Tool::start(const std::vector<Trial>& known) {
  send(object({{"start", Value(int64_t{1})},
               {"metric", Value(spec_.metric)},
               {"goal", Value(std::string(spec_.smallest_is_best ? "min" : "max"))},
               {"parameters", *spec_.value.find("parameters")},
               {"trials", Value(int64_t(known.size()))}}));
  for (const Trial& trial : known) {
    Value::Array values;
    for (const auto& [epoch, value] : trial.values)
      values.push_back(Value(Value::Array{Value(epoch), number(value)}));
    send(object({{"known", trial.id},
                 {"parameters", trial.parameters},
                 {"state", Value(state_word(trial))},
                 {"value", number(trial.value(spec_))},
                 {"values", Value(std::move(values))}}));
  }
}

void Tool::send(const Value& message) {
  if (lines_->is_written() && !asked_) since_ = Clock::now();
  lines_->write(value::to_text(message));
}

void Tool::ask(int64_t number) {
  asked_ = number;
  told_ = false;
  since_ = Clock::now();
  send(object({{"ask", Value(number)}}));
}

void Tool::report(const Trial& trial, int64_t epoch, double value) {
  send(object({{"report", trial.id}, {"epoch", Value(epoch)}, {"value", number(value)}}));
}

void Tool::tell(const Trial& trial, const std::string& state, std::optional<double> value) {
  send(object({{"tell", trial.id}, {"state", Value(state)}, {"value", number(value)}}));
  waits_ = false;
  told_ = true;
}

void Tool::refuse(const std::string& found, const std::string& expected,
                  const std::string& hint) const {
  base::fail(base::Exit::data,
             base::quoted(spec_.method.command[0]) + ": line " + std::to_string(line_), found,
             expected, hint.empty() ? kProtocol : hint);
}

void Tool::died() {
  const auto until = Clock::now() + kPatience;
  std::optional<int> code;
  while (!(code = child_->ended()) && Clock::now() < until) std::this_thread::sleep_for(kPause);
  const std::string how = code == 127 ? "it could not be started, or ended with exit code 127"
                          : code      ? "it ended with exit code " + std::to_string(*code)
                                      : "it closed its standard output";
  child_.reset();
  base::fail(base::Exit::data, base::quoted(spec_.method.command[0]), how,
             "{\"done\": true} before its end",
             "repair it and start the sweep again; it continues");
}

void Tool::require_time() const {
  const std::chrono::duration<double> waited = Clock::now() - since_;
  if ((!asked_ && lines_->is_written()) || waited.count() <= spec_.method.timeout) return;
  base::fail(base::Exit::data, base::quoted(spec_.method.command[0]),
             std::string(asked_ ? "no answer" : "messages that it does not read") + " after " +
                 base::humanize_seconds(spec_.method.timeout),
             asked_ ? "an answer to {\"ask\": " + std::to_string(*asked_) + "}"
                    : "a program that reads its standard input",
             "raise \"timeout\" in \"method\" if it may take longer");
}

Tool::News Tool::take(const std::vector<Trial>& trials, bool may_wait) {
  lines_->flush();
  News news;
  for (const std::string& line : lines_->read()) {
    ++line_;
    take_line(line, trials, news);
  }
  if (lines_->too_long()) {
    ++line_;
    refuse("more than " + std::to_string(kMostLine) + " bytes", "a shorter line");
  }
  if (lines_->ended() && !done_) died();
  if (waits_ && !may_wait)
    refuse("{\"wait\": true} while no trial runs", "a trial, or {\"done\": true}");
  require_time();
  return news;
}

void Tool::take_line(const std::string& line, const std::vector<Trial>& trials, News& news) {
  const std::string name =
      base::quoted(spec_.method.command[0]) + ": line " + std::to_string(line_);
  value::Dialect strict;
  strict.relaxed = false;
  strict.exit = base::Exit::data;
  const Value message = value::parse_text(name, line, strict);
  const auto is_true = [&message](const char* key) {
    const Value* value = message.find(key);
    return value && value->is(Kind::boolean) && value->boolean();
  };
  const bool answers = message.find("trial") || is_true("wait") || is_true("done");
  if (answers && !asked_) refuse("an answer", "a question before it");
  if (message.find("trial")) {
    take_trial(message, trials, news);
  } else if (const Value* id = message.find("stop")) {
    if (!find(trials, *id) && !(news.trial && news.trial->id == *id))
      refuse("{\"stop\": " + value::to_text(*id) + "}", "the id of a trial");
    news.stopped.push_back(*id);
  } else if (is_true("wait")) {
    waits_ = !told_;  // else it has waited long enough, though it may not know yet
  } else if (is_true("done")) {
    done_ = true;
  } else {
    refuse(value::in_words(message), "an object with trial, stop, wait or done");
  }
  if (answers) asked_.reset();
}

void Tool::take_trial(const Value& message, const std::vector<Trial>& trials, News& news) {
  const Value &id = *message.find("trial"), *parameters = message.find("parameters");
  if (!is_id(id)) refuse("a trial called " + value::to_text(id), "an integer, or 1 to 64 bytes");
  if (find(trials, id)) refuse("a second trial " + value::to_text(id), "another id");
  if (!parameters || !parameters->is(Kind::object))
    refuse("a trial without parameters", "an object \"parameters\"");
  require_parameters(*parameters);
  Trial& trial = news.trial.emplace();
  trial.number = *asked_;
  trial.id = id;
  trial.parameters = *parameters;
}

void Tool::require_parameters(const Value& parameters) const {
  std::vector<std::string> names;
  for (const Parameter& parameter : spec_.parameters) names.push_back(parameter.path);
  for (const value::Member& member : parameters.object()) {
    const auto known = std::ranges::find(spec_.parameters, member.key, &Parameter::path);
    if (known == spec_.parameters.end())
      refuse("parameter " + base::quoted(member.key), value::one_of(names),
             value::nearest_hint(member.key, names, "name it in the sweep"));
    if (!known->allows(member.value))
      refuse(member.key + "=" + value::to_text(member.value), known->expected(),
             "keep to the values in the sweep, or change them there");
  }
}

void Tool::finish() {
  if (!child_) return;
  lines_->close_writing();
  const auto until = Clock::now() + kPatience;
  std::optional<int> code;
  while (!(code = child_->ended()) && Clock::now() < until) {
    lines_->read();
    std::this_thread::sleep_for(kPause);
  }
  if (code.value_or(0) != 0)
    base::warning(base::quoted(spec_.method.command[0]) + " ended with exit code " +
                  std::to_string(*code));
  if (!code) base::warning(base::quoted(spec_.method.command[0]) + " did not end and was killed");
  child_.reset();
}

}  // namespace broch::sweep
