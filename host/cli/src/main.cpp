// main.cpp: parses the arguments, runs the command, returns the exit code.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/system_failure.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "help_format.hpp"

namespace {

// The command that was being parsed, such as "broch run plot".
std::string command_of(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app.get_name() : app.get_name() + " " + command_of(*chosen.front());
}

std::vector<std::string> commands_below(const CLI::App* app) {
  std::vector<std::string> names;
  for (const CLI::App* command : broch::cli::commands_of(*app))
    names.push_back(command->get_name());
  return names;
}

// The names of the options of a command, such as "--resume", and of the commands above it, whose
// options it accepts, too.
std::vector<std::string> options_of(const CLI::App* command) {
  std::vector<std::string> names;
  for (; command; command = command->get_parent())
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// Settings that are options in other programs, such as --epochs, are values of the manifest here.
broch::base::Diagnostic diagnostic_of_option(const CLI::App& command, const std::string& where,
                                             const std::string& word) {
  const std::vector<std::string> known = options_of(&command);
  const std::string near = broch::base::nearest(word.substr(0, word.find('=')), known);
  const std::string more = where + " --help lists them";
  const bool has_overrides = command.get_option_no_throw("overrides") != nullptr;
  return {where, broch::base::quoted(word), "an option of this command",
          !near.empty()   ? "did you mean " + broch::base::quoted(near) + "?"
          : has_overrides ? more + "; a value of the manifest is changed by its path: max_epoch=3"
                          : more};
}

// For a mistyped command, CLI11 only reports that there is none.
broch::base::Diagnostic diagnostic_of(CLI::App& app, const CLI::ParseError& error) {
  CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  const std::vector<std::string> known = commands_below(command), extra = app.remaining(true);
  broch::base::Diagnostic diagnostic{command_of(app), error.what(), "",
                                     command_of(app) + " --help tells more"};
  const bool is_about_commands =
      error.get_name() == "RequiredError" || error.get_name() == "ExtrasError";
  const bool is_option = !extra.empty() && extra.front().starts_with("-");
  if (is_option && error.get_exit_code() == int(CLI::ExitCodes::ExtrasError))
    return diagnostic_of_option(*command, diagnostic.where, extra.front());
  if (known.empty() || !is_about_commands || is_option) return diagnostic;
  diagnostic.found = extra.empty() ? "no command" : broch::base::quoted(extra.front());
  diagnostic.expected = "one of " + broch::base::join(known, ", ");
  const std::string near = extra.empty() ? "" : broch::base::nearest(extra.front(), known);
  if (!near.empty()) diagnostic.hint = "did you mean " + broch::base::quoted(near) + "?";
  return diagnostic;
}

// If whoever has started the program has closed stdin, stdout or stderr, the next file that is
// opened would get its number, and what is printed would be written into that file. So something
// takes its place for which reading, or writing, fails as before.
void fill_closed_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

bool reader_has_left() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return poll(&output, 1, 0) == 1 && output.revents & (POLLERR | POLLHUP);
}

// A command's output is data, so an incomplete output must not end in success.
void require_written() {
  if (std::cout.flush()) return;
  broch::base::Diagnostic diagnostic{"standard output", "it could not be written to the end",
                                     "room for all that the command prints",
                                     "free space, or write to another place"};
  if (reader_has_left()) {
    diagnostic.found = "the reader of the pipe ended before it had read everything";
    diagnostic.expected = "a reader that reads to the end";
    diagnostic.hint = "if the rest is not needed, this is no problem";
  }
  throw broch::base::Error(broch::base::Exit::data, diagnostic);
}

// The help of the command that the words name. The parser may not know it: in "broch ctl status
// --help" it takes status for the log folder.
std::string help_for(const CLI::App& app, int argc, char** argv) {
  const CLI::App* command = &app;
  std::string above;
  for (int i = 1; i < argc; ++i) {
    const std::vector<const CLI::App*> inner = broch::cli::commands_of(*command);
    const auto found = std::ranges::find(inner, argv[i], &CLI::App::get_name);
    if (found == inner.end()) continue;
    above += (above.empty() ? "" : " ") + command->get_name();
    command = *found;
  }
  return command->help(above);
}

// All errors of CLI11 get the documented exit code for usage. Without arguments, the program prints
// its help, as cargo and kubectl do.
int parse_and_run(CLI::App& app, int argc, char** argv) {
  if (argc == 1) {
    std::cout << app.help();
    return 0;
  }
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::CallForHelp&) {
    std::cout << help_for(app, argc, argv);
    return 0;
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    throw broch::base::Error(broch::base::Exit::usage, diagnostic_of(app, error));
  }
}

}  // namespace

broch::base::Exit broch::cli::report_failure() {
  const auto report = [](const std::exception& error, base::Exit exit) {
    base::error(error.what());
    return exit;
  };
  try {
    throw;
  } catch (const base::Error& error) {
    return report(error, error.exit());
  } catch (const std::bad_alloc&) {
    base::error("out of memory");
    return base::Exit::memory;
  } catch (const std::length_error&) {
    base::error("out of memory: more elements than memory can hold");
    return base::Exit::memory;
  } catch (const std::exception& error) {
    if (const auto known = base::system_failure(error)) return report(*known, known->exit());
    return report(error, base::Exit::training);
  }
}

int main(int argc, char** argv) {
  fill_closed_descriptors();
  // Then exceeding the limit of file sizes is an error of write, whose message names the file.
  std::signal(SIGXFSZ, SIG_IGN);
  // If whoever has started the program ignores this one, nobody learns how a child has ended.
  std::signal(SIGCHLD, SIG_DFL);
  CLI::App app{"Broch trains neural networks that are assembled from plugins.", "broch"};
  app.require_subcommand(1);
  app.formatter(std::make_shared<broch::cli::HelpFormat>());
  int exit_code = 0;
  broch::cli::add_commands(app, exit_code);
  app.footer(
      "broch COMMAND --help tells more; broch help lists topics, such as manifest and overrides.");
  try {
    const int parsed = parse_and_run(app, argc, argv);
    require_written();
    return parsed != 0 ? parsed : exit_code;
  } catch (const std::exception&) {
    return static_cast<int>(broch::cli::report_failure());
  }
}
