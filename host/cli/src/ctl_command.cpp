// ctl_command.cpp: broch ctl: sends requests to a running process.
#include <iostream>

#include "base/text.hpp"
#include "commands.hpp"
#include "control/client.hpp"
#include "options.hpp"
#include "output.hpp"
#include "value/json.hpp"

namespace broch::cli {
namespace {

struct CtlOptions {
  std::string log_dir;
  std::string change;  // argument of set
  int64_t timeout = 60;
  bool json = false;
};

std::string words_of(const Value& value) {
  if (value.is(Value::Kind::string)) return value.string();
  return value.is(Value::Kind::real) ? base::general(value.number(), 6) : value::to_text(value);
}

void print(const Value& answer) {
  for (const value::Member& member : answer.object())
    if (member.key == "started") {
      std::cout << "started: " << time_text(member.value.number()) << '\n';
    } else if (!member.value.is(Value::Kind::object)) {
      std::cout << member.key << ": " << words_of(member.value) << '\n';
    } else {
      Table table({member.key == "stats" ? "metric" : member.key, "last"});
      for (const value::Member& entry : member.value.object())
        table.add({entry.key, words_of(entry.value)});
      table.print();
    }
}

int ask(const CtlOptions& options, const std::string& line) {
  const Value answer =
      control::ask_training(options.log_dir, line, std::chrono::seconds(options.timeout));
  options.json ? print_json(answer) : print(answer);
  return 0;
}

}  // namespace

void add_ctl(CLI::App& app, int& exit_code) {
  static CtlOptions options;
  CLI::App* ctl = app.add_subcommand("ctl", "Control a run while it trains");
  ctl->add_option("log_dir", options.log_dir, "The log folder of the run")->required();
  ctl->add_option("--timeout", options.timeout, "Seconds to wait for the end of a step")
      ->check(CLI::Range(1, 86400));
  ctl->require_subcommand(1);
  const auto add = [&](const std::string& name, const char* says) {
    CLI::App* command = ctl->add_subcommand(name, says);
    add_json_flag(*command, options.json);
    command->callback([&exit_code, name] {
      exit_code = ask(options, options.change.empty() ? name : name + " " + options.change);
    });
    return command;
  };
  add("status", "Show the progress: epoch, step and latest metrics");
  add("stop", "Save and end after this step, as after a signal");
  add("save", "Save a checkpoint after this step");
  add("set", "Change a hyper-parameter or an option from the next step on")
      ->add_option("change", options.change,
                   "NAME=VALUE, for example learning_rate=0.01; status lists the names")
      ->required();
}

}  // namespace broch::cli
