// process_group.hpp: all ranks of a training, from when they meet until they leave.
#pragma once
#include "dist/group.hpp"
#include "dist/heartbeat.hpp"

namespace broch::dist {

class ProcessGroup {
 public:
  // timeout: of the group's calls.
  ProcessGroup(std::unique_ptr<Group> everyone, std::chrono::milliseconds timeout);

  Group& everyone() { return *everyone_; }
  // Those that train, where the last ranks are parameter servers. REQUIRES: called by each of them.
  std::unique_ptr<Group> workers();
  // For the end of a training that went well: returns when all have called it, or one is lost.
  void leave() { heartbeat_.leave(); }

 private:
  std::unique_ptr<Group> everyone_;
  Heartbeat heartbeat_;
};

// Meets the others. Opens the engine, "gloo", "nccl" or "mpi", a shared object beside the program.
// timeout: of this and of each later call. Throws base::Error: collective where a rank does not
// come, plugin where the engine is missing. The process ignores SIGPIPE from then on.
std::unique_ptr<ProcessGroup> join(const Ranks& ranks, std::chrono::milliseconds timeout,
                                   const std::string& engine = "gloo");

}  // namespace broch::dist
