// ranks_test.cpp: what launchers put into the environment.
#include "dist/ranks.hpp"

#include <doctest/doctest.h>

#include <map>

#include "base/error.hpp"
#include "dist/route.hpp"

using namespace broch;
using dist::Ranks;

namespace {

using Variables = std::map<std::string, std::string>;

Ranks ranks_of(const Variables& variables) {
  return dist::ranks_of([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

std::string refusal(const Variables& variables) {
  try {
    ranks_of(variables);
  } catch (const base::Error& error) {
    CHECK(error.exit() == base::Exit::usage);
    return error.what();
  }
  return "";
}

const Variables kTorchrun{{"RANK", "2"},
                          {"WORLD_SIZE", "4"},
                          {"LOCAL_RANK", "1"},
                          {"MASTER_ADDR", "node1"},
                          {"MASTER_PORT", "1234"}};

Variables with(Variables variables, const std::string& name, const std::string& value) {
  variables[name] = value;
  return variables;
}

}  // namespace

TEST_CASE("ranks: without a launcher there is one") {
  const Ranks ranks = ranks_of({{"PATH", "/bin"}});
  CHECK(ranks.alone());
  CHECK(ranks.rank == 0);
  CHECK(ranks.launcher == "");
}

TEST_CASE("route: the address that leads to a host") {
  CHECK(dist::address_towards("127.0.0.1", 1) == "127.0.0.1");
  CHECK(dist::address_towards("localhost", 1) != "");
  CHECK(dist::address_towards("no.such.host.invalid", 1) == "");
}

TEST_CASE("ranks: torchrun's, whose agent may have opened the place to meet") {
  const Ranks ranks = ranks_of(kTorchrun);
  CHECK(ranks.rank == 2);
  CHECK(ranks.world == 4);
  CHECK(ranks.local_rank == 1);
  CHECK(ranks.address == "node1");
  CHECK(ranks.port == 1234);
  CHECK(ranks.serves);
  CHECK(ranks.listening == -1);
  CHECK(ranks.launcher == "torchrun");
  CHECK(!ranks_of(with(kTorchrun, "TORCHELASTIC_USE_AGENT_STORE", "True")).serves);
  CHECK(ranks_of(with(kTorchrun, "TORCHELASTIC_USE_AGENT_STORE", "False")).serves);
  CHECK(ranks_of(kTorchrun).attempt == 0);
  CHECK(ranks_of(with(kTorchrun, "TORCHELASTIC_RESTART_COUNT", "3")).attempt == 3);
}

TEST_CASE("ranks: a launcher of ours hands an open socket to rank 0") {
  const Variables ours = with(kTorchrun, "BROCH_MASTER_FD", "7");
  CHECK(ranks_of(ours).launcher == "broch");
  CHECK(ranks_of(ours).listening == -1);
  CHECK(ranks_of(with(ours, "RANK", "0")).listening == 7);
}

TEST_CASE("ranks: Open MPI, MPICH and SLURM, torchrun before them") {
  const Variables place{{"MASTER_ADDR", "a"}, {"SLURM_STEP_ID", "0"}};
  for (const auto& [launcher, rank, world, local] :
       {std::tuple{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                   "OMPI_COMM_WORLD_LOCAL_RANK"},
        std::tuple{"MPICH", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
        std::tuple{"SLURM", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"}}) {
    CAPTURE(launcher);
    Variables variables = place;
    variables[rank] = "1";
    variables[world] = "3";
    variables[local] = "1";
    const Ranks ranks = ranks_of(variables);
    CHECK(ranks.launcher == launcher);
    CHECK(ranks.rank == 1);
    CHECK(ranks.world == 3);
    CHECK(ranks.local_rank == 1);
    CHECK(ranks.port == 29500);
    variables.insert(kTorchrun.begin(), kTorchrun.end());
    CHECK(ranks_of(variables).launcher == "torchrun");
  }
}

TEST_CASE("ranks: SLURM's first node is where they meet") {
  const Variables step{{"SLURM_STEP_ID", "1"},
                       {"SLURM_PROCID", "0"},
                       {"SLURM_NTASKS", "2"},
                       {"SLURM_LOCALID", "0"},
                       {"SLURM_JOB_NODELIST", "n[3-6]"}};
  CHECK(ranks_of(step).address == "n3");
  CHECK(ranks_of(with(step, "SLURM_STEP_NODELIST", "n[5-6]")).address == "n5");
  CHECK(ranks_of(with(step, "MASTER_ADDR", "a")).address == "a");
  CHECK(dist::first_host("node[07-09,12],other") == "node07");
  CHECK(dist::first_host("node[07,12]") == "node07");
  CHECK(dist::first_host("rack[1-2]node,x") == "rack1node");
  CHECK(dist::first_host("one,two") == "one");
  CHECK(dist::first_host("torn[1") == "torn1");
  CHECK(dist::first_host("") == "");
}

// Of the manual of srun: SLURM_STEP_ID is set for the tasks of a step alone.
TEST_CASE("ranks: what srun has not started is alone, however many tasks its job has") {
  CHECK(ranks_of({{"SLURM_NTASKS", "8"}, {"SLURM_JOB_NODELIST", "n[3-4]"}}).alone());
  const Variables script{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_LOCALID", "0"}};
  CHECK(ranks_of(script).alone());
  CHECK(ranks_of(script).launcher == "");
  // SLURM_INTERACTIVE_STEP of slurm.h: the shell of salloc on a node of the job.
  CHECK(ranks_of(with(script, "SLURM_STEP_ID", "4294967290")).alone());
}

TEST_CASE("ranks: where srun sets the variables of MPI, too, it says the local rank") {
  const Variables task{{"SLURM_STEP_ID", "0"},
                       {"SLURM_PROCID", "5"},
                       {"SLURM_NTASKS", "8"},
                       {"SLURM_LOCALID", "1"},
                       {"SLURM_STEP_NODELIST", "n[5-6]"},
                       {"SLURM_JOB_NODELIST", "n[3-6]"},
                       {"PMI_RANK", "5"},
                       {"PMI_SIZE", "8"}};
  const Ranks ranks = ranks_of(task);
  CHECK(ranks.rank == 5);
  CHECK(ranks.world == 8);
  CHECK(ranks.local_rank == 1);
  CHECK(ranks.address == "n5");
  // mpiexec starts one task of srun on each node, and there the ranks.
  const Ranks of_mpiexec = ranks_of(with(with(task, "SLURM_PROCID", "1"), "SLURM_NTASKS", "2"));
  CHECK(of_mpiexec.local_rank == 0);
  CHECK(of_mpiexec.address == "n3");
  CHECK(ranks_of(with(task, "MPI_LOCALRANKID", "3")).local_rank == 3);
}

TEST_CASE("ranks: an environment that is not whole is refused by the variable") {
  Variables cut = kTorchrun;
  cut.erase("WORLD_SIZE");
  CHECK(refusal(cut).find("WORLD_SIZE") != std::string::npos);
  CHECK(refusal(with(kTorchrun, "RANK", "4")).find("less than WORLD_SIZE") != std::string::npos);
  CHECK(refusal(with(kTorchrun, "RANK", "-1")).find("'-1'") != std::string::npos);
  CHECK(refusal(with(kTorchrun, "RANK", "1x")).find("'1x'") != std::string::npos);
  CHECK(refusal(with(kTorchrun, "MASTER_PORT", "70000")).find("70000") != std::string::npos);
  CHECK(refusal(with(kTorchrun, "MASTER_PORT", "0")).find("MASTER_PORT") != std::string::npos);
  CHECK(refusal(with(kTorchrun, "MASTER_ADDR", "")).find("MASTER_ADDR") != std::string::npos);
  CHECK(refusal({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "0"}})
            .find("set it for all ranks") != std::string::npos);
  CHECK(ranks_of({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).alone());
}
