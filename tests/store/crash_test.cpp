// crash_test.cpp: kill -9 at any moment of saving leaves checkpoints that load.
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include <random>

#include "base/clock.hpp"
#include "io_faults.hpp"
#include "store/checkpoint_list.hpp"
#include "support.hpp"

using namespace broch::store;
using broch::base::Error;
using broch::base::Exit;

namespace {

constexpr KeepPolicy kKeep{.max_to_keep = 2, .keep_every_n_hours = std::nullopt};
constexpr size_t kWeights = 60'000;  // long enough to be hit in the middle

[[noreturn]] void save_for_ever(const std::filesystem::path& folder, int64_t first_step) {
  CheckpointList saved(folder, kKeep);
  for (int64_t step = first_step;; ++step)
    saved.save(checkpoint_name(step), Sample(step, kWeights).contents);
}

// Seconds that one save takes here.
double save_time() {
  const Folder folder;
  CheckpointList saved(folder.path(), kKeep);
  const double start = broch::base::system_clock().monotonic();
  saved.save(checkpoint_name(0), Sample(0, kWeights).contents);
  return broch::base::system_clock().monotonic() - start;
}

void sleep_for(double seconds) {
  const auto whole = static_cast<time_t>(seconds);
  const timespec pause{whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
  nanosleep(&pause, nullptr);
}

bool has_leftovers(const Folder& folder) {
  return std::ranges::any_of(
      list(folder.path()), [](const std::string& name) { return name.starts_with(".broch-tmp-"); });
}

// Every file loads, the list names one, and the next start cleans up. Returns the newest step.
int64_t check_survivors(const Folder& folder) {
  for (const std::string& name : list(folder.path())) {
    if (!name.ends_with(".safetensors")) continue;
    const Checkpoint checkpoint = read_checkpoint(folder / name);
    REQUIRE(sample_step(checkpoint));
    REQUIRE(name == checkpoint_name(*sample_step(checkpoint)) + ".safetensors");
  }
  const CheckpointList next_start(folder.path(), kKeep);
  REQUIRE_FALSE(has_leftovers(folder));
  const auto latest = latest_checkpoint(folder.path());
  return latest ? *sample_step(read_checkpoint(*latest)) : -1;
}

}  // namespace

TEST_CASE("crash: kill -9 at 200 seeded moments, every survivor loads and nothing is left over") {
  constexpr unsigned kSeed = 20'240'817;
  INFO("seed " << kSeed);
  std::mt19937 random(kSeed);
  double longest = 2 * save_time();
  const Folder folder;
  int64_t newest = -1;
  int hits = 0, idle = 0;
  for (int round = 0; round < 200; ++round) {
    const pid_t child = fork();
    if (child == 0) save_for_ever(folder.path(), newest + 1);
    sleep_for(std::uniform_real_distribution<double>(0, longest)(random));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    hits += has_leftovers(folder);
    const int64_t now = check_survivors(folder);
    REQUIRE(now >= newest);
    // Where others use the machine, too, a save takes longer than it was measured.
    idle = now > newest ? 0 : idle + 1;
    if (idle % 20 == 19) longest *= 2;
    newest = now;
  }
  MESSAGE("killed in the middle of a write: " << hits << " of 200, newest step " << newest);
  CHECK(hits > 0);
  CHECK(newest > 0);
}

TEST_CASE("crash: killed at each call of a save, the older checkpoint or the new one is named") {
  for (const IoFault fault : {IoFault::kill_before, IoFault::kill_after}) {
    for (int nth = 1;; ++nth) {
      const Folder folder;
      {
        CheckpointList saved(folder.path(), kKeep);
        for (const int64_t step : {1, 2}) saved.save(checkpoint_name(step), Sample(step).contents);
      }
      const pid_t child = fork();
      if (child == 0) {
        CheckpointList saved(folder.path(), kKeep);
        arm_io(fault, nth);
        saved.save(checkpoint_name(3), Sample(3).contents);
        _exit(0);
      }
      int status = 0;
      waitpid(child, &status, 0);
      const int64_t newest = check_survivors(folder);
      if (WIFEXITED(status)) {
        CHECK(newest == 3);
        break;
      }
      CHECK((newest == 2 || newest == 3));
    }
  }
}

TEST_CASE("crash: at every call of a save that fails, the next save sets all right") {
  for (const int error : {ENOSPC, EDQUOT, EIO}) {
    for (int nth = 1;; ++nth) {
      const Folder folder;
      CheckpointList saved(folder.path(), kKeep);
      for (const int64_t step : {1, 2}) saved.save(checkpoint_name(step), Sample(step).contents);
      const Sample third(3);
      arm_io(IoFault::fail, nth, error);
      try {
        saved.save(checkpoint_name(3), third.contents);
      } catch (const Error& failure) {
        CHECK(failure.exit() == Exit::data);
        CHECK(matches(failure.what(), std::strerror(error)));
      }
      const int calls = disarm_io();
      CHECK(check_survivors(folder) >= 2);
      saved.save(checkpoint_name(4), Sample(4).contents);
      CHECK(check_survivors(folder) == 4);
      if (calls < nth) break;
    }
  }
}
