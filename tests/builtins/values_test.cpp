// values_test.cpp: callbacks that look at values: simple-moving-average, param-summary,
// activation-summary, tensor-printer, check-numerics, samples.
#include "slope.hpp"

using namespace broch::test;

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
