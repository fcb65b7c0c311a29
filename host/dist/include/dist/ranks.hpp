// ranks.hpp: who this process is among those that train together, as its launcher says.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace broch::dist {

struct Ranks {
  uint32_t rank = 0, world = 1;
  uint32_t local_rank = 0;  // on this machine
  uint32_t servers = 0;     // how many of them, the last ones, are parameter servers
  std::string launcher;     // "broch", "torchrun", "Open MPI", "MPICH", "SLURM"; "": there is none
  std::string address;      // where they meet
  uint16_t port = 0;
  bool serves = true;  // rank 0 opens the place to meet; false: the launcher's agent has
  // How often the launcher has started them before: its agent still holds what those ranks said.
  uint32_t attempt = 0;
  int listening = -1;  // the descriptor of a socket that listens there already; -1: none

  bool alone() const { return world == 1; }
  uint32_t workers() const { return world - servers; }
  bool is_server() const { return rank >= workers(); }
};

// The value of an environment variable, nullptr without one.
using Environment = std::function<const char*(const char* name)>;

// From RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT, TORCHELASTIC_USE_AGENT_STORE and
// TORCHELASTIC_RESTART_COUNT (torchrun, and broch train --ranks, which adds BROCH_MASTER_FD); else
// those of Open MPI, MPICH and SLURM, with MASTER_PORT, 29500 without one. Throws base::Error
// (usage) naming the variable that is missing or wrong. Source: PyTorch, "torchrun (Elastic
// Launch)" and "Environment variable initialization"; the manuals of the launchers. by_socket: they
// meet there, so that address and port have to be known; MPI needs none.
Ranks ranks_of(const Environment& environment, bool by_socket = true);
Ranks ranks_of_this_process(bool by_socket = true);

// The first host of a list as SLURM writes it: "node[07-09,12],other" begins with "node07".
std::string first_host(const std::string& list);

}  // namespace broch::dist
