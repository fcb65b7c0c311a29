// freeze_test.cpp: freeze.
#include "slope.hpp"

using namespace broch::test;

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
