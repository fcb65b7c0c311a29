// spawn_plan.hpp: what a new process gets.
#pragma once
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace broch::sending {

// Valid as long as the texts. With a null pointer at the end, as exec wants it.
inline std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

// The given descriptors as 0, 1, 2 … and no others, a group of its own, and the usual meaning of
// all signals, of which this process may ignore or block some.
class SpawnPlan {
 public:
  // folder: where it works; "": where this process does.
  explicit SpawnPlan(const std::vector<int>& descriptors, const std::string& folder = "") {
    posix_spawn_file_actions_init(&actions_);
    int next = 0;
    for (const int descriptor : descriptors)
      posix_spawn_file_actions_adddup2(&actions_, descriptor, next++);
    posix_spawn_file_actions_addclosefrom_np(&actions_, next);
    if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  // Returns 0, or why it failed as a value of errno.
  int start(pid_t& process, std::vector<std::string> words, char* const* environment) const {
    return posix_spawnp(&process, words[0].c_str(), &actions_, &attributes_,
                        pointers_to(words).data(), environment);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace broch::sending
