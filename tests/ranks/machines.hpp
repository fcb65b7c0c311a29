// machines.hpp: two machines on one, and a link that can be taken down.
#pragma once
#include <sys/mount.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace broch::ranks_test {

// Two machines with a cable between them, as far as the network goes; only root can have them.
class Machines {
 public:
  Machines() {
    for (const char* name : {"a", "b"}) made_ = made_ && ip("netns add " + named(name));
    made_ = made_ && ip("-n " + named("a") + " link add cable type veth peer name cable netns " +
                        named("b"));
    for (const auto& [name, address] : {std::pair{"a", address_a()}, {"b", "10.231.7.2"}}) {
      const std::string inside = "-n " + named(name) + " ";
      made_ = made_ && ip(inside + "addr add " + address + "/24 dev cable") &&
              ip(inside + "link set cable up") && ip(inside + "link set lo up");
    }
  }
  ~Machines() {
    for (const char* name : {"a", "b"}) ip("netns del " + named(name));
    if (!was_mounted_ && is_mounted()) umount2(kNames, MNT_DETACH);  // which ip leaves behind
  }
  Machines(const Machines&) = delete;
  Machines& operator=(const Machines&) = delete;

  bool made() const { return made_; }
  static const char* address_a() { return "10.231.7.1"; }
  std::vector<std::string> inside(const char* name) const {
    return {"ip", "netns", "exec", named(name)};
  }
  bool cut() const { return ip("-n " + named("b") + " link set cable down"); }

 private:
  static std::string named(const char* name) {
    return "broch-test-" + std::to_string(getpid()) + name;
  }
  static bool ip(const std::string& words) {
    return std::system(("ip " + words + " 2> /dev/null").c_str()) == 0;
  }
  static bool is_mounted() {
    std::ifstream mounts("/proc/self/mounts");
    for (std::string line; std::getline(mounts, line);)
      if (line.find(std::string(" ") + kNames + " ") != std::string::npos) return true;
    return false;
  }

  static constexpr const char* kNames = "/run/netns";
  const bool was_mounted_ = is_mounted();
  bool made_ = true;
};

}  // namespace broch::ranks_test
