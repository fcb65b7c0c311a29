// page_server.cpp: starts the program, and reads the address that it prints.
#include "page_server.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace broch::ui_test {

namespace fs = std::filesystem;

fs::path add_run(const Folder& folder, const std::string& name, const Json& records) {
  folder.write(name + "/log.log", "the log of " + name + "\n");
  folder.write(name + "/manifest.resolved.json", Json{{"name", name}}.dump());
  std::string text = "[";
  for (const Json& record : records) text += (text.size() > 1 ? ",\n" : "\n") + record.dump();
  folder.write(name + "/stats.json", text + "\n]\n");
  return folder.path() / name;
}

PageServer::PageServer(const fs::path& folder) {
  int out[2];
  REQUIRE(pipe2(out, O_CLOEXEC) == 0);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(out[1], STDOUT_FILENO);
    execl(BROCH_PROGRAM, BROCH_PROGRAM, "ui", folder.c_str(), "--quiet", "--token", kToken.c_str(),
          nullptr);
    _exit(126);
  }
  close(out[1]);
  std::string line;
  for (char byte; read(out[0], &byte, 1) == 1 && byte != '\n';) line += byte;
  close(out[0]);
  REQUIRE(line.ends_with("/?token=" + kToken));
  REQUIRE(line.starts_with("http://127.0.0.1:"));
  port_ = std::stoi(line.substr(line.rfind(':') + 1));
}

PageServer::~PageServer() {
  if (pid_ >= 0) end();
}

int PageServer::end() {
  kill(pid_, SIGTERM);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Response PageServer::get(const std::string& path) const {
  return Client(port_).ask(test::get(path, "Authorization: Bearer " + kToken + "\r\n"));
}

Response PageServer::post(const std::string& path, const std::string& body) const {
  return Client(port_).ask(
      test::post(path, body, "Authorization: Bearer " + kToken + "\r\nX-Broch: 1\r\n"));
}

Json PageServer::api(const std::string& path) const {
  const Response response = get("/api/" + path);
  INFO(response.body);
  REQUIRE(response.status == 200);
  return response.json();
}

std::string PageServer::id(const std::string& name) const {
  const Json answer = api("runs");
  for (const Json& run : answer["runs"])
    if (run["name"] == name) return run["id"];
  FAIL("no run " << name);
  return "";
}

}  // namespace broch::ui_test
