// options.cpp: registers and applies the options that several commands share.
#include "options.hpp"

#include <cstdlib>

#include "base/log.hpp"
#include "commands.hpp"
#include "terminal.hpp"

namespace broch::cli {

CLI::Option* add_manifest_options(CLI::App& command, session::SetupOptions& options) {
  CLI::Option* const manifest =
      command.add_option("manifest", options.manifest, "The manifest of the run")->required();
  command.add_option("overrides", options.overrides,
                     "Overrides: trainer.use=simple, ~callbacks[name], +callbacks={...}");
  add_plugin_path(command, options.plugin_path);
  return manifest;
}

void add_flow_options(CLI::App& command, session::SetupOptions& options) {
  add_manifest_options(command, options)
      ->description("A manifest, or a dataflow as JSON text: '{\"use\": NAME, \"with\": {…}}'");
}

CLI::Option* add_plugin_path(CLI::App& command, std::vector<std::string>& folders) {
  return command.add_option("--plugin-path", folders, "Search this folder for plugins first")
      ->allow_extra_args(false);
}

void add_runtime_option(CLI::App& command, std::string& runtime) {
  command.add_option("--runtime", runtime, "torch, or null: only counters, no computation")
      ->check(CLI::IsMember({"torch", "null"}));
}

CLI::Option* add_json_flag(CLI::App& command, bool& json) {
  return command.add_flag("--json", json, "Print JSON");
}

void add_talk_options(CLI::App& app, TalkOptions& options) {
  app.add_flag("-v,--verbose", options.verbose, "Log more");
  app.add_flag("-q,--quiet", options.quiet, "Log only warnings and errors");
  app.add_option("--color", options.color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

void apply(const TalkOptions& options) {
  if (options.quiet)
    base::set_log_level(base::Level::warning);
  else if (options.verbose > 0)
    base::set_log_level(base::Level::debug);
  const bool force =
      std::getenv("CLICOLOR_FORCE") && std::string(std::getenv("CLICOLOR_FORCE")) != "0";
  const bool plain = std::getenv("NO_COLOR") && *std::getenv("NO_COLOR");
  const bool automatic = force || (!plain && stderr_takes_escapes());
  base::set_log_color(options.color == "always" || (options.color == "auto" && automatic));
}

void add_commands(CLI::App& app, int& exit_code) {
  static TalkOptions talk;
  add_talk_options(app, talk);
  app.fallthrough();
  app.parse_complete_callback([] { apply(talk); });
  for (auto* add : {add_train,   add_check,   add_plan,  add_lr_find,   add_sweep,   add_eval,
                    add_predict, add_export,  add_serve, add_config,    add_plugin,  add_data,
                    add_ckpt,    add_run,     add_ui,    add_ctl,       add_program, add_bench,
                    add_env,     add_version, add_help,  add_completion})
    add(app, exit_code);
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); });
}

}  // namespace broch::cli
