// values_test.cpp: callbacks that look at values: simple-moving-average, param-summary,
// activation-summary, tensor-printer, dump-tensors, dump-tensor-as-image, check-numerics, run-op,
// freeze, samples, send-stat, host-memory-tracker, machine-tracker, device-memory-tracker.
#include "slope.hpp"
#include "store/png.hpp"

using namespace broch::test;

namespace {

// Four steps over one number each: mean is 1, 2, 3, 4.
Lines four_steps(const std::string& callbacks) {
  return {"dataflow=" + rows("[[1], [2], [3], [4]]"), "steps_per_epoch=4",
          "callbacks=[" + callbacks + "]"};
}
// Of two towers, the second one has variables of its own.
const std::string kReplicated =
    R"(trainer={"use": "sync-replicated", "with": {"devices": ["cpu:0", "cpu:1"]}})";

}  // namespace

TEST_CASE("simple-moving-average: the mean of each window of steps") {
  Project project;
  Lines overrides =
      four_steps(use("simple-moving-average", R"("tensors": ["mean"], "window_size": 3)") +
                 ", \"model-saver\"");
  overrides.push_back("monitors=[" + project.listener() + "]");
  CHECK(until(project, 1, false, overrides, "M.scalar mean/SMA ") == Lines{"2"});
  // The window of 4, 1, 2 began before the checkpoint.
  CHECK(until(project, 2, true, overrides, "M.scalar mean/SMA ") == Lines{"2.33333333"});
}

TEST_CASE("simple-moving-average: of steps with several hooked runs, the last ones") {
  Project project;
  Lines overrides =
      four_steps(use("simple-moving-average", R"("tensors": ["mean"], "window_size": 3)"));
  overrides.push_back("trainer=test.twice");
  overrides.push_back("monitors=[" + project.listener() + "]");
  // After the third step, that is 1, 2, 3, 4, 1, 2.
  CHECK(until(project, 1, false, overrides, "M.scalar mean/SMA ") == Lines{"2.33333333"});
}

TEST_CASE("param-summary: numbers and histograms of weights by their names") {
  Project project;
  const auto report = [&](const std::string& parts, Exit exit = Exit::ok) {
    Lines overrides = four_steps(use("param-summary", "\"parts\": [" + parts + "]"));
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

TEST_CASE("param-summary: of towers with variables of their own, the first one is shown") {
  Project project;
  Lines overrides = four_steps(
      use("param-summary", R"("parts": [{"variables": ".*", "kinds": ["scalar", "histogram"]}])"));
  overrides.push_back("monitors=[" + project.listener() + "]");
  overrides.push_back(kReplicated);
  CHECK(train(project, overrides) == Exit::ok);
  CHECK(project.failure == "");
  CHECK(project.trace("M.scalar param-summary/") == Lines{"w -9"});
  CHECK(project.trace("M.summary param-summary/") == Lines{"w param-summary/w-histogram"});
}

TEST_CASE("activation-summary: of the last step of an epoch") {
  Project project;
  CHECK(train(project, {"dataflow=" + rows("[[1], [0, 3, 0, 4]]"), "steps_per_epoch=2",
                        "callbacks=[" + use("activation-summary", R"("names": ["x"])") + "]",
                        "monitors=[" + project.listener() + "]"}) == Exit::ok);
  CHECK(project.trace("M.scalar activation-summary/") == Lines{"x-sparsity 0.5", "x-rms 2.5"});
  CHECK(project.trace("M.summary activation-summary/") ==
        Lines{"x-sparsity activation-summary/x-rms activation-summary/x-histogram"});
}

TEST_CASE("activation-summary: published values by patterns, each once") {
  Project project;
  const auto report = [&](const std::string& options, Exit exit = Exit::ok) {
    CHECK(train(project, {"dataflow=" + rows("[[1], [0, 3, 0, 4]]"), "steps_per_epoch=2",
                          "callbacks=[" + use("activation-summary", options) + "]",
                          "monitors=[" + project.listener() + "]"}) == exit);
    return project.trace("M.scalar activation-summary/");
  };
  CHECK(report(R"("patterns": ["m.*", "x|mean"], "kinds": ["mean"])") ==
        Lines{"mean-mean 1.75", "x-mean 1.75"});
  CHECK(report(R"("names": ["x"], "patterns": [".", "mea."], "kinds": ["rms"])") ==
        Lines{"x-rms 2.5", "mean-rms 1.75"});
  report(R"("patterns": ["mean", "ean"])", Exit::training);
  CHECK(project.failure.find("found no published name that 'ean' matches as a whole, expected at "
                             "least one of x, mean") != std::string::npos);
  report(R"("patterns": ["("])", Exit::manifest);
  CHECK(project.failure.find("found '(', expected a regular expression") != std::string::npos);
  report("", Exit::manifest);
  CHECK(project.failure.find("found none, expected names or patterns") != std::string::npos);
}

TEST_CASE("tensor-printer: values of every step, the first ones of many") {
  Project project;
  CHECK(train(project, {"dataflow=" + rows("[[1], [2, 4]]"), "steps_per_epoch=2",
                        "callbacks=[" +
                            use("tensor-printer", R"("names": ["mean", "x"], "most": 1)") + "]"}) ==
        Exit::ok);
  CHECK(project.log_lines("mean: ") == Lines{"mean: 1", "mean: 3"});
  CHECK(project.log_lines("x: (") == Lines{"x: (1) [1]", "x: (2) [2, …]"});
}

TEST_CASE("tensor-printer: the mean and the root of the mean square") {
  Project project;
  CHECK(train(project, {"dataflow=" + rows("[[3], [1, 7, -1, 7]]"), "steps_per_epoch=2",
                        "callbacks=[" +
                            use("tensor-printer",
                                R"("names": ["mean", "x"], "most": 2, "statistics": true)") +
                            "]"}) == Exit::ok);
  CHECK(project.log_lines("mean: ") == Lines{"mean: 3", "mean: 3.5"});
  CHECK(project.log_lines("x: (") ==
        Lines{"x: (1) mean 3, rms 3 [3]", "x: (4) mean 3.5, rms 5 [1, 7, …]"});
}

TEST_CASE("dump-tensors: a file for NumPy per step") {
  Project project;
  Lines overrides = four_steps(use("dump-tensors", R"("names": ["mean", "x"])"));
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
                           "callbacks=[" + use("dump-tensor-as-image", options) + "]",
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
  // 0, 0.25, 7 and -1 become 0.5, 0.625, 4 and 0.
  CHECK(dump(R"("tensor_name": "pictures", "prefix": "m", "map_func": "value / 2 + 0.5")") ==
        Exit::ok);
  CHECK(read_file(project.log_dir() / "m-ep001.png") == png({128, 159}));
  CHECK(read_file(project.log_dir() / "m-ep001-1.png") == png({255, 0}));
  CHECK(dump(R"("tensor_name": "pictures", "prefix": "n", "normalize": true)") == Exit::ok);
  CHECK(read_file(project.log_dir() / "n-ep001.png") == png({32, 40}));
  CHECK(read_file(project.log_dir() / "n-ep001-1.png") == png({255, 0}));
  CHECK(dump(R"("tensor_name": "mean")") == Exit::training);
  CHECK(project.failure.find("mean has shape (), expected (height, width)") != std::string::npos);
}

TEST_CASE("dump-tensor-as-image: channels in front of the height") {
  Project project;
  const auto dump = [&](const std::string& tensor) {
    return train(project, {R"(model={"use": "test.slope", "with": {"picture": true}})",
                           "data=" + around("queue", rows("[[0, 0.25, 7, -1]]")),
                           "callbacks=[" +
                               use("dump-tensor-as-image",
                                   "\"channels_last\": false, \"tensor_name\": " + tensor) +
                               "]"});
  };
  CHECK(dump("\"colors\"") == Exit::ok);
  CHECK(project.failure == "");
  const std::vector<uint8_t> first{0, 0, 0, 64, 32, 16}, second{255, 255, 255, 0, 0, 0};
  CHECK(read_file(project.log_dir() / "colors-ep001.png") ==
        broch::store::encode_png(first, 1, 2, 3));
  CHECK(read_file(project.log_dir() / "colors-ep001-1.png") ==
        broch::store::encode_png(second, 1, 2, 3));
  CHECK(dump("\"pictures\"") == Exit::ok);  // (N, 1, 2, 1): one channel
  CHECK(read_file(project.log_dir() / "pictures-ep001.png") ==
        broch::store::encode_png(std::vector<uint8_t>{0, 64}, 2, 1, 1));
  CHECK(dump("\"mean\"") == Exit::training);
  CHECK(project.failure.find("(N, channels, height, width)") != std::string::npos);
}

TEST_CASE("check-numerics: a weight that is not finite ends the run") {
  Project project;
  const std::string infinite = "dataflow=" + rows("[[1], [3e38, 3e38], [1]]");
  CHECK(train(project, {infinite, "steps_per_epoch=3", "callbacks=[\"check-numerics\"]"}) ==
        Exit::numbers);
  CHECK(project.failure.find("1 elements of w are not finite at global_step 3") !=
        std::string::npos);
  CHECK(train(project, {infinite, "steps_per_epoch=3",
                        "callbacks=[" + use("check-numerics", R"("run_step": true)") + "]"}) ==
        Exit::numbers);
  CHECK(project.failure.find("at global_step 2") != std::string::npos);
  CHECK(train(project, {infinite, "steps_per_epoch=1", "callbacks=[\"check-numerics\"]"}) ==
        Exit::ok);
}

TEST_CASE("check-numerics: published values, in each step or in the last one of an epoch") {
  Project project;
  const auto check = [&](const std::string& options, int steps) {
    return train(project, {"dataflow=" + rows("[[1], [3e38, 3e38], [1]]"),
                           "steps_per_epoch=" + std::to_string(steps),
                           "callbacks=[" + use("check-numerics", options) + "]"});
  };
  CHECK(check(R"("published": ["m.*"])", 1) == Exit::ok);
  CHECK(check(R"("published": ["m.*"])", 2) == Exit::numbers);
  CHECK(project.failure.find("1 elements of mean are not finite") != std::string::npos);
  CHECK(check(R"("published": ["m.*"], "run_step": true)", 3) == Exit::numbers);
  CHECK(project.failure.find("1 elements of mean are not finite") != std::string::npos);
  // In the last of three steps the value is finite again, but the weight is not.
  CHECK(check(R"("published": ["m.*"])", 3) == Exit::numbers);
  CHECK(project.failure.find("1 elements of w are not finite") != std::string::npos);
  CHECK(check(R"("published": ["m.*"], "run_as_trigger": false)", 3) == Exit::ok);
  CHECK(check(R"("published": ["nothing"])", 1) == Exit::training);
  CHECK(project.failure.find("no published name that 'nothing' matches") != std::string::npos);
}

TEST_CASE("check-numerics: also before training") {
  Project project;
  const std::string infinite = "dataflow=" + rows("[[1], [3e38, 3e38], [1]]");
  REQUIRE(train(project, {infinite, "steps_per_epoch=3", "callbacks=[\"model-saver\"]"}) ==
          Exit::ok);
  broch::session::RunOptions resume;
  resume.resume = true;
  const std::string traced =
      recorder("{" + project.trace_option() + R"(, "events": ["trigger_step"]})");
  for (const std::string options : {"", R"("run_as_trigger": false)"}) {
    CAPTURE(options);
    CHECK(train(project,
                {infinite, "steps_per_epoch=3", "max_epoch=2",
                 R"(callbacks=["model-saver", )" + use("check-numerics", options) + ", " + traced +
                     "]"},
                resume) == Exit::numbers);
    CHECK(project.failure.find("1 elements of w are not finite at global_step 3") !=
          std::string::npos);
    CHECK(project.trace().empty());
  }
}

TEST_CASE("run-op: copies, moves towards, sets to a number") {
  Project project;
  // The weight is 1 and falls by 1, 2, 3 and 4.
  const auto values = [&](const std::string& options, const std::string& weight = "w") {
    const std::string watch = recorder("{" + project.trace_option() + R"(, "watch": ")" + weight +
                                       R"(", "events": ["trigger_step"]})");
    Lines overrides = four_steps(use("run-op", options) + ", " + watch);
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

TEST_CASE("run-op: all is assigned at once, so two variables can be exchanged") {
  Project project;
  const std::string watch =
      recorder("{" + project.trace_option() + R"(, "watch": "w", "events": ["trigger_step"]})");
  Lines overrides = four_steps(use("run-op", R"("run_before": false, "run_step": true, "assign": [
      {"variables": "w", "from": "w/momentum_buffer"},
      {"variables": "w/momentum_buffer", "from": "w"}])") +
                               ", " + watch);
  overrides.push_back(
      R"(optimizer={"use": "momentum", "with": {"learning_rate": 1, "momentum": 0.5}})");
  CHECK(train(project, overrides) == Exit::ok);
  CHECK(project.failure == "");
  // Weight and buffer are 0 and 1 before the exchange, then -1 and 2, -0.5 and 2.5, -1.25 and 3.75.
  CHECK(project.trace("trigger_step ") == Lines{"1,0,1 1", "1,1,2 2", "1,2,3 2.5", "1,3,4 3.75"});
}

TEST_CASE("run-op: towers with variables of their own get the same") {
  for (const std::string weight : {"w", "tower1/w"}) {
    CAPTURE(weight);
    Project project;
    const std::string watch = recorder("{" + project.trace_option() + R"(, "watch": ")" + weight +
                                       R"(", "events": ["before_train", "trigger_step"]})");
    Lines overrides = four_steps(use("run-op", R"("assign": [{"variables": "w", "value": 7}],
                                                  "run_step": true)") +
                                 ", " + watch);
    overrides.push_back(kReplicated);
    CHECK(train(project, overrides) == Exit::ok);
    CHECK(project.failure == "");
    CHECK(project.trace() == Lines{"before_train 0,-1,0 7", "trigger_step 1,0,1 7",
                                   "trigger_step 1,1,2 7", "trigger_step 1,2,3 7",
                                   "trigger_step 1,3,4 7"});
  }
}

TEST_CASE("run-op: before training it runs once, also in a run that is resumed before its steps") {
  const std::string saver = R"({"use": "model-saver", "when": {"before_train": true}})";
  const std::string half = use("run-op", R"("assign": [{"variables": "w", "value": 7, "rate": 0.5}],
                                            "run_as_trigger": false)");
  for (const bool saver_first : {true, false}) {
    CAPTURE(saver_first);
    Project project;
    const std::string watch =
        recorder("{" + project.trace_option() + R"(, "watch": "w", "events": ["trigger_step"]})");
    const Lines overrides =
        four_steps((saver_first ? saver + ", " + half : half + ", " + saver) + ", " + watch);
    for (const bool resumes : {false, true}) {
      broch::session::RunOptions options;
      options.resume = resumes;
      CHECK(train(project, overrides, options) == Exit::ok);
      CHECK(project.failure == "");
      CHECK(project.trace("trigger_step ") == Lines{"1,0,1 3", "1,1,2 1", "1,2,3 -2", "1,3,4 -6"});
    }
  }
}

TEST_CASE("run-op: what cannot be assigned is said before training") {
  Project project;
  const auto failure = [&](const std::string& assign, Exit exit) {
    CHECK(train(project, four_steps(use("run-op", "\"assign\": [" + assign + "]"))) == exit);
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
  has(failure(R"({"variables": "w", "value": 1}, {"variables": "("})", Exit::manifest),
      "/with/assign/1: ");
  Lines of_replica =
      four_steps(use("run-op", R"("assign": [{"variables": "tower1/w", "value": 1}])"));
  of_replica.push_back(kReplicated);
  CHECK(train(project, of_replica) == Exit::training);
  has(project.failure, "'tower1/w', expected at least one of the first tower");
}

TEST_CASE("freeze: in some epochs, neither variables nor what the optimizer remembers change") {
  const auto followed = [](Project& project, const std::string& watched, int epochs,
                           const broch::session::RunOptions& options = {}) {
    const std::string saver = R"({"use": "model-saver", "when": {"every_k_steps": 1}})";
    const std::string frozen =
        use("freeze", R"("phases": [{"variables": "w", "from_epoch": 2, "to_epoch": 2},
                                         {"variables": "s.*", "from_epoch": 3}])");
    const std::string watch = recorder("{" + project.trace_option() + R"(, "watch": ")" + watched +
                                       R"(", "events": ["trigger_step"]})");
    CHECK(train(project,
                {R"(optimizer={"use": "momentum", "with": {"learning_rate": 1, "momentum": 0.9}})",
                 "dataflow=" + rows("[[1], [2], [3], [4]]"), "steps_per_epoch=2",
                 "max_epoch=" + std::to_string(epochs), R"(extra_callbacks=["run-update-ops"])",
                 "callbacks=[" + saver + ", " + frozen + ", " + watch + "]"},
                options) == Exit::ok);
    CHECK(project.failure == "");
    std::vector<double> values;
    for (const std::string& line : project.trace("trigger_step "))
      values.push_back(std::stod(line.substr(line.find(' ') + 1)));
    return values;
  };
  const auto check_near = [](const std::vector<double>& found,
                             const std::vector<double>& expected) {
    REQUIRE(found.size() == expected.size());
    for (size_t i = 0; i < found.size(); ++i)
      CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-6));
  };
  // Gradients are 1, 2, 3, 4, 1, 2. Those of the second epoch leave no trace.
  Project project, memory, seen;
  check_near(followed(memory, "w/momentum_buffer", 3), {1, 2.9, 2.9, 2.9, 3.61, 5.249});
  check_near(followed(seen, "seen", 3), {1, 2, 3, 4, 4, 4});
  const std::vector<double> weights = followed(project, "w", 3);
  check_near(weights, {0, -2.9, -2.9, -2.9, -6.51, -11.759});

  // The checkpoint of step 3 was saved before the weight was put back.
  broch::session::RunOptions resume;
  resume.resume = true;
  resume.resume_path = project.log_dir() / "model-3.safetensors";
  CHECK(followed(project, "w", 3, resume) ==
        std::vector<double>(weights.begin() + 2, weights.end()));
}

TEST_CASE("freeze: a phase that cannot be is refused with its place") {
  Project project;
  const auto refused = [&](const std::string& phase, Exit exit, const std::string& option,
                           const std::string& words) {
    const std::string frozen = use("freeze", R"("phases": [{"variables": "w"}, )" + phase + "]");
    CHECK(train(project, {"dataflow=" + rows("[[1], [2]]"), "callbacks=[" + frozen + "]"}) == exit);
    INFO(project.failure);
    CHECK(has(project.failure, "/with/phases/1/" + option + ": "));
    CHECK(has(project.failure, words));
  };
  refused(R"({"variables": "w", "from_epoch": 5, "to_epoch": 4})", Exit::manifest, "to_epoch",
          "found 4, expected from_epoch, 5, or a later one");
  refused(R"({"variables": "("})", Exit::manifest, "variables", "expected a regular expression");
  refused(R"({"variables": "nothing"})", Exit::training, "variables", "found no weight");
}

TEST_CASE("freeze: what adafactor remembers of rows and columns does not change") {
  Project project;
  const std::string model =
      R"(model={"use": "sequential", "with": {"inputs": [{"name": "x", "shape": [-1, 1]}],
         "layers": [{"layer": "fully_connected", "units": 1, "name": "fc"}],
         "loss": {"loss": "mse", "target": "x"}}})";
  const std::string frozen = use("freeze", R"("phases": [{"variables": "fc/W", "from_epoch": 2}])");
  const std::string watch = recorder("{" + project.trace_option() +
                                     R"(, "watch": "fc/W/rows", "events": ["trigger_step"]})");
  CHECK(train(project,
              {model, R"(optimizer={"use": "adafactor"})",
               "dataflow=" + around("batch", rows("[[1], [2], [3], [4]]"), R"(, "batch_size": 1)"),
               "steps_per_epoch=2", "max_epoch=2", "callbacks=[" + frozen + ", " + watch + "]"}) ==
        Exit::ok);
  CHECK(project.failure == "");
  Lines means;
  for (const std::string& line : project.trace("trigger_step "))
    means.push_back(line.substr(line.find(' ')));
  REQUIRE(means.size() == 4);
  CHECK(means[0] != means[1]);
  CHECK(means[2] == means[1]);
  CHECK(means[3] == means[1]);
}

TEST_CASE("samples: a resumed run goes on in the data after the samples that were shown") {
  Project project;
  const Lines overrides =
      four_steps(use("samples", R"("count": 1, "outputs": [{"name": "mean", "as": "numbers"}],
               "dataflow": )" + rows("[[1], [2]]", ", " + project.trace_option())) +
                 ", \"model-saver\"");
  CHECK(until(project, 1, false, overrides, "open ") == Lines{""});
  CHECK(until(project, 2, true, overrides, "open ") == Lines{"0", ""});
}

TEST_CASE("samples: a vocabulary without words is refused with its place") {
  Project project;
  project.folder().write("empty.txt", "");
  std::filesystem::create_directory(project.folder() / "folder");
  for (const char* file : {"empty.txt", "missing.txt", "folder"}) {
    const std::string path = project.folder() / file;
    CAPTURE(path);
    const std::string outputs =
        R"("outputs": [{"name": "mean", "as": "texts", "vocabulary": ")" + path + "\"}], ";
    const std::string data = "\"dataflow\": " + rows("[[1], [2]]");
    CHECK(train(project, four_steps(use("samples", outputs + data))) == Exit::data);
    CHECK(has(project.failure, "/with/outputs/0/vocabulary: "));
    CHECK(has(project.failure, "found no word in " + path + ", expected a file"));
  }
}

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

TEST_CASE("machine-tracker: processors and a disk, by what the system says") {
  Project project;
  CHECK(train(project, {"callbacks=[\"machine-tracker\"]", "max_epoch=2",
                        "monitors=[" + project.listener() + "]"}) == Exit::ok);
  const auto number = [&](const std::string& name) {
    const Lines lines = project.trace("M.scalar " + name + " ");
    REQUIRE(lines.size() == 2);
    return std::stod(lines[1]);
  };
  CHECK(number("ProcessCPU (%)") > 0);
  CHECK(number("ProcessCPU (%)") < 100.0 * double(sysconf(_SC_NPROCESSORS_ONLN)) + 50);
  const auto space = std::filesystem::space(project.log_dir());
  CHECK(number("FreeDisk (GB)") > 0);
  CHECK(number("FreeDisk (GB)") <= double(space.capacity) / (1 << 30));
  CHECK(train(project, {"callbacks=[" + use("machine-tracker", R"("disk": "nowhere")") + "]",
                        "max_epoch=2"}) == Exit::ok);
  CHECK(project.log_lines("nowhere is not known: ").size() == 1);
}

TEST_CASE("device-memory-tracker: the peak of a device, here of the processor") {
  Project project;
  const auto track = [&](const std::string& devices) {
    return train(project, {"callbacks=[" + use("device-memory-tracker", devices) + "]",
                           "monitors=[" + project.listener() + "]"});
  };
  CHECK(track(R"("devices": ["cpu"])") == Exit::ok);
  const Lines lines = project.trace("M.scalar PeakMemory(MB)/cpu ");
  REQUIRE(lines.size() == 1);
  CHECK(std::stod(lines[0]) > 1);
  CHECK(track(R"("devices": ["gpu"])") != Exit::ok);
  CHECK(project.failure.find("found 'gpu', expected cpu, or cuda:0, cuda:1 …") !=
        std::string::npos);
}
