// processes.hpp: processes, and what they find: children, environments, ports.
#pragma once
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace broch::ranks_test {

// Processes whose parent is that one.
inline std::vector<pid_t> children_of(pid_t parent) {
  std::ifstream file("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) +
                     "/children");
  std::vector<pid_t> children;
  for (pid_t child; file >> child;) children.push_back(child);
  return children;
}

// Gone, or left over for a parent that does not ask.
inline bool ended(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return !(file >> number >> name >> state) || state == "Z";
}

// What processes started meanwhile find in their environment.
class Variables {
 public:
  explicit Variables(const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) {
      const char* const before = std::getenv(name.c_str());
      before_[name] = before ? std::optional<std::string>(before) : std::nullopt;
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  ~Variables() {
    for (const auto& [name, before] : before_)
      before ? setenv(name.c_str(), before->c_str(), 1) : unsetenv(name.c_str());
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

// Nobody listens there now.
inline unsigned free_port() {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const place = reinterpret_cast<sockaddr*>(&address);
  REQUIRE(bind(descriptor, place, size) == 0);
  REQUIRE(getsockname(descriptor, place, &size) == 0);
  close(descriptor);
  return ntohs(address.sin_port);
}

}  // namespace broch::ranks_test
