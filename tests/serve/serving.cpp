// serving.cpp: the program and its bundles.
#include "serving.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <sstream>

#include "bundles.hpp"

namespace broch::serve_test {

std::string write_linear(const Folder& folder) { return linear(folder / "m"), folder / "m"; }
std::string write_lookup(const Folder& folder) {
  return lookup(folder / "lookup"), folder / "lookup";
}
std::string write_long(const Folder& folder) { return products(folder / "long"), folder / "long"; }

std::vector<float> by_hand(const std::vector<float>& x) { return graph_test::by_hand(x); }

Json linear_request(const std::vector<float>& x) {
  return {{"inputs",
           {{{"name", "x"}, {"datatype", "FP32"}, {"shape", {x.size() / 3, 3}}, {"data", x}}}}};
}

Server::Server(const Folder& folder, const std::vector<std::string>& words) : folder_(folder) {
  int out[2];
  REQUIRE(pipe2(out, O_CLOEXEC) == 0);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(out[1], STDOUT_FILENO);
    dup2(open((folder / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644), STDERR_FILENO);
    std::vector<const char*> arguments = {BROCH_PROGRAM, "serve"};
    if (std::ranges::find(words, "--port") == words.end())
      arguments.insert(arguments.end(), {"--port", "0"});
    for (const std::string& word : words) arguments.push_back(word.c_str());
    arguments.push_back(nullptr);
    execv(BROCH_PROGRAM, const_cast<char* const*>(arguments.data()));
    _exit(126);
  }
  close(out[1]);
  std::string line;
  for (char byte; read(out[0], &byte, 1) == 1 && byte != '\n';) line += byte;
  close(out[0]);
  if (const size_t colon = line.rfind(':'); colon != line.npos)
    port_ = std::stoi(line.substr(colon + 1));
}

Server::~Server() {
  if (pid_ < 0) return;
  signal(SIGKILL);
  wait();
}

void Server::signal(int number) const { kill(pid_, number); }

int Server::wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

double Server::metric(const std::string& name) const {
  std::istringstream lines(ask(get("/metrics")).body);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name + " ")) return std::stod(line.substr(name.size() + 1));
  return -1;
}

}  // namespace broch::serve_test
