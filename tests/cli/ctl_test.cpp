// ctl_test.cpp: broch ctl: a running training is asked things through the socket of its log folder.
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

#include "cli/program.hpp"
#include "store/checkpoint.hpp"

using namespace broch::cli_test;
namespace fs = std::filesystem;

namespace {

// A training in its second step.
class Training {
 public:
  explicit Training(const Quick& quick) : Training(quick, quick.train()) {}
  Training(const Quick& quick, const Words& command) : start_(command) {
    REQUIRE(Start::wait_for(quick.events(), "before_run 1\n"));
  }
  Start* operator->() { return &start_; }

 private:
  Start start_;
};

sockaddr_un address_in(const fs::path& log_dir) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (log_dir / "control.sock").c_str(), sizeof address.sun_path - 1);
  return address;
}

// A process that takes no connections, with as many in its queue as fit.
class Suspended {
 public:
  explicit Suspended(const fs::path& log_dir) {
    const sockaddr_un address = address_in(log_dir);
    const auto* at = reinterpret_cast<const sockaddr*>(&address);
    add();
    REQUIRE(bind(sockets_.front(), at, sizeof address) == 0);
    REQUIRE(listen(sockets_.front(), 0) == 0);
    do add();
    while (connect(sockets_.back(), at, sizeof address) == 0);
    CHECK(errno == EAGAIN);
  }
  ~Suspended() {
    for (const int fd : sockets_) close(fd);
  }

 private:
  void add() {
    sockets_.push_back(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    REQUIRE(sockets_.back() >= 0);
  }

  std::vector<int> sockets_;
};

// What a program of one's own gets from the socket.
std::string send_raw(const fs::path& log_dir, const std::string& bytes) {
  const sockaddr_un address = address_in(log_dir);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  CHECK(send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == ssize_t(bytes.size()));
  std::string answer;
  char part[4096];
  for (ssize_t n; (n = recv(fd, part, sizeof part, 0)) > 0;) answer.append(part, size_t(n));
  close(fd);
  return answer;
}

double learning_rate_of(const fs::path& file) {
  const broch::store::Checkpoint checkpoint = broch::store::read_checkpoint(file);
  const broch::store::TensorView* view = checkpoint.file.find("learning_rate");
  double value = 0;
  REQUIRE(view);
  REQUIRE(view->bytes.size() == sizeof value);
  std::memcpy(&value, view->bytes.data(), sizeof value);
  return value;
}

}  // namespace

TEST_CASE("ctl: status tells how far a training is, save makes a checkpoint, stop ends it") {
  const Quick quick(0.05, kLong);
  Training training(quick);
  const Json status = json_of({"ctl", quick.log_dir(), "status"});
  CHECK(status["schema"] == 1);
  CHECK(status["global_step"].get<int64_t>() >= 1);
  CHECK(status["epoch_num"].get<int64_t>() >= 1);
  CHECK(status["steps_per_epoch"] == 5);
  CHECK(status["max_epoch"] == kLong);
  CHECK(status["stats"].is_object());
  CHECK(holds_in_order(run({"ctl", quick.log_dir(), "status"}).out,
                       {"epoch_num: ", "steps_per_epoch: 5\n", "global_step: "}));

  const fs::path saved = json_of({"ctl", quick.log_dir(), "save"})["checkpoint"];
  CHECK(saved.parent_path() == quick.log_dir());
  CHECK(run({"ckpt", "verify", saved}).exit_code == 0);

  CHECK(run({"ctl", quick.log_dir(), "stop"}).exit_code == 0);
  const Outcome outcome = training->finish();
  INFO(outcome.err);
  CHECK((outcome.exit_code == 75 || outcome.exit_code == 143));  // as after SIGTERM
  CHECK(holds(outcome.err, "saved to " + quick.log_dir()));
  CHECK_FALSE(fs::exists(fs::path(quick.log_dir()) / "control.sock"));
  const std::string who = ", asked by user " + std::to_string(geteuid()) + ", process ";
  for (const char* what : {"status", "save", "stop"})
    CHECK(holds(read_file(fs::path(quick.log_dir()) / "log.log"),
                std::string("control: ") + what + who));
}

TEST_CASE("ctl: set changes a hyper-parameter between steps; others are refused by name") {
  const Folder folder;
  const fs::path log_dir = folder.path() / "log";
  Start start(digits({"train"}, {"log_dir=" + log_dir.string(), "max_epoch=100000",
                                 "callbacks[test].when.every_k_epochs=100000"}));
  REQUIRE(Start::wait_for(log_dir / "log.log", "Epoch 1 (global_step 40) finished"));
  const Json answer = json_of({"ctl", log_dir, "set", "learning_rate=0.125"});
  CHECK(answer["before"] == 0.002);
  CHECK(answer["now"] == 0.125);
  const Outcome typo = run({"ctl", log_dir, "set", "learning_rat=1"});
  CHECK(typo.exit_code == 2);
  CHECK(holds(typo.err, "did you mean 'learning_rate'?"));
  for (const char* change : {"learning_rate", "=1", "learning_rate=fast", "learning_rate=nan"})
    CHECK(run({"ctl", log_dir, "set", change}).exit_code == 2);
  const fs::path saved = json_of({"ctl", log_dir, "save"})["checkpoint"];
  CHECK(learning_rate_of(saved) == 0.125);
  CHECK(run({"ctl", log_dir, "stop"}).exit_code == 0);
  CHECK(start.finish().exit_code == 75);
  CHECK(holds(read_file(log_dir / "log.log"), "learning_rate changes from 0.002 to 0.125"));
}

TEST_CASE("ctl: set changes options that may change, for the run and for those that go on") {
  const Folder folder;
  const fs::path log_dir = folder.path() / "log";
  const auto words = [&](const Words& more) {
    Words all{"log_dir=" + log_dir.string(), "max_epoch=100000",
              "callbacks[test].when.every_k_epochs=100000"};
    all.insert(all.end(), more.begin(), more.end());
    return digits({"train"}, all);
  };
  const auto settable = [&] {
    Json found;
    for (int i = 0; i < 600 && found.is_null(); ++i) {  // until the first step
      usleep(100000);
      found = json_of({"ctl", log_dir, "status"})["settable"];
    }
    return found;
  };
  const auto listed = [&] {
    const std::string list = read_file(log_dir / "checkpoint");
    size_t count = 0;
    for (size_t at = 0; (at = list.find("all_model", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  {
    Start start(words({}));
    REQUIRE(Start::wait_for(log_dir / "log.log", "Epoch 2 (global_step 80) finished"));
    CHECK(settable()["model-saver/max_to_keep"] == 3);
    const Json answer = json_of({"ctl", log_dir, "set", "model-saver/max_to_keep=5"});
    CHECK(answer["before"] == 3);
    CHECK(answer["now"] == 5);
    CHECK(settable()["model-saver/max_to_keep"] == 5);
    const Outcome typo = run({"ctl", log_dir, "set", "model-saver/max_to_kep=5"});
    CHECK(typo.exit_code == 2);
    CHECK(holds(typo.err, "did you mean 'model-saver/max_to_keep'?"));
    CHECK(run({"ctl", log_dir, "set", "model-saver/checkpoint_dir=x"}).exit_code == 2);
    for (const char* value : {"-1", "many", "1.5", "[", "null"})
      CHECK(
          run({"ctl", log_dir, "set", std::string("model-saver/max_to_keep=") + value}).exit_code ==
          3);
    // What the schema allows, an instance may refuse: then all is as it was.
    const Outcome refused = run({"ctl", log_dir, "set", "periodic-trigger/every_k_epochs=null"});
    CHECK(refused.exit_code == 4);
    CHECK(holds(refused.err, "one of every_k_steps"));
    CHECK(settable()["periodic-trigger/every_k_epochs"] == 100000);
    // Two that are fine one after the other and together, but not in the order of their names.
    for (const char* change : {"every_k_steps=70000", "every_k_epochs=null"})
      CHECK(run({"ctl", log_dir, "set", std::string("periodic-trigger/") + change}).exit_code == 0);
    for (int i = 0; i < 600 && listed() < 5; ++i) usleep(100000);
    CHECK(listed() == 5);
    CHECK(run({"ctl", log_dir, "stop"}).exit_code == 0);
    CHECK(start.finish().exit_code == 75);
  }
  {
    Start start(words({"--resume"}));
    REQUIRE(Start::wait_for(log_dir / "log.log", "model-saver/max_to_keep was set to 5, as in"));
    CHECK(settable()["model-saver/max_to_keep"] == 5);
    CHECK(settable()["periodic-trigger/every_k_steps"] == 70000);
    CHECK(settable()["periodic-trigger/every_k_epochs"].is_null());
    CHECK(run({"ctl", log_dir, "stop"}).exit_code == 0);
    CHECK(start.finish().exit_code == 75);
  }
  {
    Start start(words({"--resume", "callbacks[model-saver].with.max_to_keep=4"}));
    REQUIRE(Start::wait_for(log_dir / "log.log", "the manifest says 4 now instead of 3"));
    CHECK(settable()["model-saver/max_to_keep"] == 4);
    CHECK(run({"ctl", log_dir, "stop"}).exit_code == 0);
    CHECK(start.finish().exit_code == 75);
  }
}

TEST_CASE("ctl: the status of a run with very many metrics can be read") {
  const Folder folder;
  nlohmann::json status = {{"schema", 1}, {"ok", true}};
  for (int i = 0; i < 30'000; ++i)
    status["stats"]["a metric with a long name, number " + std::to_string(i)] = i + 0.125;
  const std::string line = status.dump() + "\n";
  REQUIRE(line.size() > 1 << 20);
  const sockaddr_un address = address_in(folder.path());
  const int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(listen(listening, 1) == 0);
  std::thread training([&] {
    pollfd event{listening, POLLIN, 0};
    if (poll(&event, 1, 60'000) != 1) return;
    const int client = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    char request[64];
    if (recv(client, request, sizeof request, 0) > 0)
      CHECK(send(client, line.data(), line.size(), MSG_NOSIGNAL) == ssize_t(line.size()));
    close(client);
  });
  const Outcome outcome = run({"ctl", folder.path(), "status", "--json"});
  training.join();
  close(listening);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(nlohmann::json::parse(outcome.out)["stats"].size() == 30'000);
}

TEST_CASE("ctl: a request is one line") {
  const Outcome outcome = run({"ctl", "folder", "set", "learning_rate=1\n2"});
  CHECK(outcome.exit_code == 2);
  CHECK(holds_in_order(outcome.err, {"several lines", "expected one line", "line breaks"}));
}

TEST_CASE("ctl: a folder without a running training is 5, a stale socket is replaced") {
  const Quick quick(0.05, kLong);
  const auto status = [&] { return run({"ctl", quick.log_dir(), "status"}); };
  CHECK(status().exit_code == 5);
  {
    Training training(quick);
    training->signal(SIGKILL);
    training->finish();
  }
  CHECK(fs::exists(fs::path(quick.log_dir()) / "control.sock"));
  const Outcome dead = status();
  CHECK(dead.exit_code == 5);
  CHECK(holds(dead.err, "no run that is active there"));
  fs::remove(quick.events());
  Training training(quick, quick.train({"log_dir_action=keep"}));
  CHECK(status().exit_code == 0);
  training->signal(SIGINT);
  training->finish();
}

TEST_CASE("ctl: --timeout also ends the wait for a process that takes no requests") {
  const Folder folder;
  const Suspended suspended(folder.path());
  const Outcome outcome = run({"ctl", "--timeout", "1", folder.path(), "status"});
  CHECK(outcome.exit_code == 5);
  CHECK(holds_in_order(outcome.err, {"no answer within 1 s", "kill -CONT"}));
}

TEST_CASE("ctl: the socket is the owner's alone, and lies in folders of any depth") {
  const Quick quick(0.05, kLong);
  fs::path deep = quick.log_dir();
  for (int i = 0; i < 8; ++i) deep /= "a-folder-with-a-long-name-" + std::to_string(i);
  Training training(quick,
                    {"train", "--runtime", "null", quick.manifest(), "log_dir=" + deep.string()});
  struct stat facts {};
  REQUIRE(stat((deep / "control.sock").c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777) == 0600);
  CHECK(run({"ctl", deep, "status"}).exit_code == 0);
  training->signal(SIGINT);
  training->finish();
}

TEST_CASE("ctl: lines that are no request are answered, too long ones cut off, training goes on") {
  const Quick quick(0.05, kLong);
  Training training(quick);
  for (const std::string& line : {std::string("dance\n"), std::string("\n"), std::string("set a\n"),
                                  std::string(5000, 'x')}) {
    const Json answer = Json::parse(send_raw(quick.log_dir(), line));
    CHECK(answer["ok"] == false);
    CHECK(answer["exit"] == 2);
    CHECK(answer["error"].get<std::string>().size() < 500);
  }
  CHECK(Json::parse(send_raw(quick.log_dir(), "status\n"))["ok"] == true);
  training->signal(SIGINT);
  CHECK(training->finish().exit_code != 1);
}

TEST_CASE("ctl: a file in the socket's place stays, and training goes on without") {
  const Quick quick;
  fs::create_directory(quick.log_dir());
  std::ofstream(fs::path(quick.log_dir()) / "control.sock") << "mine";
  const Outcome outcome = run(quick.train({"log_dir_action=keep"}));
  CHECK(outcome.exit_code == 0);
  CHECK(holds(outcome.err, "broch ctl cannot reach this run"));
  CHECK(read_file(fs::path(quick.log_dir()) / "control.sock") == "mine");
}
