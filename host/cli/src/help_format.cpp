// help_format.cpp: help in two columns, of which the second is wrapped.
#include "help_format.hpp"

#include <algorithm>

#include "output.hpp"

namespace broch::cli {
namespace {

constexpr size_t kColumn = 30;

std::string in_columns(const std::string& left, const std::string& right) {
  std::string line = "  " + left, text;
  if (line.size() >= kColumn) {
    text = line + "\n";
    line.clear();
  }
  for (const std::string& part : wrapped(right, Table::kWidth - kColumn)) {
    line.append(kColumn - line.size(), ' ');
    text += line + part + "\n";
    line.clear();
  }
  return text;
}

// "{torch,null}" for "TEXT:{torch,null}", "INT" for "UINT:INT in [1 - 4096]".
std::string kind_of(const std::string& type) {
  const size_t begin = type.find('{');
  if (begin != std::string::npos) return type.substr(begin);
  const std::string kind = type.substr(0, type.find(':'));
  return kind == "UINT" ? "INT" : kind;
}

}  // namespace

std::string HelpFormat::make_description(const CLI::App* app) const {
  std::string text;
  for (const std::string& line : wrapped(app->get_description(), Table::kWidth))
    text += line + "\n";
  return text;
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  return in_columns(command->get_name(), command->get_description());
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  return in_columns(make_option_name(option, is_positional) + make_option_opts(option),
                    option->get_description());
}

std::string HelpFormat::make_option_name(const CLI::Option* option, bool is_positional) const {
  std::string name = CLI::Formatter::make_option_name(option, is_positional);
  const size_t begin = name.find('{');
  if (begin == std::string::npos) return name;
  name.replace(begin, 1, "[=");
  std::ranges::replace(name, '}', ']');
  return name;
}

std::string HelpFormat::make_option_opts(const CLI::Option* option) const {
  const std::string kind = kind_of(option->get_type_name());
  std::string text = option->get_type_size() == 0 || kind.empty() ? "" : " " + kind;
  if (option->get_items_expected_max() > 1) text += " ...";
  if (option->get_required()) text += " (required)";
  if (!option->get_envname().empty()) text += " ($" + option->get_envname() + ")";
  return text;
}

}  // namespace broch::cli
