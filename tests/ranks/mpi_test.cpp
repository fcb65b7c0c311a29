// mpi_test.cpp: ranks that talk through MPI.
#include <signal.h>

#include <algorithm>

#include "processes.hpp"
#include "trainings.hpp"

using namespace broch::ranks_test;

namespace {

std::vector<std::string> mpirun(int count) {
  return {MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", std::to_string(count)};
}

// Open MPI does not give back all it took, by code that is gone when the leak checker looks.
Variables without_leak_check() {
  const char* const options = std::getenv("ASAN_OPTIONS");
  return Variables({{"ASAN_OPTIONS", (options ? std::string(options) : "") + ":detect_leaks=0"}});
}

Json over_mpi(const Json& trainer) {
  Json made = manifest(trainer, sharded(batches(points())));
  made["runtime"] = {{"collectives", "mpi"}, {"collective_timeout", 8}};
  return made;
}

}  // namespace

TEST_CASE("ranks: over MPI, the bits of as many towers in one process") {
  const Variables variables = without_leak_check();
  const Folder folder;
  for (const int count : {2, 4}) {
    CAPTURE(count);
    const std::string name = std::to_string(count);
    const Training inside(folder, "towers" + name, manifest(towers(count), batches(points())));
    REQUIRE(inside.run() == 0);
    const Training training(folder, "ranks" + name, over_mpi("allreduce"));
    CHECK(Training::wait(training.start({}, mpirun(count))) == 0);
    INFO(training.talk());
    CHECK(training.talk().find(name + " ranks met over MPI, started by Open MPI") !=
          std::string::npos);
    CHECK(training.checkpoint(kSteps) == inside.checkpoint(kSteps));
  }
  const Training served(folder, "served", over_mpi("distributed-parameter-server"));
  CHECK(Training::wait(served.start({"--ps", "1"}, mpirun(3))) == 0);
  INFO(served.talk());
  const Training in_turn(
      folder, "in_turn",
      manifest(on_devices("async", 2, {{"scale_gradient", false}}), batches(points())));
  REQUIRE(in_turn.run() == 0);
  CHECK(served.checkpoint(kSteps) == in_turn.checkpoint(kSteps));
}

TEST_CASE("ranks: over MPI, one that is killed or stopped ends all of them in time" *
          doctest::test_suite("long")) {
  const Variables variables = without_leak_check();
  for (const int signal : {SIGKILL, SIGSTOP}) {
    CAPTURE(signal);
    const Folder folder;
    Json endless = over_mpi("allreduce");
    endless["max_epoch"] = 1000000;
    const Training training(folder, "run", endless);
    const pid_t launcher = training.start({}, mpirun(3));
    wait_for([&] { return !training.text("checkpoint").empty(); });
    const std::vector<pid_t> children = children_of(launcher);
    REQUIRE(children.size() >= 3);
    const auto start = std::chrono::steady_clock::now();
    kill(children[1], signal);
    CHECK(Training::wait(launcher) != 0);
    INFO(training.talk());
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(40));
    wait_for([&] { return std::all_of(children.begin(), children.end(), ended); });
    check_continues(folder, training, endless, {}, mpirun(3));
  }
}

TEST_CASE("ranks: over MPI, processes that MPI did not start are refused") {
  const Variables variables = without_leak_check();
  const Folder folder;
  const Training training(folder, "run", over_mpi("allreduce"));
  CHECK(training.run(ranks(2)) == 8);
  INFO(training.talk());
  CHECK(training.talk().find("by MPI, which says otherwise") != std::string::npos);
}
