// send_stat_test.cpp: send-stat.
#include "slope.hpp"

using namespace broch::test;

TEST_CASE("send-stat: a command with the latest values, whose failure is logged") {
  Project project;
  const std::string file = project.folder() / "sent";
  const auto send = [&](const std::string& command, const std::string& names,
                        const std::string& value = "epoch_num / 4") {
    return train(
        project,
        {"callbacks=[" + recorder("{\"put\": [" + put("trigger_epoch", "a b", value) + "]}") +
             ", " + use("send-stat", R"("command": ")" + command + R"(", "names": )" + names) + "]",
         "max_epoch=2"});
  };
  CHECK(send("echo {a b} {other} {a b} >> " + file, R"(["a b"])") == Exit::ok);
  CHECK(read_file(file) == "0.25 {other} 0.25\n0.5 {other} 0.5\n");
  std::filesystem::remove(file);
  CHECK(send("echo {a b} >> " + file, R"(["a b"])", "epoch_num == 1 ? 1234567.1 : 1000000") ==
        Exit::ok);
  CHECK(read_file(file) == "1234567.1\n1000000\n");
  std::filesystem::remove(file);
  CHECK(send("echo {a b} >> " + file, R"("a b")") == Exit::ok);  // one name, without a list
  CHECK(read_file(file) == "0.25\n0.5\n");
  CHECK(send("exit 3", R"(["a b"])") == Exit::ok);
  CHECK(project.logged("exit code 3 of the command: exit 3"));
  CHECK(send("kill -9 $$", R"(["a b"])") == Exit::ok);
  CHECK(project.logged("exit code 137 of the command: kill -9"));
  CHECK(send("echo he'ard' >&2", R"(["a b"])") == Exit::ok);
  CHECK(project.logged("heard"));
  CHECK(send("sleep 9", R"(["a b"], "seconds": 0.125)") == Exit::ok);
  CHECK(project.logged("more than 0.125 seconds were needed by the command: sleep 9"));
  CHECK(send("kill -INT $PPID", R"(["a b"])") != Exit::ok);  // as Ctrl-C during the command
  const std::string early = use("send-stat", R"("command": "true", "names": ["a b"])");
  CHECK(train(project, {"callbacks=[" + early + ", " +
                        recorder("{\"put\": [" + put("trigger_epoch", "a b", "1") + "]}") + "]"}) !=
        Exit::ok);
  CHECK(project.failure.find("metric a b has no value yet") != std::string::npos);
}

TEST_CASE("send-stat: when_all_new waits until all metrics have new values, also after a resume") {
  Project project;
  const std::string file = project.folder() / "sent";
  // often: after each step; mean/SMA: after each second step, the mean of 1 and 2 or of 3 and 4.
  const std::string numbers =
      recorder("{\"put\": [" + put("trigger_step", "often", "global_step") + "]}") + ", " +
      use("simple-moving-average", R"("tensors": ["mean"], "window_size": 2)");
  const std::string send =
      use("send-stat", R"("command": "echo {often} {mean/SMA} >> )" + file +
                           R"(", "names": ["often", "mean/SMA"], "when_all_new": true)");
  const auto run = [&](int epochs, bool resume) {
    Lines overrides = four_steps(numbers + ", " + send + ", \"model-saver\"");
    overrides.push_back("max_epoch=" + std::to_string(epochs));
    broch::session::RunOptions options;
    options.resume = resume;
    CHECK(train(project, overrides, options) == Exit::ok);
    CHECK(project.failure == "");
  };
  run(2, false);
  CHECK(read_file(file) == "2 1.5\n4 3.5\n6 1.5\n8 3.5\n");
  run(3, true);
  CHECK(read_file(file) == "2 1.5\n4 3.5\n6 1.5\n8 3.5\n10 1.5\n12 3.5\n");
}
