// new_command.cpp: broch plugin new.
#include <iostream>

#include "base/text.hpp"
#include "commands.hpp"
#include "plugins/metadata.hpp"
#include "scaffold/new_plugin.hpp"

namespace broch::cli {

void add_plugin_new(CLI::App& plugin, int& exit_code) {
  static scaffold::NewPlugin options;
  CLI::App* command = plugin.add_subcommand(
      "new", "Write a folder with a small working plugin and a manifest that trains with it");
  command->add_option("role", options.role, base::join(plugins::known_roles(), ", "))->required();
  command->add_option("name", options.name, "loss-watch, or org.example.loss-watch")->required();
  command->add_option("--lang", options.language, "c, c++ or rust; by default c++");
  command->add_option("--dir", options.folder, "The new folder; by default the plugin's name");
  command->callback([&exit_code] {
    for (const auto& file : scaffold::write(options)) std::cout << file.string() << '\n';
    exit_code = 0;
  });
}

}  // namespace broch::cli
