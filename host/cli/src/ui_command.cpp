// ui_command.cpp: broch ui shows runs in a browser; broch run report writes them into one file.
#include <iostream>

#include "base/error.hpp"
#include "commands.hpp"
#include "run_commands.hpp"
#include "store/atomic_file.hpp"
#include "ui/report.hpp"
#include "ui/ui.hpp"

namespace broch::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> log_dirs;
  std::string output = "report.html";
};

int run_ui(ui::Options options) {
  if (options.folders.empty()) options.folders = {"."};
  ui::serve(options, [](const std::string& url) { std::cout << url << std::endl; });
  return 0;
}

int run_report(const ReportOptions& options) {
  store::write_atomically(options.output, ui::report(options.log_dirs));
  std::cout << "report: " << options.output << '\n';
  return 0;
}

}  // namespace

void add_ui(CLI::App& app, int& exit_code) {
  static ui::Options options;
  CLI::App* command = app.add_subcommand("ui", "Show runs in a browser");
  command->add_option("folders", options.folders,
                      "Folders with log folders of runs below them; by default this one");
  command->add_option("--address", options.address, "The IP address to listen on")
      ->capture_default_str();
  command->add_option("--port", options.port, "The port; 0: any that is free")
      ->capture_default_str();
  command->add_option("--token", options.token,
                      "The secret in the address of the page: at least 16 letters, digits, - and "
                      "_; by default a random one");
  command->callback([&exit_code] { exit_code = run_ui(options); });
}

void add_run_report(CLI::App& run, int& exit_code) {
  static ReportOptions options;
  CLI::App* command =
      run.add_subcommand("report", "Write runs into one file that any browser shows");
  command->add_option("log_dirs", options.log_dirs, "Log folders of runs")
      ->required()
      ->expected(1, 32);
  command->add_option("-o,--output", options.output, "The file, a name that ends with .html")
      ->check([](const std::string& name) {
        return name.ends_with(".html") ? "" : name + " does not end with .html";
      })
      ->capture_default_str();
  command->callback([&exit_code] { exit_code = run_report(options); });
}

}  // namespace broch::cli
