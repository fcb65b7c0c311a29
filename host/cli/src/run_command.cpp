// run_command.cpp: broch run ls and show: lists runs, and describes one.
#include <iostream>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "options.hpp"
#include "output.hpp"
#include "run_commands.hpp"
#include "run_folder.hpp"
#include "runs/listing.hpp"
#include "store/checkpoint_list.hpp"
#include "value/json.hpp"

namespace broch::cli {
namespace {

namespace fs = std::filesystem;

struct ListOptions {
  std::string folder = ".";
  bool json = false;
};

struct ShowOptions {
  std::string log_dir;
  bool json = false;
};

Value to_json(const Summary& run) {
  Value stats{Value::Object{}};
  for (const auto& [name, value] : run.stats) stats.set(name, number(value));
  const auto& record = run.record;
  return object({{"log_dir", text(run.log_dir.string())},
                 {"name", text(run.name)},
                 {"state", text(run.state)},
                 {"epoch", integer(run.epoch)},
                 {"step", integer(run.step)},
                 {"started_at", record ? number(record->started) : Value()},
                 {"ended_at", record ? number(record->ended) : Value()},
                 {"exit", record ? integer(record->exit) : Value()},
                 {"stats", stats}});
}

std::string text_of(const std::optional<int64_t>& number) {
  return number ? std::to_string(*number) : "-";
}

// The metrics that most people look for.
std::string losses_and_errors(const Summary& run) {
  std::vector<std::string> words;
  for (const auto& [name, value] : run.stats)
    if (is_loss(name) || is_error(name)) words.push_back(name + "=" + base::general(value, 4));
  return base::join(words, " ");
}

// A damaged file does not hide the other runs.
Summary known_of(const fs::path& log_dir) {
  try {
    return summary_of(log_dir);
  } catch (const base::Error& error) {
    base::warning(error.what());
  }
  return summary_without_files(log_dir);
}

int ls(const ListOptions& options) {
  if (!fs::is_directory(options.folder))
    throw base::Error(base::Exit::data, {options.folder, "no folder", "one with log folders in it",
                                         "check the path"});
  Value::Array all;
  Table table({"run", "name", "state", "epoch", "step", "started", "last"});
  for (const fs::path& log_dir : find_runs(options.folder)) {
    const Summary run = known_of(log_dir);
    all.push_back(to_json(run));
    table.add({log_dir.lexically_normal().string(), run.name, run.state, text_of(run.epoch),
               text_of(run.step), run.record ? time_text(run.record->started) : "-",
               losses_and_errors(run)});
  }
  if (options.json)
    print_json(object({{"runs", Value(std::move(all))}}));
  else
    table.print();
  return 0;
}

// All members are null if the run could not write its manifest.
Value main_settings(const Value& manifest) {
  const auto at = [&](const char* pointer) {
    const Value* value = value::find_at(manifest, pointer);
    return value ? *value : Value();
  };
  return object({{"model", at("/model/use")},
                 {"trainer", at("/trainer/use")},
                 {"seed", at("/seed")},
                 {"max_epoch", at("/max_epoch")}});
}

int show(const ShowOptions& options) {
  require_run(options.log_dir);
  const Summary run = summary_of(options.log_dir);
  const Value settings = main_settings(manifest_of_run(options.log_dir));
  const std::vector<std::string> checkpoints = store::read_checkpoint_names(options.log_dir);
  if (options.json) {
    Value whole = to_json(run);
    for (const value::Member& member : settings.object()) whole.set(member.key, member.value);
    whole.set("host", run.record ? text(run.record->host) : Value());
    whole.set("pid", run.record ? integer(run.record->pid) : Value());
    whole.set("checkpoints", list(checkpoints));
    print_json(whole);
    return 0;
  }
  const auto line = [](const char* what, const std::string& value) {
    if (!value.empty()) std::cout << what << ": " << value << '\n';
  };
  line("run", run.log_dir.string());
  line("name", run.name);
  line("state", run.state);
  for (const value::Member& member : settings.object())
    if (!member.value.is_null())
      line(member.key.c_str(), member.value.is(Value::Kind::string) ? member.value.string()
                                                                    : value::to_text(member.value));
  if (run.record) {
    line("started", time_text(run.record->started) + " on " + run.record->host + ", process " +
                        std::to_string(run.record->pid));
    if (run.record->ended) line("ended", time_text(*run.record->ended));
    if (run.record->exit) line("exit", std::to_string(*run.record->exit));
  }
  line("epoch", text_of(run.epoch));
  line("step", text_of(run.step));
  line("checkpoints", base::join(checkpoints, " "));
  std::cout << '\n';
  Table table({"metric", "last"});
  for (const auto& [name, value] : run.stats) table.add({name, base::general(value, 6)});
  table.print();
  return 0;
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  static ListOptions list_options;
  static ShowOptions show_options;
  CLI::App* run = app.add_subcommand("run", "List, show, compare and plot runs");
  run->require_subcommand(1);
  CLI::App* command = run->add_subcommand("ls", "List the runs below a folder");
  command->add_option("folder", list_options.folder, "Where to look; by default here");
  add_json_flag(*command, list_options.json);
  command->callback([&exit_code] { exit_code = ls(list_options); });
  command = run->add_subcommand("show", "Show the settings, the state and the metrics of a run");
  command->add_option("log_dir", show_options.log_dir, "The log folder of a run")->required();
  add_json_flag(*command, show_options.json);
  command->callback([&exit_code] { exit_code = show(show_options); });
  add_run_tail(*run, exit_code);
  add_run_compare(*run, exit_code);
  add_run_plot(*run, exit_code);
  add_run_report(*run, exit_code);
}

}  // namespace broch::cli
