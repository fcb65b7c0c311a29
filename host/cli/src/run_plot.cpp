// run_plot.cpp: broch run plot: the curves of a finished or running training.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "manifest/json.hpp"
#include "options.hpp"
#include "plot/picture.hpp"
#include "run_commands.hpp"
#include "run_folder.hpp"
#include "store/atomic_file.hpp"

namespace broch::cli {
namespace {

namespace fs = std::filesystem;

struct PlotOptions {
  std::string log_dir;
  std::string output;  // "": plot.png in the log folder
  bool json = false;
};

// A metric that came several times in an epoch counts with its last value; null becomes a gap.
plot::Panel panel_of(const std::string& title, const Value::Array& records,
                     bool (*wanted)(std::string_view)) {
  std::map<std::string, std::map<int64_t, double>> points;
  for (const Value& record : records)
    for (const manifest::Member& member : record.object()) {
      if (!wanted(member.key) || (!member.value.is_number() && !member.value.is_null())) continue;
      points[member.key][record.find("epoch_num")->integer()] = number_or_nan(member.value);
    }
  plot::Panel panel{title, {}};
  for (const auto& [name, by_epoch] : points) {
    plot::Series series{name, {}, {}};
    for (const auto& [epoch, value] : by_epoch) {
      series.x.push_back(double(epoch));
      series.y.push_back(value);
    }
    panel.series.push_back(std::move(series));
  }
  return panel;
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

void print_last(const Value& record) {
  Table table({"metric", "value"});
  for (const char* counter : {"epoch_num", "global_step"})
    if (const Value* value = record.find(counter))
      table.add({counter, base::shortest(value->number())});
  for (const manifest::Member& member : record.object())
    if (member.key != "epoch_num" && member.key != "global_step")
      table.add({member.key, member.value.is_number() ? base::general(member.value.number(), 6)
                                                      : manifest::to_text(member.value)});
  table.print();
}

// A picture that is there is replaced, a checkpoint or a device is not.
void require_replaceable(const fs::path& output) {
  std::error_code error;
  if (!fs::exists(output, error)) return;
  constexpr std::string_view kPng = "\x89PNG";
  std::string start(kPng.size(), '\0');
  const bool is_file = fs::is_regular_file(fs::symlink_status(output, error));
  if (is_file)
    std::ifstream(output, std::ios::binary).read(start.data(), std::streamsize(start.size()));
  if (!is_file || (start != kPng && fs::file_size(output, error) > 0))
    throw base::Error(base::Exit::data, {output.string(), "something that is no picture",
                                         "a PNG file or a new name", "choose another -o"});
}

int plot_run(const PlotOptions& options) {
  const fs::path log_dir = options.log_dir;
  const Value::Array records = read_records(log_dir);
  const plot::Picture picture{
      name_of_run(log_dir),
      "epoch",
      {panel_of("Loss", records, &is_loss), panel_of("Error", records, &is_error)}};
  const fs::path output = options.output.empty() ? log_dir / "plot.png" : fs::path(options.output);
  require_replaceable(output);
  store::write_atomically(output, plot::draw_png(picture));
  if (options.json) {
    Value::Array panels;
    for (const plot::Panel& panel : picture.panels) panels.push_back(to_value(panel));
    print_json(object({{"run", text(picture.title)},
                       {"picture", text(output.string())},
                       {"panels", Value(std::move(panels))},
                       {"last", records.back()}}));
    return 0;
  }
  print_last(records.back());
  std::cout << "picture: " << output.string() << '\n';
  return 0;
}

}  // namespace

void add_run_plot(CLI::App& run, int& exit_code) {
  static PlotOptions options;
  CLI::App* command = run.add_subcommand("plot", "Draw loss and error of every epoch");
  command->add_option("log_dir", options.log_dir, "The log folder of a run")->required();
  command->add_option("-o,--output", options.output, "The picture; without it LOG_DIR/plot.png");
  add_json_flag(*command, options.json);
  command->callback([&exit_code] { exit_code = plot_run(options); });
}

}  // namespace broch::cli
