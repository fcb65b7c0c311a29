// sweep_command.cpp: broch sweep: many trainings of one manifest.
#include <filesystem>
#include <iostream>
#include <optional>

#include "base/error.hpp"
#include "base/log.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "runs/picture_file.hpp"
#include "sweep/sweep.hpp"

namespace broch::cli {
namespace {

namespace fs = std::filesystem;

struct SweepOptions {
  std::string file;  // the SWEEP.json
  sweep::Options sweep;
  std::string output;  // "": sweep.png in the folder of the sweep
  bool show = false, json = false;
};

// Before hours pass. The sweep makes its own folder.
void require_picture(const std::string& output, const sweep::Spec& spec) {
  const runs::PictureFile file(output);
  const fs::path folder = fs::absolute(file.path()).parent_path() / "",
                 own = fs::path(spec.folder) / "";
  if (folder.lexically_normal() != own.lexically_normal()) file.require_folder();
}

// The path of the picture; nothing if no trial has a value. Where a picture that nobody asked for
// cannot be drawn, a warning says so.
std::optional<std::string> draw(const std::string& output, const sweep::Spec& spec,
                                const std::vector<sweep::Result>& results) {
  const auto picture = sweep::picture_of(spec, results);
  if (!picture) return std::nullopt;
  try {
    const runs::PictureFile file(output.empty() ? spec.folder + "/sweep.png" : output);
    file.write(*picture);
    return file.path().string();
  } catch (const base::Error& error) {
    if (!output.empty()) throw;
    base::warning("there is no picture: " + std::string(error.what()));
    return std::nullopt;
  }
}

void print_table(const sweep::Spec& spec, const std::vector<sweep::Result>& results) {
  const auto rows = sweep::table_of(spec, results);
  Table table(rows.front());
  for (size_t i = 1; i < rows.size(); ++i) table.add(rows[i]);
  table.print();
}

int run_sweep(const SweepOptions& options) {
  const sweep::Spec spec = sweep::read_spec(options.file);
  if (!options.output.empty()) require_picture(options.output, spec);
  const auto [exit, results] = options.show ? sweep::show(spec) : sweep::run(spec, options.sweep);
  if (!options.json) print_table(spec, results);
  const auto picture = draw(options.output, spec, results);
  if (options.json) {
    Value data = sweep::to_value(spec, results);
    data.set("picture", picture ? text(*picture) : Value());
    print_json(data);
  } else if (picture) {
    std::cout << "picture: " << *picture << '\n';
  }
  return int(exit);
}

}  // namespace

void add_sweep(CLI::App& app, int& exit_code) {
  static SweepOptions options;
  CLI::App* command = app.add_subcommand("sweep", "Train a manifest with many sets of parameters");
  command->add_option("sweep", options.file, "The description of the sweep, a JSON file")
      ->required();
  command->add_option("-o,--output", options.output,
                      "The picture, a name that ends with .png, .svg or .pdf; by default sweep.png "
                      "in the folder of the sweep");
  CLI::Option* const show = command->add_flag("--show", options.show,
                                              "Train nothing: print and draw what there is so far");
  command->add_flag("--retry", options.sweep.retry, "Start failed trials again")->excludes(show);
  add_runtime_option(*command, options.sweep.runtime);
  add_plugin_path(*command, options.sweep.plugin_path);
  add_json_flag(*command, options.json);
  command->callback([&exit_code] { exit_code = run_sweep(options); });
}

}  // namespace broch::cli
