// plugin_check_command.cpp: broch plugin check: tests a plugin file, with one process per test.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <regex>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "base/real_number.hpp"
#include "base/text.hpp"
#include "check/check.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"

namespace broch::cli {
namespace {

using check::Result;
using check::Status;

struct CheckOptions {
  check::Options check;
  std::vector<std::string> with;  // "id={…}"
  bool json = false;
  bool list = false;
  bool strict = false;   // a component that could not be tested is a failure
  check::Job child;      // set only in a child process
  bool nursery = false;  // this is a process that forks child processes
};

std::string describe_count(const std::vector<Result>& results) {
  std::string text;
  for (const Status status : {Status::passed, Status::failed, Status::skipped}) {
    const auto count =
        std::count_if(results.begin(), results.end(),
                      [status](const Result& result) { return result.status == status; });
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + status_name(status);
  }
  return text;
}

std::string indented(const std::string& text, const std::string& by) {
  std::string result = by;
  for (const char c : text) result += c == '\n' ? "\n" + by : std::string(1, c);
  return result;
}

std::string padded(std::string text, size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

// Each test has a folder of its own, whose name makes equal messages different.
std::string without_folders(const std::string& message) {
  static const std::regex folder("/broch-check-[^/]*");
  return std::regex_replace(message, folder, "/broch-check");
}

// Prints results as they arrive. If several tests of a component are skipped for the same reason,
// prints the reason only once.
class Lines {
 public:
  void show(const Result& result) {
    std::string line = padded(status_name(result.status), 9) + padded(result.test, 19) +
                       (result.component.empty() ? "(file)" : result.component);
    const bool again = result.status == Status::skipped && !result.message.empty() &&
                       !said_.insert({result.component, without_folders(result.message)}).second;
    const std::string message = again ? "for the same reason" : result.message;
    const size_t end = message.find('\n');
    if (!message.empty()) line += ": " + message.substr(0, end);
    std::cout << line << '\n';
    if (end != std::string::npos)
      std::cout << indented(message.substr(end + 1), "         ") << '\n';
    std::cout.flush();
    if (!result.output.empty()) std::cerr << indented(result.output, "         | ") << '\n';
  }

 private:
  std::set<std::pair<std::string, std::string>> said_;  // component, message
};

bool builds_on_failed(const Result& result, const std::vector<Result>& results) {
  return std::ranges::any_of(results, [&](const Result& other) {
    return other.status == Status::failed && result.message == other.test + " failed";
  });
}

// Components that refused to work, so that most tests could not test them. Those of which an
// earlier test has failed are not among them: other options would not help.
std::vector<const Result*> untried(const std::vector<Result>& results) {
  std::vector<const Result*> found;
  for (const Result& result : results)
    if (result.test == "drive" && result.status == Status::skipped &&
        !builds_on_failed(result, results))
      found.push_back(&result);
  return found;
}

// "": all components did their work.
std::string describe_untried(const std::vector<Result>& results) {
  std::vector<std::string> names;
  for (const Result* result : untried(results)) names.push_back(result->component);
  if (names.empty()) return "";
  return "hardly tested, for the reason that drive gives: " + base::join(names, ", ") +
         "\n  hint: give options that work, as in --with '" + names.front() + "={…}'\n";
}

Value value_of(const Result& result) {
  Value value = object({{"name", text(result.test)},
                        {"component", text_or_null(result.component)},
                        {"status", text(status_name(result.status))},
                        {"message", text(result.message)},
                        {"seconds", number(result.seconds)}});
  if (result.status == Status::failed) value.set("output", text(result.output));
  return value;
}

int list_tests(const CheckOptions& options) {
  Value::Array tests;
  Table table({"test", "of", "it"});
  for (const check::TestInfo& test : check::list_tests()) {
    const char* const of = test.of_component ? "component" : "file";
    tests.push_back(
        object({{"name", text(test.name)}, {"of", text(of)}, {"summary", text(test.summary)}}));
    table.add({test.name, of, test.summary});
  }
  options.json ? print_json(object({{"tests", Value(std::move(tests))}})) : table.print();
  return 0;
}

void read_with(CheckOptions& options) {
  for (const std::string& given : options.with) {
    const size_t end = given.find('=');
    if (end == std::string::npos)
      throw base::Error(base::Exit::usage,
                        {"broch plugin check --with", base::quoted(given),
                         "a component id, '=' and a JSON object",
                         "for example --with 'org.example.x={\"metric\": \"cost\"}'"});
    options.check.with[given.substr(0, end)] = given.substr(end + 1);
  }
}

// The command line of a child process, which runs one test, or of a nursery.
std::vector<std::string> child_arguments(const CheckOptions& options, const check::Job* job) {
  const check::Options& check = options.check;
  std::vector<std::string> words = {"broch",
                                    "plugin",
                                    "check",
                                    check.file,
                                    "--seed",
                                    std::to_string(check.seed),
                                    "--configurations",
                                    std::to_string(check.configurations),
                                    "--creations",
                                    std::to_string(check.creations),
                                    "--faults",
                                    std::to_string(check.faults),
                                    "--timeout",
                                    std::to_string(check.seconds)};
  if (job)
    words.insert(words.end(), {"--child", job->test, "--component", job->component});
  else
    words.emplace_back("--nursery");
  for (const std::string& folder : check.plugin_path)
    words.insert(words.end(),
                 {"--plugin-path", std::filesystem::absolute(folder).lexically_normal().string()});
  for (const std::string& given : options.with) words.insert(words.end(), {"--with", given});
  if (!options.with.empty()) words.insert(words.end(), {"--folder", check.folder});
  return words;
}

int run_check(CheckOptions& options) {
  if (options.list) return list_tests(options);
  if (options.check.file.empty())
    throw base::Error(base::Exit::usage, {"broch plugin check", "no file", "a plugin file",
                                          "broch plugin check --help tells more"});
  options.check.file = std::filesystem::absolute(options.check.file).lexically_normal().string();
  read_with(options);
  if (options.check.folder.empty()) options.check.folder = std::filesystem::current_path().string();
  if (options.nursery) {
    check::run_nursery(options.check);
    return 0;
  }
  if (!options.child.test.empty()) {
    check::run_single(options.check, options.child);
    return 0;
  }
  Lines lines;
  const auto results = check::check(
      options.check, [&](const check::Job* job) { return child_arguments(options, job); },
      [&](const Result& result) {
        if (!options.json) lines.show(result);
      });
  const bool failed =
      std::any_of(results.begin(), results.end(),
                  [](const Result& result) { return result.status == Status::failed; }) ||
      (options.strict && !untried(results).empty());
  if (options.json) {
    Value::Array tests, hardly;
    for (const Result& result : results) tests.push_back(value_of(result));
    for (const Result* result : untried(results)) hardly.push_back(text(result->component));
    print_json(object({{"file", text(options.check.file)},
                       {"seed", integer(int64_t(options.check.seed))},
                       {"passed", Value(!failed)},
                       {"untried", Value(std::move(hardly))},
                       {"tests", Value(std::move(tests))}}));
  } else {
    std::cout << describe_count(results) << '\n' << describe_untried(results);
  }
  return failed ? static_cast<int>(base::Exit::plugin) : 0;
}

}  // namespace

void add_plugin_check(CLI::App& plugin, int& exit_code) {
  static CheckOptions options;
  check::Options& check = options.check;
  check.jobs = std::max(1u, std::thread::hardware_concurrency());
  CLI::App* command =
      plugin.add_subcommand("check", "Test a plugin file, with one process per test");
  command->add_option("file", check.file, "The plugin file");
  command->add_option("--test", check.tests, "Run only this test; may be given several times")
      ->allow_extra_args(false);
  command->add_flag("--strict", options.strict,
                    "Also fail if a component refused to work, so that it was hardly tested");
  command->add_flag("--list", options.list, "List the tests");
  command
      ->add_option("--with", options.with,
                   "ID={...}: options for this component, in addition to the required ones")
      ->allow_extra_args(false);
  command->add_option("--seed", check.seed, "Seed for random options");
  command
      ->add_option("--configurations", check.configurations,
                   "Number of random options per component")
      ->check(CLI::Range(0, 1000000));
  command->add_option("--creations", check.creations, "Number of instances that one test creates")
      ->check(CLI::Range(10, 1000000));
  command
      ->add_option("--faults", check.faults,
                   "Number of host calls that are made to fail, one at a time")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--timeout", check.seconds, "Seconds per test")
      ->check(base::within(1, 86'400));
  command->add_option("--jobs", check.jobs, "Number of tests in parallel")
      ->check(CLI::Range(1, 1024));
  add_plugin_path(*command, check.plugin_path);
  add_json_flag(*command, options.json);
  command->add_option("--child", options.child.test)->group("");
  command->add_flag("--nursery", options.nursery)->group("");
  command->add_option("--component", options.child.component)->group("");
  command->add_option("--folder", check.folder)->group("");
  command->callback([&exit_code] { exit_code = run_check(options); });
}

}  // namespace broch::cli
