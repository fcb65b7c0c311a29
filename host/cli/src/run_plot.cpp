// run_plot.cpp: broch run plot: draws curves of runs, which may still be running, and schedules.
#include <algorithm>
#include <iostream>

#include "base/error.hpp"
#include "base/text.hpp"
#include "options.hpp"
#include "output.hpp"
#include "rates/schedule.hpp"
#include "run_commands.hpp"
#include "run_folder.hpp"
#include "runs/panels.hpp"
#include "runs/picture_file.hpp"
#include "value/json.hpp"

namespace broch::cli {
namespace {

struct PlotOptions {
  std::vector<std::string> log_dirs;  // of a schedule: the manifest and overrides
  bool schedule = false;
  std::vector<std::string> plugin_path;
  std::string output;              // "": plot.png in the log folder or, for several runs, here
  std::vector<std::string> stats;  // empty: all
  bool json = false;
};

std::string shown(const Value* value, const std::string& metric) {
  if (!value) return "-";
  if (!value->is_number() || is_counter(metric)) return value::to_text(*value);
  return base::general(value->number(), 6);
}

// Prints the last record of each run, counters first. wanted: only these metrics; empty: all.
void print_last(const std::vector<PlottedRun>& runs, const std::vector<std::string>& wanted) {
  std::vector<std::string> header{"metric"}, metrics{"epoch_num", "global_step"};
  for (const PlottedRun& run : runs) {
    header.push_back(runs.size() > 1 ? run.name : "value");
    for (const value::Member& member : run.records.back().object())
      if ((wanted.empty() || std::ranges::count(wanted, member.key) > 0) &&
          std::ranges::count(metrics, member.key) == 0)
        metrics.push_back(member.key);
  }
  Table table(header);
  for (const std::string& metric : metrics) {
    std::vector<std::string> row{metric};
    for (const PlottedRun& run : runs)
      row.push_back(shown(run.records.back().find(metric), metric));
    if (std::any_of(row.begin() + 1, row.end(), [](const auto& cell) { return cell != "-"; }))
      table.add(row);
  }
  table.print();
}

std::string output_of(const PlotOptions& options) {
  if (!options.output.empty()) return options.output;
  return options.log_dirs.size() == 1 ? options.log_dirs[0] + "/plot.png" : "plot.png";
}

// Prints where each curve begins and ends, and its limits.
void print_curves(const rates::Schedule& schedule) {
  Table table({"hyper-parameter", "first", "smallest", "largest", "last"});
  for (const auto& [name, epochs, values] : schedule.curves) {
    const auto [smallest, largest] = std::ranges::minmax(values);
    table.add({name, base::general(values.front(), 6), base::general(smallest, 6),
               base::general(largest, 6), base::general(values.back(), 6)});
  }
  table.print();
  if (!schedule.waiting.empty())
    std::cout << "left out, since it waits for metrics: " << base::join(schedule.waiting, ", ")
              << '\n';
}

int plot_schedule(const PlotOptions& options) {
  const runs::PictureFile file(options.output.empty() ? "schedule.png" : options.output);
  session::SetupOptions setup_options;
  setup_options.manifest = options.log_dirs.front();
  setup_options.overrides.assign(options.log_dirs.begin() + 1, options.log_dirs.end());
  setup_options.plugin_path = options.plugin_path;
  const session::Setup setup(setup_options);
  const rates::Schedule schedule = rates::rehearse(setup);
  const plot::Picture picture = rates::picture_of(schedule, setup.manifest().name);
  file.write(picture);
  if (options.json) {
    Value data = to_value(picture);
    data.set("picture", text(file.path().string()));
    data.set("waiting", list(schedule.waiting));
    print_json(data);
    return 0;
  }
  print_curves(schedule);
  std::cout << "picture: " << file.path().string() << '\n';
  return 0;
}

int plot_runs(const PlotOptions& options) {
  const std::vector<PlottedRun> runs = read_runs(options.log_dirs);
  std::vector<std::string> names;
  for (const PlottedRun& run : runs) names.push_back(run.name);
  const plot::Picture picture{base::join(names, ", "), "epoch", panels_of(runs, options.stats)};
  if (picture.panels.empty())
    throw base::Error(base::Exit::data, {base::join(options.log_dirs, ", "), "no metrics",
                                         "records with numbers", "wait for the end of an epoch"});
  const runs::PictureFile file(output_of(options));
  file.write(picture);
  if (options.json) {
    Value data = to_value(picture);
    data.set("picture", text(file.path().string()));
    Value::Array last;
    for (const PlottedRun& run : runs) last.push_back(run.records.back());
    data.set("last", runs.size() == 1 ? last[0] : Value(std::move(last)));
    print_json(data);
    return 0;
  }
  print_last(runs, options.stats);
  std::cout << "picture: " << file.path().string() << '\n';
  return 0;
}

}  // namespace

void add_run_plot(CLI::App& run, int& exit_code) {
  static PlotOptions options;
  CLI::App* command = run.add_subcommand("plot", "Draw the metrics of every epoch");
  command
      ->add_option("log_dir", options.log_dirs,
                   "Log folders of runs; several runs are drawn into the same panels. With "
                   "--schedule: a manifest and overrides")
      ->required()
      ->expected(1, 64);
  command->add_option("-o,--output", options.output,
                      "The picture, a name that ends with .png, .svg or .pdf; by default "
                      "LOG_DIR/plot.png or, for several runs, plot.png here; schedule.png here");
  CLI::Option* const stat =
      command->add_option("--stat", options.stats, "Only this metric; may be given several times")
          ->allow_extra_args(false);
  CLI::Option* const schedule =
      command
          ->add_flag("--schedule", options.schedule,
                     "Draw what callbacks will do to the learning rate and other "
                     "hyper-parameters, without training")
          ->excludes(stat);
  add_plugin_path(*command, options.plugin_path)->needs(schedule);
  add_json_flag(*command, options.json);
  command->callback(
      [&exit_code] { exit_code = options.schedule ? plot_schedule(options) : plot_runs(options); });
}

}  // namespace broch::cli
