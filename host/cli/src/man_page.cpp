// man_page.cpp: commands with their options, then the help topics.
#include "man_page.hpp"

#include <cstdio>

#include "commands.hpp"
#include "help_topics.hpp"

namespace broch::cli {
namespace {

// The name that troff has for the character at this position, such as "\\[u2026]". Moves at to the
// last byte of the character.
std::string beyond_ascii(const std::string& utf8, size_t& at) {
  const auto lead = static_cast<unsigned char>(utf8[at]);
  const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  unsigned code = lead & (0x3F >> more);
  for (int i = 0; i < more && at + 1 < utf8.size(); ++i)
    code = code << 6 | (static_cast<unsigned char>(utf8[++at]) & 0x3F);
  char name[16];
  std::snprintf(name, sizeof name, "\\[u%04X]", code);
  return name;
}

// Ensures that troff prints the text unchanged and does not read commands in it.
std::string escaped(const std::string& text) {
  std::string result;
  bool line_begins = true;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (line_begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (static_cast<unsigned char>(c) >= 0x80)
      result += beyond_ascii(text, i);
    else
      result += c;
    line_begins = c == '\n';
  }
  return result;
}

std::string heading(const CLI::App& command, const std::string& before) {
  std::string line = before + command.get_name();
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) {
      const bool many = option->get_items_expected_max() > 1;
      const std::string name = option->get_name(true) + (many ? " ..." : "");
      line += option->get_required() ? " " + name : " [" + name + "]";
    }
  return line;
}

std::string options_of(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options())
    text += ".TP\n.B " + escaped(option->get_name(option->get_positional(), true)) + "\n" +
            escaped(option->get_description()) + "\n";
  return text;
}

void add_command(const CLI::App& command, const std::string& before, std::string& text) {
  const std::vector<const CLI::App*> inner = commands_of(command);
  const std::string name = heading(command, before);
  if (inner.empty() || command.get_require_subcommand_min() == 0)
    text += ".SS " + escaped(name) + "\n" + escaped(command.get_description()) + "\n" +
            options_of(command);
  for (const CLI::App* one : inner) add_command(*one, name + " ", text);
}

}  // namespace

std::string man_page(const CLI::App& app) {
  std::string text = ".TH BROCH 1 \"\" \"broch " BROCH_VERSION
                     "\" \"Broch\"\n.SH NAME\nbroch \\- " +
                     escaped(app.get_description()) +
                     "\n.SH SYNOPSIS\n.B broch\n.I command\n[\\fIoption\\fR ...]\n"
                     ".SH DESCRIPTION\nData goes to stdout, messages go to stderr. Commands that "
                     "read print JSON with\n.BR \\-\\-json .\n.SH OPTIONS\n" +
                     options_of(app) + ".SH COMMANDS\n";
  for (const CLI::App* command : commands_of(app)) add_command(*command, "broch ", text);
  for (const HelpTopic& topic : help_topics())
    text += ".SH " + topic.heading + "\n.nf\n" + escaped(topic.text) + ".fi\n";
  return text;
}

}  // namespace broch::cli
