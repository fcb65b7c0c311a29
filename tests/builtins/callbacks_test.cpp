// callbacks_test.cpp: progress-bar, throughput-tracker, estimated-time-left, time-budget,
// nan-guard.

#include "matches.hpp"
#include "slope.hpp"

using namespace broch::test;

namespace {

// Writes down what a terminal would show.
class Screen final : public broch::session::Ui {
 public:
  explicit Screen(bool redraws = true) : redraws_(redraws) {}
  void begin(const void*, const std::string& label, int64_t total) override {
    lines.push_back("begin " + label + " of " + std::to_string(total));
  }
  bool advance(const void*, int64_t done) override {
    lines.push_back("done " + std::to_string(done));
    return redraws_;
  }
  void describe(const void*, const std::string& text) override { lines.push_back(text); }
  void end(const void*) override { lines.push_back("end"); }

  Lines lines;

 private:
  bool redraws_;
};

// What a screen shows of a training.
Lines shown_on(Screen screen, Project& project, const Lines& overrides, Exit expected = Exit::ok) {
  broch::session::RunOptions options;
  options.ui = &screen;
  CHECK(train(project, overrides, options) == expected);
  return screen.lines;
}

// What a progress bar with these names shows of an epoch of two steps over 1, 2, 3, …
Lines shown(Project& project, const std::string& names, bool redraws = true) {
  return shown_on(Screen(redraws), project,
                  {"trainer=test.twice", "dataflow=" + rows("[[1], [2], [3], [4]]"),
                   R"(model={"use": "test.slope", "with": {"name": "a/b"}})", "steps_per_epoch=2",
                   R"(callbacks=[{"use": "progress-bar", "with": {"names": )" + names + "}}]"});
}

// A recorder that takes 20 ms in this event.
std::string slow(const std::string& event) {
  return recorder(R"({"slow_event": ")" + event + "\"}");
}
std::vector<double> numbers(const Lines& lines) {
  std::vector<double> numbers;
  for (const std::string& line : lines) numbers.push_back(std::stod(line));
  return numbers;
}

}  // namespace

TEST_CASE("progress-bar: counts steps and shows cost and values of each step's first hooked run") {
  Project project;
  CHECK(shown(project, "[]") ==
        Lines{"begin epoch 1/1 of 2", "done 1", "cost=1", "done 2", "cost=3", "end"});
  CHECK(shown(project, R"(["mean", "cost", "a/b"])") == Lines{"begin epoch 1/1 of 2", "done 1",
                                                              "cost=1 mean=1 b=1", "done 2",
                                                              "cost=3 mean=3 b=1", "end"});
}

TEST_CASE("progress-bar: reads the cost when it is drawn, and at the end of an epoch") {
  Project project;
  CHECK(shown(project, "[]", false) ==
        Lines{"begin epoch 1/1 of 2", "done 1", "done 2", "cost=3", "end"});
}

TEST_CASE("progress-bar: shows the last values of reported metrics, as soon as there are any") {
  Project project;
  CHECK(shown_on(Screen(), project,
                 {"dataflow=" + rows("[[1], [2]]"), "steps_per_epoch=1", "max_epoch=2",
                  R"(callbacks=[{"use": "progress-bar", "with": {"metrics": ["tenfold"]}},
                       {"use": "derived-metric",
                        "with": {"name": "tenfold", "value": "10 * epoch_num"}}])"}) ==
        Lines{"begin epoch 1/2 of 1", "done 1", "cost=1", "end", "begin epoch 2/2 of 1", "done 1",
              "cost=0 tenfold=10", "end"});
}

TEST_CASE("progress-bar: of an endless training it names no last epoch, and the cost by any name") {
  Project project;
  const std::string stop =
      R"({"use": "hyper-param-setter-with-func", "with": {"param": "learning_rate",
          "func": "epoch_num == 2 ? stop() : value"}})";
  CHECK(shown_on(Screen(), project,
                 {"model=test.normed", "dataflow=" + rows("[[1, 1]]"), "steps_per_epoch=1",
                  "max_epoch=99999", "callbacks=[\"progress-bar\", " + stop + "]"}) ==
        Lines{"begin epoch 1 of 1", "done 1", "cost=0", "end", "begin epoch 2 of 1", "done 1",
              "cost=-1", "end"});
}

TEST_CASE("progress-bar: says first what was done before a run was resumed within an epoch") {
  Project project;
  const Lines overrides = {
      "steps_per_epoch=4", "max_epoch=1",
      R"(callbacks=["progress-bar", {"use": "model-saver", "when": {"every_k_steps": 3}}])"};
  REQUIRE(project.train(overrides) == Exit::ok);
  Screen screen;
  broch::session::RunOptions options = Project::null_runtime();
  options.ui = &screen;
  options.resume = true;
  REQUIRE(project.train(overrides, options) == Exit::ok);
  std::erase_if(screen.lines, [](const std::string& line) { return !line.starts_with("done"); });
  CHECK(screen.lines == Lines{"done 3", "done 4"});
}

TEST_CASE("progress-bar: shows nothing if a gate has left out the beginning of the epoch") {
  Project project;
  CHECK(shown_on(Screen(), project,
                 {"dataflow=" + rows("[[1], [2]]"), "steps_per_epoch=2",
                  R"(callbacks=[{"use": "enable-callback-if",
                       "with": {"condition": "global_step > 0",
                                "callback": {"use": "progress-bar"}}}])"}) == Lines{});
}

TEST_CASE("progress-bar: closes its bar when training fails, and wants scalars") {
  Project project;
  CHECK(shown_on(Screen(), project,
                 {"dataflow=" + rows("[[1, 2]]"),
                  R"(callbacks=[{"use": "progress-bar", "with": {"names": ["x"]}}])"},
                 Exit::training) == Lines{"begin epoch 1/1 of 1", "done 1", "end"});
  CHECK(project.failure.find("expected one element") != std::string::npos);
}

TEST_CASE("throughput-tracker: counts between before_epoch and after_epoch, and by the clock") {
  Project project;
  const std::string samples = R"({"use": "throughput-tracker", "with": {"samples_per_step": 10}})";
  CHECK(train(project, {"callbacks=[" + slow("trigger_step") + ", " + slow("trigger_epoch") +
                            R"(, "throughput-tracker", )" + samples + "]",
                        "steps_per_epoch=2", "max_epoch=2",
                        "monitors=[" + project.listener() + "]"}) == Exit::ok);
  const auto inside = numbers(project.trace("M.scalar Throughput (steps/sec) "));
  const auto clock = numbers(project.trace("M.scalar Throughput wall clock (steps/sec) "));
  const auto ten = numbers(project.trace("M.scalar Throughput (samples/sec) "));
  REQUIRE((inside.size() == 2 && clock.size() == 2 && ten.size() == 2));
  for (size_t epoch = 0; epoch < 2; ++epoch) {
    CHECK(inside[epoch] <= 50);       // 2 steps in 40 ms
    CHECK(clock[epoch] <= 100. / 3);  // in 60 ms
    CHECK(inside[epoch] > clock[epoch]);
    CHECK(ten[epoch] == doctest::Approx(10 * inside[epoch]).epsilon(0.05));
  }
}

TEST_CASE("throughput-tracker: a trigger within an epoch counts the time until then") {
  Project project;
  CHECK(train(project, {"callbacks=[" + slow("trigger_step") +
                            R"(, {"use": "periodic-trigger", "with": {"every_k_steps": 1,
                                 "callback": {"use": "throughput-tracker"}}}])",
                        "steps_per_epoch=2", "monitors=[" + project.listener() + "]"}) == Exit::ok);
  const auto inside = numbers(project.trace("M.scalar Throughput (steps/sec) "));
  REQUIRE(inside.size() == 2);
  for (const double rate : inside) CHECK(rate <= 50);  // a step in 20 ms
}

TEST_CASE("estimated-time-left: in words after each epoch but the last") {
  Project project;
  CHECK(train(project, {"callbacks=[" + slow("trigger_step") + R"(, "estimated-time-left"])",
                        "steps_per_epoch=2", "max_epoch=3"}) == Exit::ok);
  const Lines lines = project.log_lines("Estimated Time Left: ");
  REQUIRE(lines.size() == 2);
  double seconds[2] = {};
  for (int i : {0, 1}) {
    CHECK(support::matches(lines[i], "^Estimated Time Left: [0-9.]+ seconds?$"));
    seconds[i] = std::stod(lines[i].substr(lines[i].find(": ") + 2));
  }
  CHECK(seconds[0] >= 0.08);  // two epochs of 40 ms
  CHECK(seconds[1] >= 0.04);
  CHECK(seconds[1] < seconds[0]);
}

TEST_CASE("estimated-time-left: from the last k epochs alone") {
  const auto after_two_epochs = [](const std::string& with) {
    Project project;
    std::string callbacks = R"({"use": "estimated-time-left", "with": {"median": false)" + with;
    callbacks += "}}";
    for (int i = 0; i < 15; ++i) callbacks += ", " + slow("before_train");
    CHECK(train(project, {"callbacks=[" + callbacks + "]", "max_epoch=4"}) == Exit::ok);
    const Lines lines = project.log_lines("Estimated Time Left: ");
    REQUIRE(lines.size() == 3);
    return std::stod(lines[1].substr(lines[1].find(": ") + 2));
  };
  CHECK(after_two_epochs("") >= 0.3);  // the first epoch counts as 300 ms
  CHECK(after_two_epochs(R"(, "last_k_epochs": 1)") < 0.3);
}

TEST_CASE("estimated-time-left: also under when, after some epochs or within them") {
  const auto estimates = [](const std::string& when, const Lines& length) {
    Project project;
    Lines overrides = length;
    overrides.push_back("callbacks=[" + slow("trigger_step") +
                        R"(, {"use": "estimated-time-left", "when": {)" + when + "}}]");
    CHECK(train(project, overrides) == Exit::ok);
    Lines seconds = project.log_lines("Estimated Time Left: ");
    for (std::string& line : seconds) line.erase(0, line.find(": ") + 2);
    return numbers(seconds);
  };
  const auto epochs = estimates(R"("every_k_epochs": 2)", {"steps_per_epoch=2", "max_epoch=5"});
  REQUIRE(epochs.size() == 2);
  CHECK(epochs[0] >= 0.12);  // three epochs of 40 ms
  CHECK(epochs[1] >= 0.04);
  const auto steps = estimates(R"("every_k_steps": 1, "before_train": true)",
                               {"steps_per_epoch=4", "max_epoch=1"});
  REQUIRE(steps.size() == 3);
  for (size_t i = 0; i < 3; ++i) CHECK(steps[i] >= 0.02 * double(3 - i));
}

TEST_CASE("time-budget: ends with the epoch or the step, and counts earlier parts") {
  Project project;
  const auto epochs = [&](const std::string& options, bool resume) {
    broch::session::RunOptions run;
    run.resume = resume;
    CHECK(train(project,
                {"callbacks=[" +
                     recorder("{" + project.trace_option() + R"(, "events": ["trigger_step"]})") +
                     ", \"model-saver\", {\"use\": \"time-budget\", \"with\": {" + options +
                     "}}, " + slow("trigger_step") + "]",
                 "steps_per_epoch=3", "max_epoch=50", "monitors=[\"json-writer\"]"},
                run) == Exit::ok);
    CHECK(project.logged("seconds of its time are used up"));
    return project.records();
  };
  // 60 ms per epoch.
  const Lines first = epochs(R"("seconds": 0.1)", false);
  CHECK(project.logged("the 0.1 seconds of its time are used up"));
  REQUIRE(first.size() >= 1);
  CHECK(first.size() < 3);
  // The checkpoint after it knows that more than a second was used.
  const Lines second = epochs(R"("seconds": 1.9)", true);
  CHECK(second.size() > first.size());
  CHECK(project.trace("trigger_step ").size() > 3);
  CHECK(epochs(R"("seconds": 1)", true).size() <= second.size() + 1);
  CHECK(project.trace("trigger_step ").size() <= 3);
  epochs(R"("seconds": 0, "interval": "step")", false);
  CHECK(project.trace("trigger_step ").size() == 1);
}

TEST_CASE("time-budget: triggered in the middle of an epoch") {
  Project project;
  const std::string budget =
      R"({"use": "time-budget", "when": {"every_k_steps": 2}, "with": {"seconds": 0}})";
  const std::string steps =
      recorder("{" + project.trace_option() + R"(, "events": ["trigger_step"]})");
  CHECK(train(project, {"callbacks=[" + steps + ", " + budget + "]", "steps_per_epoch=3",
                        "max_epoch=3"}) == Exit::ok);
  CHECK(project.logged("the 0 seconds of its time are used up"));
  CHECK(project.trace("trigger_step ").size() == 2);
}

TEST_CASE("nan-guard: ends the run with the exit code of numbers") {
  Project project;
  CHECK(train(project, {"dataflow=" + rows("[[1], [3e38, 3e38]]"), "steps_per_epoch=3",
                        R"(callbacks=[{"use": "nan-guard", "with": {"names": ["mean"]}}])"}) ==
        Exit::numbers);
  CHECK(project.failure.find("mean is inf at global_step 2") != std::string::npos);
}

TEST_CASE("nan-guard: watches the cost unless told otherwise, and knows what is no number") {
  Project project;
  // w falls to 0 in the first step: the cost of the second is 0 times infinity.
  CHECK(train(project, {"dataflow=" + rows("[[1], [3e38, 3e38]]"), "steps_per_epoch=3",
                        R"(callbacks=["nan-guard"])"}) == Exit::numbers);
  CHECK(project.failure.find("cost is nan at global_step 2") != std::string::npos);
  CHECK(project.failure.find("lower the learning rate") != std::string::npos);
  CHECK(project.failure.find("if the data of this step have numbers that are not finite") !=
        std::string::npos);
}

TEST_CASE("nan-guard: tells to resume where there is a checkpoint, and to start again elsewhere") {
  const auto failure = [](const std::string& more) {
    Project project;
    CHECK(train(project,
                {"dataflow=" + rows("[[1], [3e38, 3e38]]"), "steps_per_epoch=1", "max_epoch=2",
                 R"(callbacks=[{"use": "nan-guard", "with": {"names": ["mean"]}})" + more + "]"}) ==
          Exit::numbers);
    return project.failure;
  };
  const std::string saved = failure(R"(, "model-saver")");
  CHECK_MESSAGE(saved.find("older than this step: lower the learning rate") != std::string::npos,
                saved);
  CHECK(saved.find("resume from it") != std::string::npos);
  const std::string none = failure("");
  CHECK_MESSAGE(none.find("there is no checkpoint in the log folder: lower") != std::string::npos,
                none);
  CHECK(none.find("start again") != std::string::npos);
}

TEST_CASE("periodic-trigger: before_train is once, not again in a resumed run") {
  Project project;
  const std::string once = R"({"use": "test.recorder", "when": {"before_train": true}, "with": {)" +
                           project.trace_option() + R"(, "events": ["trigger"]}})";
  const Lines settings = {"callbacks=[" + once + ", \"model-saver\"]"};
  CHECK(until(project, 1, false, settings, "trigger").size() == 1);
  CHECK(until(project, 2, true, settings, "trigger").empty());
}
