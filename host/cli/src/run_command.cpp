// run_command.cpp: broch run plot: the curves of a finished or running training.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "manifest/json.hpp"
#include "options.hpp"
#include "output.hpp"
#include "plot/picture.hpp"
#include "store/atomic_file.hpp"

namespace broch::cli {
namespace {

namespace fs = std::filesystem;

struct PlotOptions {
  std::string log_dir;
  std::string output;  // "": plot.png in the log folder
  bool json = false;
};

Value read_json(const fs::path& path) {
  std::error_code error;
  const uintmax_t size = fs::file_size(path, error);
  if (error)
    throw base::Error(base::Exit::data,
                      {path.string(), error.message(), "the records of a run",
                       "name the log_dir of a run whose monitors include json-writer"});
  manifest::Dialect dialect;
  dialect.exit = base::Exit::data;
  dialect.limits.text_bytes = dialect.limits.nodes = size_t(size) + 1;
  return manifest::parse(manifest::read_source(path.string(), dialect.limits), dialect);
}

bool is_record(const Value& value) {
  const Value* epoch = value.find("epoch_num");
  return epoch && epoch->is(Value::Kind::integer);
}

Value::Array read_records(const fs::path& path) {
  const Value list = read_json(path);
  if (!list.is(Value::Kind::array) || list.array().empty() ||
      !std::all_of(list.array().begin(), list.array().end(), is_record))
    throw base::Error(base::Exit::data,
                      {path.string(), "no records", "a list of objects with epoch_num",
                       "wait for the end of the first epoch"});
  return list.array();
}

std::string name_of_run(const fs::path& log_dir) {
  const fs::path resolved = log_dir / "manifest.resolved.json";
  if (fs::exists(resolved)) {
    const Value manifest = read_json(resolved);
    const Value* name = manifest.find("name");
    if (name && name->is(Value::Kind::string) && !name->string().empty()) return name->string();
  }
  return fs::absolute(log_dir).lexically_normal().filename().string();
}

bool is_loss(std::string_view name) {
  return name.find("cost") != name.npos || name.find("loss") != name.npos;
}
bool is_error(std::string_view name) { return name.find("error") != name.npos; }

// A metric that came several times in an epoch counts with its last value; null becomes a gap.
plot::Panel panel_of(const std::string& title, const Value::Array& records,
                     bool (*wanted)(std::string_view)) {
  std::map<std::string, std::map<int64_t, double>> points;
  for (const Value& record : records)
    for (const manifest::Member& member : record.object()) {
      if (!wanted(member.key) || (!member.value.is_number() && !member.value.is_null())) continue;
      points[member.key][record.find("epoch_num")->integer()] =
          member.value.is_null() ? std::numeric_limits<double>::quiet_NaN() : member.value.number();
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
  const Value::Array records = read_records(log_dir / "stats.json");
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

void add_run(CLI::App& app, int& exit_code) {
  static PlotOptions options;
  CLI::App* run = app.add_subcommand("run", "What runs left in their log folders");
  run->require_subcommand(1);
  CLI::App* command = run->add_subcommand("plot", "Draw loss and error of every epoch");
  command->add_option("log_dir", options.log_dir, "The log folder of a run")->required();
  command->add_option("-o,--output", options.output, "The picture; without it LOG_DIR/plot.png");
  add_json_flag(*command, options.json);
  command->callback([&exit_code] { exit_code = plot_run(options); });
}

}  // namespace broch::cli
