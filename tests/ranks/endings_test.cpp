// endings_test.cpp: ranks that are killed, cut off, stopped or refused.
#include <signal.h>

#include <algorithm>

#include "machines.hpp"
#include "processes.hpp"
#include "trainings.hpp"

using namespace broch::ranks_test;

TEST_CASE(
    "ranks: one that is killed ends all of them, and the training goes on from where it was") {
  for (const int signal : {SIGKILL, SIGSTOP}) {
    CAPTURE(signal);
    const Folder folder;
    Json endless = manifest("allreduce", sharded(batches(points())));
    endless["max_epoch"] = 1000000;
    if (signal == SIGSTOP) endless["runtime"] = {{"collective_timeout", 8}};
    const Training training(folder, "run", endless);
    const pid_t launcher = training.start(ranks(3));
    wait_for([&] { return !training.text("checkpoint").empty(); });
    const std::vector<pid_t> children = children_of(launcher);
    REQUIRE(children.size() == 3);
    const auto start = std::chrono::steady_clock::now();
    kill(children[1], signal);
    const int code = Training::wait(launcher);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(40));
    CHECK(code == 8);
    for (const pid_t child : children) CHECK(kill(child, 0) != 0);
    INFO(training.talk());
    CHECK(training.talk().find(signal == SIGKILL ? "rank 1 was killed by signal 9 (SIGKILL)"
                                                 : "rank") != std::string::npos);
    check_continues(folder, training, endless);
  }
}

TEST_CASE("ranks: another number of them goes on where shard divides the data, and nowhere else") {
  for (const bool divided : {true, false}) {
    CAPTURE(divided);
    const Folder folder;
    const Json data = batches(points());
    Json short_one = manifest("allreduce", divided ? sharded(data) : data);
    short_one["max_epoch"] = 1;
    REQUIRE(Training(folder, "run", short_one).run(ranks(3)) == 0);
    Json longer = short_one;
    longer["max_epoch"] = 2;
    const Training more(folder, "run", longer);
    const int code = more.run({"--ranks", "2", "--resume"});
    INFO(more.talk());
    CHECK(code == (divided ? 0 : 9));
    CHECK((more.talk().find("made by a run with 3 ranks") != std::string::npos) == !divided);
  }
}

TEST_CASE("ranks: those that would go on from other steps than rank 0 are refused") {
  const Folder folder;
  Json whole = manifest("allreduce", sharded(batches(points())));
  whole["max_epoch"] = 2;
  const Training training(folder, "run", whole);
  REQUIRE(training.run(ranks(2)) == 0);
  const std::string port = std::to_string(free_port());
  std::vector<pid_t> started;
  for (const auto& [rank, file] :
       {std::pair{"0", "model-20.safetensors"}, {"1", "model-40.safetensors"}}) {
    const Variables variables({{"RANK", rank},
                               {"WORLD_SIZE", "2"},
                               {"LOCAL_RANK", rank},
                               {"MASTER_ADDR", "127.0.0.1"},
                               {"MASTER_PORT", port}});
    const std::string path = (training.log_dir() / file).string();
    started.push_back(training.start({"--resume=" + path, "max_epoch=3"}));
  }
  for (const pid_t one : started) CHECK(Training::wait(one) == 8);
  INFO(training.talk());
  for (const char* const part : {"rank 1: a run resumed after 20 steps of epoch 2",
                                 "rank 0 has: a run resumed after 20 steps of epoch 1"})
    CHECK_MESSAGE(training.talk().find(part) != std::string::npos, part);
  CHECK(training.run({"--ranks", "2", "--resume", "max_epoch=3"}) == 0);
}

TEST_CASE("ranks: on two machines, a link that goes down ends both in time") {
  const Machines machines;
  if (!machines.made()) {
    MESSAGE("skipped: this user cannot make network namespaces");
    return;
  }
  const Folder folder;
  Json endless = manifest("allreduce", sharded(batches(points())));
  endless["max_epoch"] = 1000000;
  endless["runtime"] = {{"collective_timeout", 5}};
  const Training training(folder, "run", endless);
  std::vector<pid_t> started;
  for (const auto& [rank, machine] : {std::pair{"0", "a"}, {"1", "b"}}) {
    const Variables variables({{"RANK", rank},
                               {"WORLD_SIZE", "2"},
                               {"LOCAL_RANK", "0"},
                               {"MASTER_ADDR", Machines::address_a()},
                               {"MASTER_PORT", "29500"}});
    started.push_back(training.start({}, machines.inside(machine)));
  }
  wait_for([&] { return !training.text("checkpoint").empty(); });
  const auto start = std::chrono::steady_clock::now();
  CHECK(machines.cut());
  for (const pid_t one : started) CHECK(Training::wait(one) == 8);
  INFO(training.talk());
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
  check_continues(folder, training, endless, ranks(2));
}

TEST_CASE("ranks: a signal ends all after the same step, saved, and they go on from there") {
  const Folder folder;
  Json endless = manifest("allreduce", sharded(batches(points())));
  endless["max_epoch"] = 1000000;
  const Training training(folder, "run", endless);
  const pid_t launcher = training.start(ranks(3));
  wait_for([&] { return !training.text("checkpoint").empty(); });
  kill(launcher, SIGTERM);
  CHECK(Training::wait(launcher) == 75);
  INFO(training.talk());
  CHECK(training.talk().find("expected all ranks") == std::string::npos);
  check_continues(folder, training, endless);
}

TEST_CASE("ranks: a signal ends all after the same step where only calls of plugins meet in it") {
  const Folder folder;
  Json endless = manifest("simple", sharded(batches(points())));
  endless["plugins"].push_back(SETTER);
  endless["callbacks"].push_back({{"use", "test.setter"},
                                  {"run_on", "all"},
                                  {"with", {{"what", "meet"}, {"when", "before_run"}}}});
  endless["steps_per_epoch"] = 1000000000;
  const Training training(folder, "run", endless);
  const pid_t launcher = training.start(ranks(2));
  wait_for([&] { return training.text("log.log").find("Start Epoch 1") != std::string::npos; });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const auto start = std::chrono::steady_clock::now();
  kill(launcher, SIGTERM);
  CHECK(Training::wait(launcher) == 75);
  INFO(training.talk());
  // After ten seconds, each rank would end alone.
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(9));
}

TEST_CASE("ranks: a signal to all processes of a job is one request") {
  Json endless = manifest("allreduce", sharded(batches(points())));
  endless["max_epoch"] = 1000000;
  // On a busy machine, the launcher may hand its signal on so late that it is another request.
  for (int tries = 1;; ++tries) {
    const Folder folder;
    const Training training(folder, "run", endless);
    const pid_t launcher = training.start(ranks(2));
    wait_for([&] { return !training.text("checkpoint").empty(); });
    const std::vector<pid_t> children = children_of(launcher);
    REQUIRE(children.size() == 2);
    kill(launcher, SIGTERM);
    for (const pid_t child : children) kill(child, SIGTERM);
    const int code = Training::wait(launcher);
    if (code != 75 && tries < 3) continue;
    INFO(training.talk());
    CHECK(code == 75);
    return check_continues(folder, training, endless, ranks(2));
  }
}

TEST_CASE("ranks: of two signals that reach the launcher at once, each is handed on") {
  const Folder folder;
  Json endless = manifest("allreduce", sharded(batches(points())));
  endless["max_epoch"] = 1000000;
  const Training training(folder, "run", endless);
  const pid_t launcher = training.start(ranks(2));
  wait_for([&] { return !training.text("checkpoint").empty(); });
  const std::vector<pid_t> children = children_of(launcher);
  REQUIRE(children.size() == 2);
  kill(children[1], SIGSTOP);  // so that no rank comes to the end of its step
  for (const int signal : {SIGSTOP, SIGINT, SIGUSR1, SIGCONT}) kill(launcher, signal);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  kill(launcher, SIGINT);  // without SIGUSR1, it would be the second one, which ends at once
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  kill(children[1], SIGCONT);
  CHECK(Training::wait(launcher) == 75);
  INFO(training.talk());
  check_continues(folder, training, endless, ranks(2));
}

TEST_CASE("ranks: a closed terminal does not end what nohup has started") {
  const Folder folder;
  Json endless = manifest("allreduce", sharded(batches(points())));
  endless["max_epoch"] = 1000000;
  const Training training(folder, "run", endless);
  const auto before = signal(SIGHUP, SIG_IGN);
  const pid_t launcher = training.start(ranks(2));
  signal(SIGHUP, before);
  wait_for([&] { return !training.text("checkpoint").empty(); });
  kill(launcher, SIGHUP);
  const int64_t epochs = saved_epochs(training);
  wait_for([&] { return saved_epochs(training) > epochs + 2; });  // an end would save one more
  kill(launcher, SIGTERM);
  const int code = Training::wait(launcher);
  INFO(training.talk());
  CHECK(code == 75);
}

TEST_CASE("ranks: they go on if nobody reads any more what they say") {
  const Folder folder;
  const Training training(folder, "run", manifest("allreduce", sharded(batches(points()))));
  // Rank 1 warns of the callback that it skips, after rank 0 has said that they met.
  const std::vector<std::string> cut = {
      "bash", "-c", "set -o pipefail; \"$0\" \"$@\" 2>&1 > /dev/null | head -n 1 > /dev/null"};
  CHECK(Training::wait(training.start(ranks(2), cut)) == 0);
  CHECK(training.text("rank1.log").find("chief-only") != std::string::npos);
  CHECK(!training.text("checkpoint").empty());
}

TEST_CASE("ranks: where a callback of rank 0 stops the training, all of them end well") {
  const Folder folder;
  Json stopped = manifest("allreduce", sharded(batches(points())));
  stopped["max_epoch"] = 50;
  stopped["callbacks"] = {
      "model-saver",
      {{"use", "early-stopping"},
       {"with",
        {{"monitor_stat", "QueueInput/queue_size"}, {"patience", 1}, {"min_delta", 1000}}}}};
  const Training training(folder, "run", stopped);
  CHECK(training.run(ranks(3)) == 0);
  INFO(training.talk());
  CHECK(training.stats().size() < 50);
  CHECK(training.text("rank1.log").find("a stop on another rank") != std::string::npos);
}

TEST_CASE("ranks: what does not fit is refused") {
  const Folder folder;
  const Training training(folder, "run", manifest("allreduce", batches(points())));
  CHECK(training.run({"--ranks", "0"}) == 2);
  CHECK(training.run({"--ranks", "2", "--runtime", "null"}) == 2);
}
