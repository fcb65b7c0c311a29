// process_group.hpp: all ranks of a run, from when they meet until they leave.
#pragma once
#include "dist/group.hpp"
#include "dist/heartbeat.hpp"

namespace broch::dist {

class ProcessGroup {
 public:
  // `timeout` is the time limit of the group's calls.
  ProcessGroup(std::unique_ptr<Group> everyone, std::chrono::milliseconds timeout);

  Group& everyone() { return *everyone_; }
  // The group of the ranks that train, if the last ranks are parameter servers. REQUIRES: each of
  // the ranks that train calls it.
  std::unique_ptr<Group> workers();
  // For the end of a run that succeeded. Returns when all ranks have called it, or when one is
  // lost.
  void leave() { heartbeat_.leave(); }
  // The ranks that have called it. [any]
  std::vector<uint32_t> left() { return heartbeat_.left(); }

 private:
  std::unique_ptr<Group> everyone_;
  Heartbeat heartbeat_;
};

// Waits for the other ranks and makes the group of all. `engine` is "gloo", "nccl" or "mpi"; it is
// loaded as a shared object from the program's installation. `timeout` limits this call and each
// later one. Throws base::Error: collective if a rank does not come, plugin if the engine is
// missing. From then on the process ignores SIGPIPE.
std::unique_ptr<ProcessGroup> join(const Ranks& ranks, std::chrono::milliseconds timeout,
                                   const std::string& engine = "gloo");

}  // namespace broch::dist
