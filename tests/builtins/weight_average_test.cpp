// weight_average_test.cpp: weight-average and averaged-weights, against plain arithmetic.
#include "slope.hpp"

using namespace broch::test;

namespace {

std::string average(const std::string& options) { return use("weight-average", options); }
std::string evaluation(const std::string& more = "") {
  return R"({"use": "inference-runner", "with": {"dataflow": )" + rows("[[1]]", more) +
         R"(, "inferencers": [{"use": "scalar-stats", "with": {"names": ["cost"]}}]}})";
}
std::string averaged(const std::string& inner, const std::string& more = "") {
  return use("averaged-weights", "\"callback\": " + inner + more);
}

// w is 1 and falls by 1, 2, 3 and 4 in two epochs; "seen" counts steps.
const Lines kSteps = {"dataflow=" + rows("[[1], [2], [3], [4]]"), "steps_per_epoch=2",
                      R"(extra_callbacks=["run-update-ops"])"};
constexpr double kWeights[] = {0, -2, -5, -9};

Lines with_steps(Lines overrides) {
  overrides.insert(overrides.end(), kSteps.begin(), kSteps.end());
  return overrides;
}

// A variable after each step.
std::vector<double> followed(const std::string& options,
                             const std::string& variable = "average/w") {
  Project project;
  const std::string watch = recorder("{" + project.trace_option() + R"(, "watch": ")" + variable +
                                     R"(", "events": ["trigger_step", "trigger_epoch"]})");
  CHECK(train(project, with_steps({"callbacks=[" + average(options) + ", " + watch + "]",
                                   "max_epoch=2"})) == Exit::ok);
  CHECK(project.failure == "");
  std::vector<double> values;
  const bool by_epoch = options.find("\"period\": 0") != std::string::npos;
  for (const std::string& line : project.trace(by_epoch ? "trigger_epoch " : "trigger_step "))
    values.push_back(std::stod(line.substr(line.find(' ') + 1)));
  return values;
}

void check_near(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-6));
}

// The slow version: after each of some steps, from the one of this index on.
std::vector<double> exponential(double decay, bool warm_up, size_t from = 0) {
  std::vector<double> values;
  double mean = 0;
  for (size_t i = 0, n = 0; i < 4; ++i) {
    if (i >= from) {
      double kept = decay;
      if (warm_up) kept = std::min(kept, (1.0 + double(n)) / (10.0 + double(n)));
      mean = n++ == 0 ? kWeights[i] : kept * mean + (1 - kept) * kWeights[i];
    }
    values.push_back(mean);
  }
  return values;
}

}  // namespace

TEST_CASE("weight-average: exponential, with a decay that grows or not") {
  check_near(followed(R"("decay": 0.5)"), exponential(0.5, false));
  check_near(followed(R"("decay": 0.9, "warm_up": true)"), exponential(0.9, true));
  check_near(followed(R"("decay": 0.25, "warm_up": true)"), exponential(0.25, true));
  check_near(followed(R"("decay": 0.5, "from_step": 2)"), exponential(0.5, false, 1));
}

TEST_CASE("weight-average: equal, every few steps, from a step or an epoch on, on triggers") {
  const std::string equal = R"("kind": "equal")";
  check_near(followed(equal), {0, -1, -7. / 3, -4});
  check_near(followed(equal + R"(, "period": 2)"), {0, -2, -2, -5.5});
  check_near(followed(equal + R"(, "from_step": 3)"), {0, 0, -5, -7});
  check_near(followed(equal + R"(, "from_epoch": 2)"), {0, 0, -5, -7});
  check_near(followed(equal + R"(, "period": 0)"), {-2, -5.5});
}

TEST_CASE("weight-average: equal has no decay that could warm up") {
  Project project;
  const std::string both = average(R"("kind": "equal", "warm_up": true)");
  CHECK(train(project, with_steps({"callbacks=[" + both + "]"})) == Exit::manifest);
  CHECK(project.failure.find("found \"kind\": \"equal\", whose averages have no decay") !=
        std::string::npos);
}

TEST_CASE(
    "weight-average: statistics are averaged, too, unless told otherwise; a name of its own") {
  check_near(followed(R"("kind": "equal", "name": "mean")", "mean/seen"), {1, 1.5, 2, 2.5});
  check_near(followed(R"("kind": "equal")", "average_updates"), {1, 2, 3, 4});
  Project project;
  const std::string watch = recorder(R"({"watch": "average/seen", "events": ["trigger_step"]})");
  for (const std::string options : {R"("statistics": false)", R"("variables": "w")"}) {
    CAPTURE(options);
    CHECK(train(project, {"callbacks=[" + average(options) + ", " + watch + "]"}) != Exit::ok);
    CHECK(project.failure.find("average/seen") != std::string::npos);
  }
  CHECK(train(project, {"callbacks=[" + average(R"("variables": "x")") + "]"}) == Exit::training);
  CHECK(project.failure.find("found no weight whose whole name matches 'x'") != std::string::npos);
}

TEST_CASE("averaged-weights: the evaluation sees the averages, the training does not") {
  Project project;
  const std::string watch =
      recorder("{" + project.trace_option() + R"(, "events": ["trigger_epoch"], "watch": "w"})");
  CHECK(train(project, with_steps({"callbacks=[" + averaged(evaluation()) + ", " + average("") +
                                   "]"})) != Exit::ok);
  CHECK(project.failure.find("stands before this callback") != std::string::npos);

  const std::string both =
      average(R"("kind": "equal", "from_epoch": 2)") + ", " + averaged(evaluation()) + ", " + watch;
  CHECK(train(project, with_steps({"callbacks=[" + both + "]", "max_epoch=2",
                                   "monitors=[" + project.listener() + "]"})) == Exit::ok);
  CHECK(project.failure == "");
  CHECK(project.logged("no weights were averaged yet"));
  CHECK(project.trace("M.scalar validation_cost ") == Lines{"-2", "-7"});
  CHECK(project.trace("trigger_epoch ") == Lines{"1,1,2 -2", "2,1,4 -9"});
}

TEST_CASE("averaged-weights: the weights come back when an evaluation fails") {
  Project project;
  const std::string watch =
      recorder("{" + project.trace_option() + R"(, "events": ["after_train"], "watch": "w"})");
  const std::string failing = evaluation(R"(, "fail_at": 0)");
  CHECK(train(project, with_steps({"callbacks=[" + average(R"("kind": "equal")") + ", " +
                                   averaged(failing) + ", " + watch + "]"})) != Exit::ok);
  CHECK(project.failure.find("row 0 is torn") != std::string::npos);
  CHECK(project.trace("after_train ") == Lines{"1,1,2 -2"});
}

TEST_CASE("averaged-weights: refuses a checkpoint with the averages in the place of the weights") {
  Project project;
  CHECK(train(project, with_steps({"callbacks=[" + average("") + ", " +
                                   averaged(R"("model-saver")") + "]"})) != Exit::ok);
  CHECK(project.failure.find("put the saver beside this callback") != std::string::npos);
  CHECK(project.files("model-").empty());
}

TEST_CASE("weight-average: a resumed training goes on with its averages, and eval uses them") {
  Project whole, parts;
  const std::string callbacks = "callbacks=[" + average(R"("decay": 0.5, "warm_up": true)") +
                                R"(, "model-saver", )" +
                                averaged(evaluation(", " + whole.trace_option())) + "]";
  const auto costs = [&](Project& project, int epoch, bool resume) {
    return until(project, epoch, resume,
                 with_steps({callbacks, "monitors=[" + project.listener() + "]"}),
                 "M.scalar validation_cost ");
  };
  const Lines expected = costs(whole, 2, false);
  CHECK(costs(parts, 1, false) == Lines{expected[0]});
  CHECK(costs(parts, 2, true) == expected);  // the evaluation comes after the saver
  const std::string last = "model-4.safetensors";
  CHECK(read_file(whole.log_dir() / last).size() > 0);

  broch::session::SetupOptions setup;
  setup.manifest = whole.folder() / "run.json";
  setup.overrides = with_steps({callbacks, R"(model={"use": "test.slope"})"});
  broch::session::RunOptions options;
  options.writes = options.session_init = false;
  std::filesystem::remove(whole.trace_path());
  const broch::session::Setup made(setup);
  broch::session::Run run(made, options);
  run.build();
  const auto metrics = run.evaluate(whole.log_dir() / last);
  REQUIRE(metrics.size() == 1);
  CHECK(whole.trace("open ").size() == 1);
  check_near({metrics[0].second}, {exponential(0.5, true).back()});
}
