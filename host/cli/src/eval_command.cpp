// eval_command.cpp: broch eval: runs the inference runners of a manifest on a checkpoint.
#include "base/error.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "run_folder.hpp"
#include "session/run.hpp"
#include "terminal.hpp"

namespace broch::cli {
namespace {

struct EvalOptions {
  session::SetupOptions setup;
  std::string checkpoint;
  bool json = false;
};

int eval(const EvalOptions& options) {
  Terminal terminal;
  session::SetupOptions setup_options = options.setup;
  setup_options.manifest = manifest_file(options.setup.manifest, options.setup.overrides);
  const std::string checkpoint =
      checkpoint_to_use("broch eval", options.setup.manifest, options.checkpoint);
  const session::Setup setup(setup_options);
  session::RunOptions run_options;
  run_options.writes = false;
  run_options.trains = false;
  run_options.session_init = false;
  run_options.ui = &terminal;
  session::Run run(setup, run_options);
  run.build();
  const auto metrics = run.evaluate(checkpoint);
  if (options.json) {
    Value values{Value::Object{}};
    for (const auto& [name, value] : metrics) values.set(name, number(value));
    print_json(object({{"checkpoint", text(checkpoint)}, {"metrics", values}}));
    return 0;
  }
  Table table({"metric", "value"});
  for (const auto& [name, value] : metrics) table.add({name, base::general(value, 6)});
  table.print();
  return 0;
}

}  // namespace

void add_eval(CLI::App& app, int& exit_code) {
  static EvalOptions options;
  CLI::App* command =
      app.add_subcommand("eval", "Run the inference-runners of a manifest on a checkpoint");
  add_manifest_options(*command, options.setup)
      ->description("The manifest, or the log folder of a run");
  command->add_option("--checkpoint", options.checkpoint,
                      "A checkpoint file, or the log folder of a run. When a log folder is "
                      "evaluated: also a name in it, or best; by default the newest checkpoint");
  add_json_flag(*command, options.json);
  command->callback([&exit_code] { exit_code = eval(options); });
}

}  // namespace broch::cli
