// program.cpp: fork, exec, and manifests for it.
#include "cli/program.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pty.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

namespace broch::cli_test {
namespace {

constexpr const char* kTrainedEpochs = "3";

void surround(const Surroundings& surroundings) {
  for (const char* name : {"NO_COLOR", "CLICOLOR_FORCE", "TERM"}) unsetenv(name);
  for (const auto& [name, value] : surroundings.environment) setenv(name.c_str(), value.c_str(), 1);
  if (!surroundings.folder.empty() && chdir(surroundings.folder.c_str()) != 0) _exit(126);
  if (surroundings.file_bytes) {
    const rlimit limit{surroundings.file_bytes, surroundings.file_bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  // Fails for those who do not have it, which is as good.
  if (surroundings.bound_by_rights) prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0);
  std::signal(SIGHUP, SIG_DFL);  // which the program, too, would ignore if nohup started the tests
}

[[noreturn]] void execute(const Words& arguments, const Surroundings& surroundings) {
  surround(surroundings);
  const std::string program = surroundings.program.empty() ? BROCH_PROGRAM : surroundings.program;
  std::vector<const char*> words{program.c_str()};
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  words.push_back(nullptr);
  execv(program.c_str(), const_cast<char* const*>(words.data()));
  _exit(126);
}

void redirect(int descriptor, const std::filesystem::path& path) {
  dup2(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), descriptor);
}

}  // namespace

Start::Start(const Words& arguments, const Surroundings& surroundings) : pid_(fork()) {
  if (pid_ != 0) return;
  redirect(STDOUT_FILENO, out());
  redirect(STDERR_FILENO, folder_.path() / "err");
  execute(arguments, surroundings);
}

void Start::signal(int number) const { kill(pid_, number); }

bool Start::wait_for(const std::filesystem::path& file, const std::string& text) {
  for (int i = 0; i < 3000; ++i) {
    if (holds(read_file(file), text)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

Outcome Start::finish() {
  const int exit_code = cli_harness::Training::wait(pid_);
  return {exit_code, read_file(out()), read_file(folder_.path() / "err")};
}

Outcome run(const Words& arguments, const Surroundings& surroundings) {
  return Start(arguments, surroundings).finish();
}

Json json_of(Words arguments) {
  arguments.push_back("--json");
  const Outcome outcome = run(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return Json::parse(outcome.out);
}

std::string on_terminal(const Words& arguments, const Surroundings& surroundings) {
  int terminal = -1;
  const winsize size{24, surroundings.columns, 0, 0};
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, &size);
  if (pid == 0) execute(arguments, surroundings);
  std::string text;
  char part[4096];
  // The end of the other side reads as an error.
  for (ssize_t n; (n = ::read(terminal, part, sizeof part)) > 0;) text.append(part, size_t(n));
  close(terminal);
  CHECK(cli_harness::Training::wait(pid) == 0);
  return text;
}

std::string written(const Folder& folder, const std::string& name, const std::string& text) {
  const std::filesystem::path path = folder.path() / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
  return path;
}

std::string one_spaced(const std::string& text) {
  std::istringstream stream(text);
  std::string result;
  for (std::string word; stream >> word;) result += " " + word;
  return result;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool holds_in_order(const std::string& text, const Words& parts) {
  size_t at = 0;
  for (const std::string& part : parts) {
    at = text.find(part, at);
    if (at == std::string::npos) return false;
    at += part.size();
  }
  return true;
}

Quick::Quick(double seconds_a_step, int epochs) {
  const Json wait = {{"use", "test.pause"},
                     {"with", {{"seconds", seconds_a_step}, {"events", events().string()}}}};
  const Json manifest = {
      {"broch", 1},
      {"plugins", {PAUSE_PLUGIN}},
      {"model", {{"use", "bench"}, {"with", {{"scalars", 1}}}}},
      {"data", {{"use", "dummy-constant"}, {"with", {{"shapes", {Json::array()}}}}}},
      {"callbacks", {wait, "model-saver"}},
      {"extra_callbacks", {"progress-bar"}},
      {"monitors", {"json-writer"}},
      {"steps_per_epoch", 5},
      {"max_epoch", epochs}};
  std::ofstream(this->manifest()) << manifest.dump(1);
}

Words Quick::train(const Words& words) const {
  Words all{"train", "--runtime", "null", manifest(), "log_dir=" + log_dir()};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

Words digits(const Words& command, const Words& words) {
  Words all = command;
  const Words rest{SAMPLE_DIR "/digits.json", "plugins=[\"" SAMPLE_PLUGIN "\"]",
                   "model.with.width=4", std::string("max_epoch=") + kTrainedEpochs,
                   std::string("callbacks[test].when.every_k_epochs=") + kTrainedEpochs};
  const auto replaced = [&words](const std::string& mine) {
    const std::string key = mine.substr(0, mine.find('=') + 1);
    return !key.empty() && std::any_of(words.begin(), words.end(), [&key](const std::string& word) {
      return word.starts_with(key);
    });
  };
  std::remove_copy_if(rest.begin(), rest.end(), std::back_inserter(all), replaced);
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

const std::filesystem::path& trained_digits() {
  static const Folder folder;
  static const std::filesystem::path log_dir = [] {
    const std::filesystem::path path = folder.path() / "digits";
    const Outcome outcome = run(digits({"train"}, {"log_dir=" + path.string()}));
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return path;
  }();
  return log_dir;
}

}  // namespace broch::cli_test
