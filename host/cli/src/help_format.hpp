// help_format.hpp: the layout of --help: what CLI11 prints, in lines that fit the terminal.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace broch::cli {

class HelpFormat final : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  // "--resume[=newest]" for "--resume{newest}".
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
  // "INT", "{torch,null}", "TEXT ...". Ranges and exclusions are left out; errors mention them.
  std::string make_option_opts(const CLI::Option* option) const override;
};

}  // namespace broch::cli
