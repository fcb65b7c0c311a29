// ranks.hpp: the number of this process among the ranks of a run, as the launcher gives it.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace broch::dist {

struct Ranks {
  uint32_t rank = 0, world = 1;
  uint32_t local_rank = 0;  // the number among the ranks of this machine
  uint32_t servers = 0;     // how many ranks are parameter servers; these are the last ones
  std::string launcher;     // "broch", "torchrun", "Open MPI", "MPICH", "SLURM"; "": none
  std::string address;      // where the ranks meet
  uint16_t port = 0;
  bool serves = true;  // rank 0 listens there; false: the launcher's agent does
  // How often the launcher has restarted the ranks. Its agent still stores what the earlier ones
  // sent.
  uint32_t attempt = 0;
  int listening = -1;  // the descriptor of a socket that already listens there, or -1

  bool alone() const { return world == 1; }
  uint32_t workers() const { return world - servers; }
  bool is_server() const { return rank >= workers(); }
};

// Gives the value of an environment variable, or nullptr if it is not set.
using Environment = std::function<const char*(const char* name)>;

// Reads RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT, TORCHELASTIC_USE_AGENT_STORE and
// TORCHELASTIC_RESTART_COUNT, which torchrun sets. So does `broch train --ranks`, which adds
// BROCH_MASTER_FD. Without them it reads the variables of Open MPI, MPICH or SLURM, and
// MASTER_PORT, which is 29500 if not set. `by_socket` says that the ranks meet at an address and a
// port, which then have to be known; MPI needs neither. Throws base::Error (usage), which names the
// variable that is missing or wrong. Source: PyTorch, "torchrun (Elastic Launch)" and "Environment
// variable initialization"; the manuals of the launchers.
Ranks ranks_of(const Environment& environment, bool by_socket = true);
Ranks ranks_of_this_process(bool by_socket = true);

// The first host of a list in SLURM's format: for "node[07-09,12],other" it is "node07".
std::string first_host(const std::string& list);

}  // namespace broch::dist
