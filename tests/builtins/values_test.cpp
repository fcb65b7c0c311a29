// values_test.cpp: callbacks that look at values: simple-moving-average, param-summary,
// activation-summary, tensor-printer, dump-tensors, dump-tensor-as-image, check-numerics, run-op,
// send-stat, host-memory-tracker.
#include "slope.hpp"
#include "store/png.hpp"

using namespace broch::test;

namespace {

std::string callback(const std::string& use, const std::string& options) {
  return R"({"use": ")" + use + R"(", "with": {)" + options + "}}";
}

// Four steps over one number each: mean is 1, 2, 3, 4.
Lines four_steps(const std::string& callbacks) {
  return {"dataflow=" + rows("[[1], [2], [3], [4]]"), "steps_per_epoch=4",
          "callbacks=[" + callbacks + "]"};
}

}  // namespace

TEST_CASE("simple-moving-average: the mean of each window of steps") {
  Project project;
  Lines overrides =
      four_steps(callback("simple-moving-average", R"("tensors": ["mean"], "window_size": 3)") +
                 ", \"model-saver\"");
  overrides.push_back("monitors=[" + project.listener() + "]");
  CHECK(until(project, 1, false, overrides, "M.scalar mean/SMA ") == Lines{"2"});
  // The window of 4, 1, 2 began before the checkpoint.
  CHECK(until(project, 2, true, overrides, "M.scalar mean/SMA ") == Lines{"2.33333333"});
}

TEST_CASE("param-summary: numbers and histograms of weights by their names") {
  Project project;
  const auto report = [&](const std::string& parts, Exit exit = Exit::ok) {
    Lines overrides = four_steps(callback("param-summary", "\"parts\": [" + parts + "]"));
    overrides.push_back("monitors=[" + project.listener() + "]");
    CHECK(train(project, overrides) == exit);
    return project.trace("M.scalar param-summary/");
  };
  // The weight is -9 at the end of the epoch.
  CHECK(report(R"({"variables": "w", "kinds": ["scalar", "rms", "sparsity"]},
                  {"variables": ".*", "kinds": ["mean"]})") ==
        Lines{"w -9", "w-rms 9", "w-sparsity 0", "w-mean -9"});
  CHECK(report(R"({"variables": "w", "kinds": ["histogram"]})").empty());
  CHECK(project.trace("M.summary param-summary/") == Lines{"w-histogram"});
  report(R"({"variables": "seen", "kinds": ["mean"]})", Exit::training);  // it is not trained
  CHECK(project.failure.find("no trainable variable whose whole name matches 'seen'") !=
        std::string::npos);
  report(R"({"variables": "w", "kinds": ["median"]})", Exit::manifest);
  CHECK(project.failure.find("found kind 'median', expected scalar,") != std::string::npos);
}

TEST_CASE("activation-summary: of the last step of an epoch") {
  Project project;
  CHECK(train(project, {"dataflow=" + rows("[[1], [0, 3, 0, 4]]"), "steps_per_epoch=2",
                        "callbacks=[" + callback("activation-summary", R"("names": ["x"])") + "]",
                        "monitors=[" + project.listener() + "]"}) == Exit::ok);
  CHECK(project.trace("M.scalar activation-summary/") == Lines{"x-sparsity 0.5", "x-rms 2.5"});
  CHECK(project.trace("M.summary activation-summary/") ==
        Lines{"x-sparsity activation-summary/x-rms activation-summary/x-histogram"});
}

TEST_CASE("tensor-printer: values of every step, the first ones of many") {
  Project project;
  CHECK(train(project,
              {"dataflow=" + rows("[[1], [2, 4]]"), "steps_per_epoch=2",
               "callbacks=[" + callback("tensor-printer", R"("names": ["mean", "x"], "most": 1)") +
                   "]"}) == Exit::ok);
  CHECK(project.log_lines("mean: ") == Lines{"mean: 1", "mean: 3"});
  CHECK(project.log_lines("x: (") == Lines{"x: (1) [1]", "x: (2) [2, …]"});
}

TEST_CASE("dump-tensors: a file for NumPy per step") {
  Project project;
  Lines overrides = four_steps(callback("dump-tensors", R"("names": ["mean", "x"])"));
  CHECK(train(project, overrides) == Exit::ok);
  CHECK(project.files("DumpTensor-") ==
        Lines{"DumpTensor-1.npz", "DumpTensor-2.npz", "DumpTensor-3.npz", "DumpTensor-4.npz"});
  // The dataflow npy reads the file again.
  const std::string file = (project.log_dir() / "DumpTensor-3.npz").string();
  const std::string read = "dataflow=" + around("batch", R"({"use": "npy", "with": {
      "components": [{"file": ")" + file + R"(", "array": "x"}]}})",
                                                R"(, "batch_size": 1)");
  const std::string fetch = recorder("{" + project.trace_option() + R"(, "fetch": ["mean"]})");
  CHECK(train(project, {read, "steps_per_epoch=1", "callbacks=[" + fetch + "]"}) == Exit::ok);
  CHECK(project.failure == "");
  CHECK(project.trace("mean ") == Lines{"3"});
}

TEST_CASE("dump-tensor-as-image: pixels are scaled and clipped, one file per picture") {
  Project project;
  const auto dump = [&](const std::string& options) {
    return train(project, {R"(model={"use": "test.slope", "with": {"picture": true}})",
                           "data=" + around("queue", rows("[[0, 0.25, 7, -1]]")),
                           "callbacks=[" + callback("dump-tensor-as-image", options) + "]",
                           "monitors=[" + project.listener() + "]"});
  };
  const auto png = [](std::vector<uint8_t> pixels) {
    return broch::store::encode_png(pixels, 1, 2, 1);
  };
  CHECK(dump(R"("tensor_name": "pictures")") == Exit::ok);
  CHECK(project.failure == "");
  CHECK(project.files("pictures") == Lines{"pictures-ep001-1.png", "pictures-ep001.png"});
  CHECK(read_file(project.log_dir() / "pictures-ep001.png") == png({0, 64}));
  CHECK(read_file(project.log_dir() / "pictures-ep001-1.png") == png({255, 0}));
  CHECK(project.trace("M.summary pictures/") == Lines{"0(1,2,1:0 64) pictures/1(1,2,1:255 0)"});

  CHECK(dump(R"("tensor_name": "pictures", "prefix": "p", "scale": 100)") == Exit::ok);
  CHECK(read_file(project.log_dir() / "p-ep001.png") == png({0, 25}));
  CHECK(dump(R"("tensor_name": "mean")") == Exit::training);
  CHECK(project.failure.find("mean has shape (), expected (height, width)") != std::string::npos);
}

TEST_CASE("check-numerics: a weight that is not finite ends the run") {
  Project project;
  const std::string infinite = "dataflow=" + rows("[[1], [3e38, 3e38], [1]]");
  CHECK(train(project, {infinite, "steps_per_epoch=3", "callbacks=[\"check-numerics\"]"}) ==
        Exit::numbers);
  CHECK(project.failure.find("1 elements of w are not finite at global_step 3") !=
        std::string::npos);
  CHECK(train(project, {infinite, "steps_per_epoch=3",
                        "callbacks=[" + callback("check-numerics", R"("run_step": true)") + "]"}) ==
        Exit::numbers);
  CHECK(project.failure.find("at global_step 2") != std::string::npos);
  CHECK(train(project, {infinite, "steps_per_epoch=1", "callbacks=[\"check-numerics\"]"}) ==
        Exit::ok);
}

TEST_CASE("run-op: copies, moves towards, sets to a number") {
  Project project;
  // The weight is 1 and falls by 1, 2, 3 and 4.
  const auto values = [&](const std::string& options, const std::string& weight = "w") {
    const std::string watch = recorder("{" + project.trace_option() + R"(, "watch": ")" + weight +
                                       R"(", "events": ["trigger_step"]})");
    Lines overrides = four_steps(callback("run-op", options) + ", " + watch);
    overrides.push_back(R"(model={"use": "test.slope", "with": {"name": ")" + weight + "\"}}");
    CHECK(train(project, overrides) == Exit::ok);
    CHECK(project.failure == "");
    Lines lines;
    for (const std::string& line : project.trace("trigger_step "))
      lines.push_back(line.substr(line.find(' ') + 1));
    return lines;
  };
  CHECK(values(R"("assign": [{"variables": "w", "value": 7}])") == Lines{"6", "4", "1", "-3"});
  CHECK(values(R"("assign": [{"variables": ".", "value": 7}], "run_before": false)") ==
        Lines{"0", "-2", "-5", "-9"});
  CHECK(values(R"("assign": [{"variables": "w", "value": 7}], "run_step": true,
                  "verbose": true)") == Lines{"7", "7", "7", "7"});
  CHECK(project.logged("assigns to 1 variables after a step"));
  // Half of the way from what the step has left to 8: 0 -> 4, 2 -> 5, 2 -> 5, 1 -> 4.5.
  CHECK(values(R"("assign": [{"variables": "w", "value": 8, "rate": 0.5}], "run_before": false,
                  "run_step": true)") == Lines{"4", "5", "5", "4.5"});
  // A group of the expression: the variable itself.
  CHECK(values(R"x("assign": [{"variables": "(.)", "from": "$1"}], "run_step": true)x") ==
        Lines{"0", "-2", "-5", "-9"});
}

TEST_CASE("run-op: what cannot be assigned is said before training") {
  Project project;
  const auto failure = [&](const std::string& assign, Exit exit) {
    CHECK(train(project, four_steps(callback("run-op", "\"assign\": [" + assign + "]"))) == exit);
    return project.failure;
  };
  const auto has = [](const std::string& text, const std::string& words) {
    INFO(text);
    CHECK(text.find(words) != std::string::npos);
  };
  has(failure(R"({"variables": "nothing", "value": 1})", Exit::training),
      "no variable whose whole name matches 'nothing'");
  has(failure(R"({"variables": "w", "from": "nothing"})", Exit::training), "nothing");
  has(failure(R"({"variables": "(", "value": 1})", Exit::manifest),
      "expected a regular expression");
  has(failure(R"({"variables": "w"})", Exit::manifest), "found neither of from and value");
}

TEST_CASE("send-stat: a command with the latest values, whose failure is logged") {
  Project project;
  const std::string file = project.folder() / "sent";
  const auto send = [&](const std::string& command, const std::string& names) {
    return train(
        project,
        {"callbacks=[" +
             recorder("{\"put\": [" + put("trigger_epoch", "a b", "epoch_num / 4") + "]}") + ", " +
             callback("send-stat", R"("command": ")" + command + R"(", "names": )" + names) + "]",
         "max_epoch=2"});
  };
  CHECK(send("echo {a b} {other} {a b} >> " + file, R"(["a b"])") == Exit::ok);
  CHECK(read_file(file) == "0.25 {other} 0.25\n0.5 {other} 0.5\n");
  CHECK(send("exit 3", R"(["a b"])") == Exit::ok);
  CHECK(project.logged("exit code 3 of the command: exit 3"));
  CHECK(send("kill -9 $$", R"(["a b"])") == Exit::ok);
  CHECK(project.logged("signal 9 ended the command"));
  const std::string early = callback("send-stat", R"("command": "true", "names": ["a b"])");
  CHECK(train(project, {"callbacks=[" + early + ", " +
                        recorder("{\"put\": [" + put("trigger_epoch", "a b", "1") + "]}") + "]"}) !=
        Exit::ok);
  CHECK(project.failure.find("metric a b has no value yet") != std::string::npos);
}

TEST_CASE("host-memory-tracker: numbers between nothing and all memory") {
  Project project;
  CHECK(train(project, {"callbacks=[\"host-memory-tracker\"]",
                        "monitors=[" + project.listener() + "]"}) == Exit::ok);
  CHECK(project.logged("GiB of memory are free before the training"));
  const double all = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE)) / (1 << 30);
  for (const char* name : {"HostFreeMemory (GB) ", "ProcessMemory (GB) "}) {
    const Lines lines = project.trace(std::string("M.scalar ") + name);
    REQUIRE(lines.size() == 1);
    CHECK(std::stod(lines[0]) > 0);
    CHECK(std::stod(lines[0]) < all);
  }
}
