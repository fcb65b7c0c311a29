// schedule_test.cpp: callbacks that set a hyper-parameter by a schedule or a function.
// schedules.json has values of PyTorch, written by tests/reference/record_schedules.py.
#include "slope.hpp"

using namespace broch::test;
namespace value = broch::value;

namespace {

struct Case {
  std::string schedule, more;  // more options of the setter, each with a comma before it
  int first, last, steps = 1;
  std::string use = "scheduled-hyper-param-setter", option = "schedule";
};

// "global_step,epoch value" of the events of the last run in which the learning rate, 1 before, had
// changed.
Lines changes_in(const Project& project) {
  Lines changes;
  std::string before = "1";
  for (const std::string& line : project.trace()) {
    std::istringstream words(line);
    std::string event, place, value;
    words >> event >> place >> value;
    if (value == before) continue;
    before = value;
    const size_t first = place.find(','), last = place.rfind(',');
    changes.push_back(place.substr(last + 1) + "," + place.substr(0, first) + " " + value);
  }
  return changes;
}

// At the beginning and after each trigger.
std::string watcher(const Project& project, bool by_step) {
  const std::string events =
      by_step ? R"("before_train", "trigger_step")" : R"("before_train", "trigger_epoch")";
  return recorder("{" + project.trace_option() + ", \"events\": [" + events +
                  "], \"watch\": \"learning_rate\"}");
}

// Runs it, and gives the changes.
Lines writes(Project& project, const Case& c) {
  const bool by_step = c.more.find("step_based\": true") != std::string::npos;
  const Exit exit = project.train(
      {"callbacks=[{\"use\": \"" + c.use + "\", \"with\": {\"param\": \"learning_rate\", \"" +
           c.option + "\": " + c.schedule + c.more + "}}, " + watcher(project, by_step) + "]",
       "starting_epoch=" + std::to_string(c.first), "max_epoch=" + std::to_string(c.last),
       "steps_per_epoch=" + std::to_string(c.steps)});
  CHECK(exit == Exit::ok);
  return changes_in(project);
}

// The same of a setter with a function, of epochs of one step.
Lines set_by(Project& project, const std::string& func, int epochs, bool resume = false) {
  Lines all{
      "callbacks=[{\"use\": \"hyper-param-setter-with-func\", \"with\": {\"param\": "
      "\"learning_rate\", \"func\": \"" +
      func + "\"}}, \"model-saver\", " + watcher(project, false) + "]"};
  all.push_back("max_epoch=" + std::to_string(epochs));
  broch::session::RunOptions options = Project::null_runtime();
  options.resume = resume;
  CHECK(project.train(all, options) == Exit::ok);
  return changes_in(project);
}

}  // namespace

TEST_CASE("setter: the value for a point is set once that epoch has finished") {
  Project project;
  CHECK(writes(project, {"[[2, 0.3], [4, 0.4]]", "", 1, 5, 2}) == Lines{"4,2 0.3", "8,4 0.4"});
  CHECK(project.log_lines("At global_step") ==
        Lines{"At global_step=4, learning_rate is set to 0.3",
              "At global_step=8, learning_rate changes from 0.3 to 0.4"});
  CHECK_FALSE(project.logged("according to the schedule"));
}

TEST_CASE("setter: linear interpolation acts between the first and the last point only") {
  Project project;
  CHECK(writes(project, {"[[2, 0.2], [6, 0.6]]", R"(, "interp": "linear")", 1, 8}) ==
        Lines{"2,2 0.2", "3,3 0.3", "4,4 0.4", "5,5 0.5", "6,6 0.6"});
}

TEST_CASE("setter: point 0 is before training") {
  Project project;
  CHECK(writes(project, {"[[0, 0.1], [3, 0.3]]", "", 1, 4}) == Lines{"0,0 0.1", "3,3 0.3"});
}

TEST_CASE("setter: a start in the middle sets what the schedule asks for") {
  Project project;
  CHECK(writes(project, {"[[1, 0.1], [3, 0.3], [6, 0.6]]", "", 5, 7}) ==
        Lines{"0,4 0.3", "2,6 0.6"});
  CHECK(project.logged("according to the schedule learning_rate should be 0.3"));
  SUBCASE("small values are told") {
    CHECK(writes(project, {"[[1, 2.5e-7]]", "", 5, 5}) == Lines{"0,4 2.5e-07"});
    CHECK(project.logged("should be 2.5e-07 at the current point, but it is "));
  }
  SUBCASE("a zero counts as a value") {
    CHECK(writes(project, {"[[1, 0.5], [3, 0.0]]", "", 6, 7}) == Lines{"0,5 0"});
  }
  SUBCASE("interpolated") {
    CHECK(writes(project, {"[[0, 1], [4, 2]]", R"(, "interp": "linear")", 4, 6}) ==
          Lines{"0,3 1.75", "1,4 2"});
  }
  SUBCASE("or only says so") {
    CHECK(writes(project, {"[[1, 0.1], [3, 0.3], [6, 0.6]]", R"(, "set_at_beginning": false)", 5,
                           7}) == Lines{"2,6 0.6"});
    CHECK(project.logged("set it by hand"));
  }
}

TEST_CASE("setter: points are cut to whole numbers and sorted") {
  Project project;
  CHECK(writes(project, {"[[1.9, 0.1]]", "", 1, 3}) == Lines{"1,1 0.1"});
  CHECK(writes(project, {"[[3, 0.3], [1, 0.1]]", "", 1, 3}) == Lines{"1,1 0.1", "3,3 0.3"});
}

TEST_CASE("setter: of points that are equal when they are cut, the first one counts") {
  Project project;
  const std::string schedule = "[[1.9, 0.5], [1.2, 0.1]]";
  CHECK(writes(project, {schedule, "", 1, 3}) == Lines{"1,1 0.5"});
  CHECK(writes(project, {schedule, "", 3, 4}) == Lines{"0,2 0.5"});
}

TEST_CASE("setter: a point before training, or one that is too large, is refused with its place") {
  for (const std::string point : {"-1", "1e300"}) {
    CAPTURE(point);
    Project project;
    CHECK(project.train({R"(callbacks=[{"use": "scheduled-hyper-param-setter", "with": {
        "param": "learning_rate", "schedule": [[1, 0.5], [)" +
                         point + ", 0.1]]}}]"}) == Exit::manifest);
    INFO(project.failure);
    CHECK(project.failure.find("/schedule/1/0: ") != std::string::npos);
    CHECK(project.failure.find("expected a point from 0 to 2^53") != std::string::npos);
  }
}

TEST_CASE("setter: what tensorpack's unit tests expect, by step and by epoch") {
  Project project;
  SUBCASE("linear by step, from epoch 20 on with global_step 0") {
    const Lines steps =
        writes(project, {"[[30, 0.3], [40, 0.4], [50, 0.5]]",
                         R"(, "interp": "linear", "step_based": true)", 20, 50, 10});
    REQUIRE(steps.size() == 21);
    CHECK(steps.front() == "30,22 0.3");
    CHECK(steps[10] == "40,23 0.4");
    CHECK(steps[15] == "45,24 0.45");
    CHECK(steps.back() == "50,24 0.5");
  }
  SUBCASE("by epoch") {
    CHECK(writes(project, {"[[10, 0.3], [20, 0.4], [30, 0.5]]", "", 1, 50}) ==
          Lines{"10,10 0.3", "20,20 0.4", "30,30 0.5"});
  }
}

TEST_CASE("setter: by step, at most one log line an epoch") {
  Project project;
  CHECK(writes(project, {"[[1, 0.1], [2, 0.2], [3, 0.3]]", R"(, "step_based": true)", 1, 2, 2}) ==
        Lines{"1,1 0.1", "2,1 0.2", "3,2 0.3"});
  CHECK(project.log_lines("At global_step") ==
        Lines{"At global_step=1, learning_rate is set to 0.1",
              "At global_step=3, learning_rate changes from 0.2 to 0.3"});
}

TEST_CASE("setter: the log tells small values") {
  Project project;
  CHECK(writes(project, {"[[1, 1e-7], [2, 2.5e-9]]", "", 1, 3}).size() == 2);
  CHECK(project.log_lines("At global_step") ==
        Lines{"At global_step=1, learning_rate is set to 1e-07",
              "At global_step=2, learning_rate changes from 1e-07 to 2.5e-09"});
}

TEST_CASE("setter: an unknown parameter is an error that lists the known ones") {
  Project project;
  CHECK(project.train({R"(callbacks=[{"use": "scheduled-hyper-param-setter", "with": {
      "param": "learning_rat", "schedule": [[1, 1]]}}])"}) == Exit::training);
  CHECK(project.failure.find("learning_rate") != std::string::npos);
}

TEST_CASE("setter: two on one parameter are told at the start") {
  const auto setter = [](const std::string& param) {
    return R"({"use": "scheduled-hyper-param-setter", "with": {"param": ")" + param +
           R"(", "schedule": [[1, 0.5]]}})";
  };
  Project two, one;
  CHECK(two.train({"callbacks=[" + setter("learning_rate") + ", " + setter("learning_rate") +
                   "]"}) == Exit::ok);
  CHECK(two.logged("both set learning_rate: the later one wins"));
  CHECK(one.train({"callbacks=[" + setter("learning_rate") + ", " + setter("w") + "]"}) ==
        Exit::ok);
  CHECK_FALSE(one.logged("the later one wins"));
}

namespace {

value::Value recorded_schedules() {
  return value::parse_text("schedules.json", read_file(SCHEDULES));
}

// A callback that puts these numbers as the metric "val", one in each epoch.
std::string metric_of(const value::Value& list) {
  std::string expression = "0";
  for (size_t i = list.array().size(); i-- > 0;)
    expression = "epoch_num == " + std::to_string(i + 1) + " ? " + value::to_text(list.array()[i]) +
                 " : " + expression;
  return recorder(R"({"put": [)" + put("trigger_epoch", "val", expression) + "]}");
}

// Overrides for a training whose learning rate follows an entry of the file.
Lines following(const value::Value& entry, size_t epochs) {
  value::Value options = *entry.find("with");
  options.set("param", value::Value(std::string("learning_rate")));
  const std::string setter = R"({"use": ")" + entry.find("use")->string() + R"(", "with": )" +
                             value::to_text(options) + "}";
  const value::Value* metric = entry.find("metric");
  return {"callbacks=[" + (metric ? metric_of(*metric) + ", " : "") + setter + ", \"model-saver\"]",
          "optimizer={\"use\": \"sgd\", \"with\": {\"learning_rate\": " +
              value::to_text(entry.find("values")->array()[0]) + "}}",
          "monitors=[\"json-writer\"]", "max_epoch=" + std::to_string(epochs)};
}

// The learning rate of each epoch.
std::vector<double> rates(const Project& project) {
  std::vector<double> values;
  for (const std::string& record : project.records()) {
    const value::Value fields = value::parse_text("", record);
    if (const value::Value* rate = fields.find("learning_rate")) values.push_back(rate->number());
  }
  return values;
}

}  // namespace

TEST_CASE("schedule, reduce-on-plateau: the values of PyTorch's schedulers, after a resume too") {
  const value::Value recorded = recorded_schedules();
  for (const value::Value& entry : recorded.array()) {
    CAPTURE(entry.find("name")->string());
    const value::Value::Array& expected = entry.find("values")->array();
    Project project;
    broch::session::RunOptions resumed = Project::null_runtime();
    resumed.resume = true;
    REQUIRE(project.train(following(entry, expected.size() / 2)) == Exit::ok);
    REQUIRE(project.train(following(entry, expected.size()), resumed) == Exit::ok);
    const std::vector<double> values = rates(project);
    REQUIRE(values.size() == expected.size());
    for (size_t i = 0; i < values.size(); ++i) {
      CAPTURE(i);
      // PyTorch's smallest ones are differences of larger ones, hence 1e-17.
      CHECK(std::abs(values[i] - expected[i].number()) <= 1e-12 * expected[i].number() + 1e-17);
    }
  }
}

namespace {

// The number of points of a recorded schedule whose last phase, perhaps after others are left out,
// ends within the values; 0: none.
size_t cut_to_rest(value::Value& phases, size_t values) {
  value::Value::Array& list = phases.array();
  while (!list.empty() && !list.back().find("length")) list.pop_back();
  size_t points = 0;
  for (const value::Value& phase : list) points += size_t(phase.find("length")->integer());
  if (list.empty() || points > values) return 0;
  list.back().remove("length");
  return points;
}

// The learning rate of each of so many steps of a training that is stopped after a third of them,
// within an epoch if epochs have several steps, and resumed.
std::vector<std::string> resumed_rates(const value::Value& phases, size_t points, bool by_step) {
  Project project;
  const size_t steps = by_step && points % 5 == 0 ? points / 5 : 1;
  const std::string setter =
      R"({"use": "schedule", "with": {"param": "learning_rate", "phases": )" +
      value::to_text(phases) + R"(, "step_based": )" + (by_step ? "true" : "false") + "}}";
  const std::string watch = recorder("{" + project.trace_option() +
                                     R"(, "events": ["before_run"], "watch": "learning_rate"})");
  const std::string stop =
      recorder(R"({"put": [)" +
               put("trigger_step", "stop",
                   "global_step == " + std::to_string(points / 3) + " ? stop() : 0") +
               "]}");
  const std::string saver = R"({"use": "model-saver", "when": {"every_k_steps": 1}})";
  std::vector<std::string> rates;
  for (const bool resumes : {false, true}) {
    broch::session::RunOptions options = Project::null_runtime();
    options.resume = resumes;
    CHECK(project.train({"callbacks=[" + setter + ", " + watch + ", " + saver +
                             (resumes ? "" : ", " + stop) + "]",
                         "steps_per_epoch=" + std::to_string(steps),
                         "max_epoch=" + std::to_string(points / steps)},
                        options) == Exit::ok);
    for (const std::string& line : project.trace()) rates.push_back(line.substr(line.rfind(' ')));
  }
  return rates;
}

}  // namespace

TEST_CASE("schedule: a last phase without a length takes the rest, after a resume too") {
  size_t tried = 0;
  const value::Value recorded = recorded_schedules();
  for (const value::Value& entry : recorded.array()) {
    const value::Value* given = entry.find("with")->find("phases");
    if (!given) continue;
    const value::Value::Array& expected = entry.find("values")->array();
    value::Value phases = *given;
    const size_t points = cut_to_rest(phases, expected.size());
    if (points == 0) continue;
    ++tried;
    for (const bool by_step : {false, true}) {
      CAPTURE(entry.find("name")->string());
      CAPTURE(by_step);
      const std::vector<std::string> rates = resumed_rates(phases, points, by_step);
      REQUIRE(rates.size() == points);
      for (size_t i = 0; i < points; ++i) {
        CAPTURE(i);
        CHECK(std::stod(rates[i]) == doctest::Approx(expected[i].number()).epsilon(1e-8));
      }
    }
  }
  CHECK(tried == 12);
}

TEST_CASE(
    "schedule: resumed with another max_epoch, a rest has the values of that length at once") {
  constexpr int kSteps = 2, kShort = 2, kLong = 6;
  const std::string watch = R"(, "events": ["before_run"], "watch": "learning_rate"})";
  for (const bool by_step : {false, true})
    for (const bool saver_first : {false, true}) {
      CAPTURE(by_step);
      CAPTURE(saver_first);
      Project project;
      const std::string setter =
          R"({"use": "schedule", "with": {"param": "learning_rate", "phases": [
              {"shape": "linear", "from": 0.6, "to": 0}], "step_based": )" +
          std::string(by_step ? "true" : "false") + "}}";
      const std::string both =
          saver_first ? "\"model-saver\", " + setter : setter + ", \"model-saver\"";
      std::vector<double> rates, expected;
      for (const int epochs : {kShort, kLong}) {
        broch::session::RunOptions options = Project::null_runtime();
        options.resume = epochs == kLong;
        REQUIRE(project.train({"callbacks=[" + both + ", " +
                                   recorder("{" + project.trace_option() + watch) + "]",
                               "steps_per_epoch=" + std::to_string(kSteps),
                               "max_epoch=" + std::to_string(epochs)},
                              options) == Exit::ok);
        for (const std::string& line : project.trace())
          rates.push_back(std::stod(line.substr(line.rfind(' '))));
      }
      for (int step = 0; step < kLong * kSteps; ++step) {
        const int finished = step / kSteps;
        const double epoch = by_step ? double(step) / kSteps : finished;
        expected.push_back(0.6 * (1 - epoch / (step < kShort * kSteps ? kShort : kLong)));
      }
      REQUIRE(rates.size() == expected.size());
      for (size_t i = 0; i < rates.size(); ++i) {
        CAPTURE(i);
        CHECK(rates[i] == doctest::Approx(expected[i]).epsilon(1e-8));
      }
    }
}

TEST_CASE("schedule: by step, and from the middle on") {
  const std::string line = R"([{"shape": "linear", "from": 0.1, "to": 0.4, "length": 3}])";
  Project project;
  CHECK(writes(project, {line, R"(, "step_based": true)", 1, 3, 2, "schedule", "phases"}) ==
        Lines{"0,0 0.1", "1,1 0.2", "2,1 0.3", "3,2 0.4"});
  CHECK(writes(project, {line, "", 3, 5, 2, "schedule", "phases"}) == Lines{"0,2 0.3", "2,3 0.4"});
}

TEST_CASE("schedule: restarts that end with a whole fall keep its end") {
  Project project;
  CHECK(writes(project, {R"([{"shape": "cosine_restarts", "from": 0.4, "to": 0.1, "period": 2,
                              "length": 4}])",
                         "", 1, 6, 1, "schedule", "phases"}) ==
        Lines{"0,0 0.4", "1,1 0.25", "2,2 0.4", "3,3 0.25", "4,4 0.1"});
}

TEST_CASE("schedule: by step, the rest of the training is refused if a step counts two") {
  const auto failure = [](const std::string& length) {
    Project project;
    project.train({R"(callbacks=[{"name": "saver", "use": "model-saver"},
        {"use": "schedule", "with": {"param": "saver/max_to_keep", "step_based": true,
         "phases": [{"shape": "constant", "from": 5)" +
                       length + "}]}}]",
                   "trainer=test.twice", "dataflow=" + rows("[[1], [2], [3], [4]]"),
                   "steps_per_epoch=2"});
    return project.failure;
  };
  const std::string refused = failure("");
  CAPTURE(refused);
  CHECK(refused.find("/callbacks/1/with/phases/0: ") != std::string::npos);
  CHECK(refused.find("in trigger_step: no length") != std::string::npos);
  CHECK(failure(R"(, "length": 4)") == "");
}

TEST_CASE("schedule: a phase without a beginning or an end is an error with its place") {
  const auto refused = [](const std::string& phases) {
    Project project;
    CHECK(project.train({R"(callbacks=[{"use": "schedule", "with": {"param": "learning_rate",
        "phases": )" + phases +
                         "}}]"}) == Exit::manifest);
    return project.failure;
  };
  const auto says = [](const std::string& message, const std::string& words) {
    INFO(message);
    CHECK(message.find(words) != std::string::npos);
  };
  says(refused(R"([{"shape": "cosine", "length": 3}])"),
       "null, and there is no phase before, expected a number");
  says(refused(R"([{"shape": "constant", "from": 1}, {"shape": "cosine", "length": 3}])"),
       "no length, and another phase follows, expected a number of points");
  says(refused(R"([{"shape": "cosine", "from": 1}, {"shape": "constant"}])"),
       "no length, and another phase follows, expected a number of points");
}

TEST_CASE("setter with a function: before training and after each epoch") {
  Project project;
  CHECK(set_by(project, "epoch_num % 2 == 0 ? value * 0.5 : value", 5) ==
        Lines{"0,0 0.5", "2,2 0.25", "4,4 0.125"});
  CHECK(project.log_lines("At global_step") ==
        Lines{"At global_step=0, learning_rate is set to 0.5",
              "At global_step=2, learning_rate changes from 0.5 to 0.25",
              "At global_step=4, learning_rate changes from 0.25 to 0.125"});
}

TEST_CASE("setter with a function: a resumed run starts with what was restored") {
  Project project;
  CHECK(set_by(project, "value * 0.5", 2) == Lines{"0,0 0.5", "1,1 0.25", "2,2 0.125"});
  CHECK(set_by(project, "value * 0.5", 3, true) == Lines{"2,1 0.125", "3,3 0.0625"});
}

TEST_CASE("setters: a run that is resumed before its first step has the first value, and once") {
  const std::string saver = R"({"use": "model-saver", "when": {"before_train": true}})";
  const std::string param = R"("param": "learning_rate")";
  for (const std::string& setter :
       {use("scheduled-hyper-param-setter", param + R"(, "schedule": [[0, 0.25]])"),
        use("schedule", param + R"(, "phases": [{"shape": "constant", "from": 0.25}])"),
        use("hyper-param-setter-with-func",
            param + R"(, "func": "epoch_num == 0 ? value * 0.25 : value")")})
    for (const bool saver_first : {true, false}) {
      CAPTURE(setter);
      CAPTURE(saver_first);
      Project project;
      const std::string both = saver_first ? saver + ", " + setter : setter + ", " + saver;
      const std::string watch =
          recorder("{" + project.trace_option() +
                   R"(, "events": ["trigger_step"], "watch": "learning_rate"})");
      for (const bool resumes : {false, true}) {
        broch::session::RunOptions options = Project::null_runtime();
        options.resume = resumes;
        CHECK(project.train({"callbacks=[" + both + ", " + watch + "]"}, options) == Exit::ok);
        CHECK(project.failure == "");
        CHECK(project.trace("trigger_step ") == Lines{"1,0,1 0.25"});
      }
    }
}

TEST_CASE("setter with a function: it may end the training") {
  Project project;
  CHECK(set_by(project, "epoch_num == 2 ? stop() : 0.5", 5) == Lines{"0,0 0.5"});
  CHECK(project.logged("Training was stopped"));
}
