// main.cpp: arguments in, exit code out.
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "commands.hpp"

namespace {

// "broch run plot": the command that was being read.
std::string command_of(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app.get_name() : app.get_name() + " " + command_of(*chosen.front());
}

// CLI11's own numbers are replaced by the documented one.
int parse_and_run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    const std::string command = command_of(app);
    std::cerr << error.what() << "\ntry "
              << (command == app.get_name() ? command + " COMMAND" : command) << " --help\n";
    return static_cast<int>(broch::base::Exit::usage);
  }
}

int report(broch::base::Exit exit, const char* what) {
  broch::base::error(what);
  return static_cast<int>(exit);
}

}  // namespace

int main(int argc, char** argv) {
  // A file-size limit is then an error of the write, which names the file.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app{"Broch trains neural networks from parts that were built apart.", "broch"};
  app.require_subcommand(1);
  int exit_code = 0;
  broch::cli::add_commands(app, exit_code);
  try {
    const int parsed = parse_and_run(app, argc, argv);
    return parsed != 0 ? parsed : exit_code;
  } catch (const broch::base::Error& error) {
    return report(error.exit(), error.what());
  } catch (const std::bad_alloc&) {
    return report(broch::base::Exit::memory, "out of memory");
  } catch (const std::exception& error) {
    return report(broch::base::Exit::training, error.what());
  }
}
