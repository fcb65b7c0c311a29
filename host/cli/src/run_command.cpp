// run_command.cpp: broch run ls and show: lists runs, and describes one.
#include <algorithm>
#include <cmath>
#include <iostream>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "course.hpp"
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
  std::vector<std::string> folders = {"."};
  std::string stat;  // "": those that most people look for
  bool descending = false;
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

constexpr size_t kMostShown = 6;

// The metrics that most people look for: of the validation, otherwise losses and errors.
std::string main_metrics(const Summary& run) {
  const auto is_main = [](const std::string& name) { return is_loss(name) || is_error(name); };
  std::vector<std::string> words, of_validation;
  for (const auto& [name, value] : run.stats) {
    const std::string word = name + "=" + base::general(value, 4);
    if (name.starts_with("val_") || name.starts_with("validation_")) of_validation.push_back(word);
    if (is_main(name)) words.push_back(word);
  }
  if (!of_validation.empty()) words = std::move(of_validation);
  if (words.size() > kMostShown) {
    words.resize(kMostShown);
    words.push_back("…");
  }
  return base::join(words, " ");
}

std::string chosen_metric(const Summary& run, const std::string& stat) {
  const auto found = run.stats.find(stat);
  return found == run.stats.end() ? "-" : base::general(found->second, 6);
}

// Runs without a finite value come last.
void sort_by(std::vector<Summary>& runs, const ListOptions& options) {
  const auto rank = [&](const Summary& run) {
    const auto found = run.stats.find(options.stat);
    const bool is_finite = found != run.stats.end() && std::isfinite(found->second);
    const double value = is_finite ? found->second : 0;
    return std::pair(!is_finite, options.descending ? -value : value);
  };
  std::ranges::stable_sort(runs, {}, rank);
}

void require_stat(const std::vector<Summary>& runs, const std::string& stat) {
  std::set<std::string> there;
  for (const Summary& run : runs)
    for (const auto& [name, value] : run.stats) there.insert(name);
  chosen_metrics("broch run ls", there, {stat});
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

std::vector<Summary> runs_below(const std::vector<std::string>& folders) {
  std::vector<Summary> runs;
  for (const std::string& folder : folders) {
    if (!fs::is_directory(folder))
      throw base::Error(base::Exit::data,
                        {folder, "no folder", "one with log folders in it", "check the path"});
    for (const fs::path& log_dir : find_runs(folder)) runs.push_back(known_of(log_dir));
  }
  return runs;
}

int ls(const ListOptions& options) {
  std::vector<Summary> runs = runs_below(options.folders);
  const bool chooses = !options.stat.empty();
  if (chooses) {
    require_stat(runs, options.stat);
    sort_by(runs, options);
  }
  Value::Array all;
  Table table(
      {"run", "name", "state", "epoch", "step", "started", chooses ? options.stat : "last"});
  for (const Summary& run : runs) {
    all.push_back(to_json(run));
    table.add({run.log_dir.lexically_normal().string(), run.name, run.state, text_of(run.epoch),
               text_of(run.step), run.record ? time_text(run.record->started) : "-",
               chooses ? chosen_metric(run, options.stat) : main_metrics(run)});
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

Value courses_json(const std::map<std::string, runs::Course>& courses) {
  Value all{Value::Object{}};
  for (const auto& [name, course] : courses) all.set(name, course_json(course));
  return all;
}

// The last value may be infinite or no number, unlike the others.
void print_metrics(const Summary& run, const std::map<std::string, runs::Course>& courses) {
  Table table({"metric", "last", "min", "at epoch", "max", "at epoch"});
  for (const auto& [name, value] : run.stats) {
    std::vector<std::string> row{name, base::general(value, 6)};
    const auto course = courses.find(name);
    const std::vector<std::string> rest = course == courses.end()
                                              ? std::vector<std::string>{"-", "-", "-", "-"}
                                              : extremes(course->second);
    row.insert(row.end(), rest.begin(), rest.end());
    table.add(std::move(row));
  }
  table.print();
}

int show(const ShowOptions& options) {
  require_run(options.log_dir);
  const Summary run = summary_of(options.log_dir);
  const auto courses = runs::courses_of(records_so_far(options.log_dir));
  const Value settings = main_settings(manifest_of_run(options.log_dir));
  const std::vector<std::string> checkpoints = store::read_checkpoint_names(options.log_dir);
  if (options.json) {
    Value whole = to_json(run);
    for (const value::Member& member : settings.object()) whole.set(member.key, member.value);
    whole.set("host", run.record ? text(run.record->host) : Value());
    whole.set("pid", run.record ? integer(run.record->pid) : Value());
    whole.set("checkpoints", list(checkpoints));
    whole.set("courses", courses_json(courses));
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
  print_metrics(run, courses);
  return 0;
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  static ListOptions list_options;
  static ShowOptions show_options;
  CLI::App* run = app.add_subcommand("run", "List, show, compare and plot runs");
  run->require_subcommand(1);
  CLI::App* command = run->add_subcommand("ls", "List the runs below folders");
  command->add_option("folder", list_options.folders, "Where to look; by default here");
  CLI::Option* const stat = command->add_option(
      "--stat", list_options.stat, "Show this metric alone, and sort by it, the smallest first");
  command->add_flag("--descending", list_options.descending, "The largest first")->needs(stat);
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
