// help_format.hpp: how --help looks: what CLI11 prints, in lines that fit.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace broch::cli {

class HelpFormat final : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  // "--resume[=newest]" of "--resume{newest}"
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
  // "INT", "{torch,null}", "TEXT ..."; ranges and what excludes what are told when they matter.
  std::string make_option_opts(const CLI::Option* option) const override;
};

}  // namespace broch::cli
