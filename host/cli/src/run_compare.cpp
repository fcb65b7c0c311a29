// run_compare.cpp: broch run compare: metrics and settings of several runs side by side.
#include <iostream>

#include "base/text.hpp"
#include "course.hpp"
#include "options.hpp"
#include "output.hpp"
#include "run_commands.hpp"
#include "runs/comparison.hpp"

namespace broch::cli {
namespace {

using runs::Compared;

struct CompareOptions {
  std::vector<std::string> log_dirs;
  std::vector<std::string> stats;  // empty: all
  bool json = false;
};

Value comparison_json(const std::vector<Compared>& runs, const std::vector<std::string>& stats,
                      const std::vector<std::string>& pointers) {
  Value::Array folders, numbers, settings;
  for (const Compared& run : runs)
    folders.push_back(object(
        {{"log_dir", text(run.log_dir)}, {"name", text(run.name)}, {"state", text(run.state)}}));
  for (const std::string& stat : stats) {
    Value::Array of_runs;
    for (const Compared& run : runs) {
      const auto found = run.courses.find(stat);
      if (found == run.courses.end()) {
        of_runs.emplace_back();
        continue;
      }
      of_runs.push_back(course_json(found->second));
    }
    numbers.push_back(object({{"name", text(stat)}, {"runs", Value(std::move(of_runs))}}));
  }
  for (const std::string& pointer : pointers) {
    Value::Array of_runs;
    for (const Compared& run : runs) {
      const auto found = run.settings.find(pointer);
      of_runs.push_back(found == run.settings.end() ? Value() : text(found->second));
    }
    settings.push_back(object({{"pointer", text(pointer)}, {"runs", Value(std::move(of_runs))}}));
  }
  return object({{"runs", Value(std::move(folders))},
                 {"stats", Value(std::move(numbers))},
                 {"manifest", Value(std::move(settings))}});
}

void print(const std::vector<Compared>& runs, const std::vector<std::string>& stats,
           const std::vector<std::string>& pointers) {
  Table numbers({"stat", "run", "last", "min", "at epoch", "max", "at epoch"});
  for (const std::string& stat : stats)
    for (const Compared& run : runs)
      if (const auto found = run.courses.find(stat); found != run.courses.end()) {
        std::vector<std::string> row{stat, run.log_dir, base::general(found->second.last, 6)};
        for (std::string& cell : extremes(found->second)) row.push_back(std::move(cell));
        numbers.add(std::move(row));
      }
  numbers.print();
  if (pointers.empty()) return;
  std::vector<std::string> header{"manifest"};
  for (const Compared& run : runs) header.push_back(run.log_dir);
  Table settings(header);
  for (const std::string& pointer : pointers) {
    std::vector<std::string> row{pointer};
    for (const Compared& run : runs) {
      const auto found = run.settings.find(pointer);
      row.push_back(found == run.settings.end() ? "-" : found->second);
    }
    settings.add(row);
  }
  std::cout << '\n';
  settings.print();
}

int compare(const CompareOptions& options) {
  std::vector<Compared> runs;
  std::vector<runs::Settings> all;
  for (const std::string& log_dir : options.log_dirs) {
    runs.push_back(runs::read_compared(log_dir));
    all.push_back(runs.back().settings);
  }
  const std::vector<std::string> stats = runs::metrics_of(runs, options.stats),
                                 pointers = runs::differing(all);
  if (options.json)
    print_json(comparison_json(runs, stats, pointers));
  else
    print(runs, stats, pointers);
  return 0;
}

}  // namespace

void add_run_compare(CLI::App& run, int& exit_code) {
  static CompareOptions options;
  CLI::App* command =
      run.add_subcommand("compare", "Compare the numbers and the manifests of several runs");
  command->add_option("log_dirs", options.log_dirs, "Log folders of runs")
      ->required()
      ->expected(2, 64);
  command->add_option("--stat", options.stats, "Only this metric; may be given several times")
      ->allow_extra_args(false);
  add_json_flag(*command, options.json);
  command->callback([&exit_code] { exit_code = compare(options); });
}

}  // namespace broch::cli
