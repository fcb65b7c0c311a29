// ranks.cpp: reads the environment variables of launchers.
#include "dist/ranks.hpp"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace broch::dist {

namespace {

constexpr uint16_t kPort = 29500;  // the default of torchrun

// The names of a launcher's variables.
struct Names {
  const char *launcher, *rank, *world, *local_rank;
};
constexpr Names kTorchrun{"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK"};
constexpr Names kMpi[] = {
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"MPICH", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
};
constexpr Names kSlurm{"SLURM", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"};

constexpr const char* kByOneLauncher =
    "start all ranks by one launcher, for example broch train --ranks N";

[[noreturn]] void refuse(const std::string& name, const std::string& found,
                         const std::string& expected, const char* hint = kByOneLauncher) {
  throw base::Error{base::Exit::usage, {"environment variable " + name, found, expected, hint}};
}

class Reader {
 public:
  explicit Reader(const Environment& environment) : environment_(environment) {}

  std::optional<std::string> text(const char* name) const {
    const char* const value = environment_(name);
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
  }
  std::optional<uint32_t> number(const char* name, uint32_t most) const {
    const std::optional<std::string> value = text(name);
    if (!value) return std::nullopt;
    uint32_t number = 0;
    const char* const end = value->data() + value->size();
    const auto [stop, error] = std::from_chars(value->data(), end, number);
    if (error != std::errc{} || stop != end || number > most)
      refuse(name, base::quoted(*value), "a whole number up to " + std::to_string(most));
    return number;
  }

 private:
  const Environment& environment_;
};

constexpr uint32_t kMost = 65535;

// Of srun; others have higher numbers. Source: slurm.h, SLURM_MAX_NORMAL_STEP_ID.
constexpr uint32_t kLastStep = 0xfffffff0;

// Whether a task of srun runs here. A batch script and the shell of salloc know the number of tasks
// of their job, too, but nobody has started other ranks beside them.
bool is_in_step(const Reader& from) {
  const std::string id = from.text("SLURM_STEP_ID").value_or("");
  uint32_t number = 0;
  const auto read = std::from_chars(id.data(), id.data() + id.size(), number);
  return read.ec == std::errc{} && number <= kLastStep;
}

// Whether srun has started this rank. It may have set variables of MPI, too, for its programs.
bool is_by_srun(const Reader& from, const Ranks& ranks) {
  return is_in_step(from) && from.number(kSlurm.rank, kMost) == ranks.rank &&
         from.number(kSlurm.world, kMost) == ranks.world;
}

std::optional<uint32_t> local_rank_of(const Reader& from, const Names& names, const Ranks& ranks) {
  const std::optional<uint32_t> own = from.number(names.local_rank, kMost);
  return own || !is_by_srun(from, ranks) ? own : from.number(kSlurm.local_rank, kMost);
}

// Returns false if this launcher did not start the process.
bool read_numbers(const Reader& from, const Names& names, Ranks& ranks) {
  const std::optional<uint32_t> rank = from.number(names.rank, kMost);
  const std::optional<uint32_t> world = from.number(names.world, kMost);
  if (!rank && !world) return false;
  if (!rank) refuse(names.rank, "nothing", std::string("a rank, as ") + names.world + " is there");
  if (!world)
    refuse(names.world, "nothing",
           std::string("how many ranks there are, as ") + names.rank + " is there");
  if (*rank >= *world)
    refuse(names.rank, std::to_string(*rank),
           "less than " + std::string(names.world) + ", which is " + std::to_string(*world));
  ranks.rank = *rank;
  ranks.world = *world;
  const std::optional<uint32_t> local_rank = local_rank_of(from, names, ranks);
  if (!local_rank && *world > 1)
    base::warning(std::string(names.local_rank) +
                  " is not set: this rank takes the first GPU, as if no other one ran on its "
                  "machine");
  ranks.local_rank = local_rank.value_or(0);
  ranks.launcher = names.launcher;
  return true;
}

// The first node of the step, which may have other nodes than its job begins with; or else of the
// job.
std::string first_node(const Reader& from, const Ranks& ranks) {
  std::optional<std::string> nodes;
  if (is_by_srun(from, ranks)) nodes = from.text("SLURM_STEP_NODELIST");
  return first_host(nodes ? *nodes : from.text("SLURM_JOB_NODELIST").value_or(""));
}

void read_place(const Reader& from, Ranks& ranks) {
  if (ranks.alone()) return;
  const std::optional<uint32_t> port = from.number("MASTER_PORT", kMost);
  if (port == 0U || (ranks.launcher == kTorchrun.launcher && !port))
    refuse("MASTER_PORT", port ? "0" : "nothing", "the port at which the ranks meet");
  ranks.port = static_cast<uint16_t>(port.value_or(kPort));
  ranks.address = from.text("MASTER_ADDR").value_or("");
  if (ranks.address.empty()) ranks.address = first_node(from, ranks);
  if (ranks.address.empty())
    refuse("MASTER_ADDR", "nothing", "the machine at which the ranks meet",
           "set it for all ranks, to 127.0.0.1 on one machine: mpirun -x MASTER_ADDR=127.0.0.1");
  ranks.serves = from.text("TORCHELASTIC_USE_AGENT_STORE").value_or("") != "True";
  ranks.attempt = from.number("TORCHELASTIC_RESTART_COUNT", kMost).value_or(0);
  if (const auto listening = from.number("BROCH_MASTER_FD", kMost)) {
    ranks.launcher = "broch";
    if (ranks.rank == 0) ranks.listening = static_cast<int>(*listening);
  }
}

}  // namespace

Ranks ranks_of(const Environment& environment, bool by_socket) {
  const Reader from(environment);
  Ranks ranks;
  bool found = read_numbers(from, kTorchrun, ranks);
  for (const Names& names : kMpi) found = found || read_numbers(from, names, ranks);
  found = found || (is_in_step(from) && read_numbers(from, kSlurm, ranks));
  if (found && by_socket) read_place(from, ranks);
  return ranks;
}

Ranks ranks_of_this_process(bool by_socket) {
  return ranks_of([](const char* name) { return std::getenv(name); }, by_socket);
}

std::string first_host(const std::string& list) {
  std::string host;
  for (size_t i = 0; i < list.size() && list[i] != ','; ++i) {
    if (list[i] != '[') {
      host += list[i];
      continue;
    }
    const size_t end = list.find_first_of(",-]", ++i);
    host += list.substr(i, end - i);
    i = list.find(']', i);
    if (i == std::string::npos) break;
  }
  return host;
}

}  // namespace broch::dist
