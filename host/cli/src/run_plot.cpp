// run_plot.cpp: broch run plot: draws curves of runs, which may still be running.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "options.hpp"
#include "output.hpp"
#include "run_commands.hpp"
#include "run_folder.hpp"
#include "runs/panels.hpp"
#include "store/atomic_file.hpp"
#include "value/json.hpp"

namespace broch::cli {
namespace {

namespace fs = std::filesystem;

struct PlotOptions {
  std::vector<std::string> log_dirs;
  std::string output;              // "": plot.png in the log folder or, for several runs, here
  std::vector<std::string> stats;  // empty: all
  bool json = false;
};

// A run is called by its manifest's name or, if several runs share that, by its folder.
std::vector<PlottedRun> read_runs(const std::vector<std::string>& log_dirs) {
  std::vector<PlottedRun> runs;
  for (const std::string& log_dir : log_dirs)
    runs.push_back({name_of_run(log_dir), read_records(log_dir)});
  std::map<std::string, int> count;
  for (const PlottedRun& run : runs) ++count[run.name];
  for (size_t i = 0; i < runs.size(); ++i)
    if (count[runs[i].name] > 1) runs[i].name = log_dirs[i];
  return runs;
}

Value to_value(const plot::Panel& panel) {
  Value::Array all;
  for (const plot::Series& series : panel.series) {
    Value::Array epochs, values;
    for (const double x : series.x) epochs.push_back(integer(int64_t(x)));
    for (const double y : series.y) values.push_back(number(y));
    all.push_back(object({{"name", text(series.name)},
                          {"epochs", Value(std::move(epochs))},
                          {"values", Value(std::move(values))}}));
  }
  return object({{"title", text(panel.title)}, {"series", Value(std::move(all))}});
}

std::string shown(const Value* value, const std::string& metric) {
  if (!value) return "-";
  if (!value->is_number()) return value::to_text(*value);
  return is_counter(metric) ? base::shortest(value->number()) : base::general(value->number(), 6);
}

// Prints the last record of each run, counters first.
void print_last(const std::vector<PlottedRun>& runs) {
  std::vector<std::string> header{"metric"}, metrics{"epoch_num", "global_step"};
  for (const PlottedRun& run : runs) {
    header.push_back(runs.size() > 1 ? run.name : "value");
    for (const value::Member& member : run.records.back().object())
      if (std::ranges::count(metrics, member.key) == 0) metrics.push_back(member.key);
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

// An existing picture may be replaced, but no other file and no device.
void require_replaceable(const fs::path& output) {
  std::error_code error;
  if (!fs::exists(output, error)) return;
  std::string start(512, '\0');
  const bool is_file = fs::is_regular_file(fs::symlink_status(output, error));
  if (is_file) {
    std::ifstream file(output, std::ios::binary);
    file.read(start.data(), std::streamsize(start.size()));
    start.resize(size_t(file.gcount()));
  }
  if (!is_file || (!plot::is_picture(start) && fs::file_size(output, error) > 0))
    throw base::Error(base::Exit::data, {output.string(), "something that is no picture",
                                         "a picture or a new name", "choose another -o"});
}

plot::Format format_of(const fs::path& output) {
  if (const auto format = plot::format_of(output.string())) return *format;
  throw base::Error(base::Exit::usage,
                    {"broch run plot", "-o " + output.string(),
                     "a name that ends with .png, .svg or .pdf", "add one of them"});
}

fs::path output_of(const PlotOptions& options) {
  if (!options.output.empty()) return options.output;
  return options.log_dirs.size() == 1 ? fs::path(options.log_dirs[0]) / "plot.png" : "plot.png";
}

int plot_runs(const PlotOptions& options) {
  const std::vector<PlottedRun> runs = read_runs(options.log_dirs);
  std::vector<std::string> names;
  for (const PlottedRun& run : runs) names.push_back(run.name);
  const plot::Picture picture{base::join(names, ", "), "epoch", panels_of(runs, options.stats)};
  if (picture.panels.empty())
    throw base::Error(base::Exit::data, {base::join(options.log_dirs, ", "), "no metrics",
                                         "records with numbers", "wait for the end of an epoch"});
  const fs::path output = output_of(options);
  require_replaceable(output);
  store::write_atomically(output, plot::draw(picture, format_of(output)));
  if (options.json) {
    Value::Array panels, last;
    for (const plot::Panel& panel : picture.panels) panels.push_back(to_value(panel));
    for (const PlottedRun& run : runs) last.push_back(run.records.back());
    print_json(object({{"run", text(picture.title)},
                       {"picture", text(output.string())},
                       {"panels", Value(std::move(panels))},
                       {"last", runs.size() == 1 ? last[0] : Value(std::move(last))}}));
    return 0;
  }
  print_last(runs);
  std::cout << "picture: " << output.string() << '\n';
  return 0;
}

}  // namespace

void add_run_plot(CLI::App& run, int& exit_code) {
  static PlotOptions options;
  CLI::App* command = run.add_subcommand("plot", "Draw the metrics of every epoch");
  command
      ->add_option("log_dir", options.log_dirs,
                   "Log folders of runs; several runs are drawn into the same panels")
      ->required()
      ->expected(1, 64);
  command->add_option("-o,--output", options.output,
                      "The picture, a name that ends with .png, .svg or .pdf; by default "
                      "LOG_DIR/plot.png or, for several runs, plot.png here");
  command->add_option("--stat", options.stats, "Only this metric; may be given several times")
      ->allow_extra_args(false);
  add_json_flag(*command, options.json);
  command->callback([&exit_code] { exit_code = plot_runs(options); });
}

}  // namespace broch::cli
