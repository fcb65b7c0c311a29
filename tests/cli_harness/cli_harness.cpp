// cli_harness.cpp: starts the program and reads what it left behind.
#include "cli_harness/cli_harness.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "store/checkpoint.hpp"

namespace broch::cli_harness {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

template <class Element>
std::vector<double> elements(std::span<const std::byte> bytes) {
  std::vector<double> values;
  for (size_t at = 0; at < bytes.size(); at += sizeof(Element)) {
    Element element;
    std::memcpy(&element, bytes.data() + at, sizeof element);
    values.push_back(static_cast<double>(element));
  }
  return values;
}

std::vector<double> elements(const store::TensorView& tensor) {
  switch (tensor.dtype) {
    case store::Dtype::f32:
      return elements<float>(tensor.bytes);
    case store::Dtype::f64:
      return elements<double>(tensor.bytes);
    case store::Dtype::i64:
      return elements<int64_t>(tensor.bytes);
    default:
      throw std::runtime_error(tensor.name + ": a dtype that this test does not read");
  }
}

// The level of execution that this test is run for, where the manifest says none.
void choose_level(Json& manifest) {
  const char* const level = getenv("BROCH_TEST_LEVEL");
  if (level && !manifest["runtime"].contains("level")) manifest["runtime"]["level"] = level;
}

// The device that this test is run for, where the manifest says none.
void choose_device(Json& manifest) {
  const char* const device = getenv("BROCH_TEST_DEVICE");
  if (!device) return;
  Json& trainer = manifest["trainer"];
  if (trainer.is_null()) trainer = "simple";
  if (trainer.is_string()) trainer = {{"use", trainer}};
  if (!trainer["with"].contains("devices")) trainer["with"]["devices"] = {device};
}

}  // namespace

Training::Training(const Folder& folder, const std::string& name, Json manifest)
    : manifest_(folder.path() / (name + ".json")),
      log_dir_(folder.path() / name),
      talk_(folder.path() / (name + ".talk")) {
  manifest["log_dir"] = log_dir_.string();
  choose_level(manifest);
  choose_device(manifest);
  std::ofstream(manifest_) << manifest.dump(1);
}

pid_t Training::start(const std::vector<std::string>& arguments,
                      const std::vector<std::string>& launcher, const char* command) const {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const int file = open(talk_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  std::vector<const char*> words;
  for (const std::string& word : launcher) words.push_back(word.c_str());
  words.insert(words.end(), {BROCH_PROGRAM, command, manifest_.c_str()});
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  words.push_back(nullptr);
  execvp(words.front(), const_cast<char* const*>(words.data()));
  _exit(126);
}

int Training::wait(pid_t pid) {
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid)
    throw std::runtime_error("cannot run the program");
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string Training::talk() const { return content(talk_); }

std::string Training::text(const std::string& file) const { return content(log_dir_ / file); }

Values Training::checkpoint(int64_t step) const {
  return variables(store::checkpoint_file(log_dir_, store::checkpoint_name(step)));
}

Values Training::variables(const std::filesystem::path& file) {
  const store::Checkpoint checkpoint = store::read_checkpoint(file);
  Values values;
  for (const store::SavedVariable& variable : checkpoint.contents.variables)
    values[variable.value.name] = elements(variable.value);
  return values;
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace broch::cli_harness
