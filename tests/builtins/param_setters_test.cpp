// param_setters_test.cpp: stat-monitor-param-setter, human-hyper-param-setter and derived-metric.
#include "project.hpp"

using namespace broch::test;

namespace {

// An expression that is the n-th of these numbers in epoch n.
std::string by_epoch(const std::vector<std::string>& numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size(); ++i)
    text += "epoch_num == " + std::to_string(i + 1) + " ? " + numbers[i] + " : ";
  return text + "0";
}

// A setter that halves the learning rate, 1 before, and what it watches, an epoch per number.
Lines watching(const Project& project, const std::vector<std::string>& numbers,
               const std::string& options, size_t epochs) {
  return {"callbacks=[" +
              recorder("{\"put\": [" + put("trigger_epoch", "seen", by_epoch(numbers)) + "]}") +
              R"(, {"use": "stat-monitor-param-setter", "with": {"param": "learning_rate",
                   "stat_name": "seen", "value_func": "value * 0.5", )" +
              options + "}}, \"model-saver\", " +
              recorder("{" + project.trace_option() +
                       R"(, "watch": "learning_rate", "events": ["trigger_epoch"]})") +
              "]",
          "max_epoch=" + std::to_string(epochs)};
}

// The epochs after which the learning rate changed.
std::vector<int> changes(const Project& project, std::string before = "1") {
  std::vector<int> epochs;
  for (const std::string& line : project.trace("trigger_epoch ")) {
    const std::string value = line.substr(line.find(' ') + 1);
    if (value != before) epochs.push_back(std::stoi(line));
    before = value;
  }
  return epochs;
}

std::vector<int> changes_of(const std::vector<std::string>& numbers, const std::string& options) {
  Project project;
  REQUIRE(project.train(watching(project, numbers, options, numbers.size())) == Exit::ok);
  return changes(project);
}

// What comes before the saver in the list of callbacks, a saver, and a recorder of what it keeps.
Lines setting(const Project& project, const std::string& setters, const std::string& param,
              int epochs) {
  return {"callbacks=[" + setters + R"(, {"name": "saver", "use": "model-saver"}, )" +
              recorder("{" + project.trace_option() + R"(, "watch": ")" + param +
                       R"(", "events": ["before_train", "trigger_epoch"]})") +
              "]",
          "max_epoch=" + std::to_string(epochs)};
}
std::string scheduled(const std::string& param, const std::string& schedule,
                      const std::string& more = "") {
  return R"({"use": "scheduled-hyper-param-setter", "with": {"param": ")" + param +
         R"(", "schedule": )" + schedule + more + "}}";
}

}  // namespace

TEST_CASE("setter: an option of another component, by whatever setter") {
  const std::string param = R"("param": "saver/max_to_keep")";
  const std::string seen = recorder("{\"put\": [" + put("trigger_epoch", "seen", "1") + "]}");
  for (const std::string& setter :
       {scheduled("saver/max_to_keep", "[[0, 1], [2, 3]]"),
        R"({"use": "hyper-param-setter-with-func", "with": {)" + param +
            R"(, "func": "epoch_num < 2 ? 1 : 3"}})",
        R"({"use": "schedule", "with": {)" + param + R"(, "phases": [
             {"shape": "constant", "from": 1, "length": 2}, {"shape": "constant", "from": 3}]}})",
        scheduled("saver/max_to_keep", "[[0, 1]]") + ", " + seen +
            R"(, {"use": "stat-monitor-param-setter", "with": {)" + param +
            R"x(, "stat_name": "seen", "value_func": "min(value + 2, 3)", "threshold": 0,
                  "last_k": 2}})x"}) {
    CAPTURE(setter);
    Project project;
    REQUIRE(project.train(setting(project, setter, "saver/max_to_keep", 4)) == Exit::ok);
    CHECK(project.trace() == Lines{"before_train 0,-1,0 1", "trigger_epoch 1,0,1 1",
                                   "trigger_epoch 2,0,2 3", "trigger_epoch 3,0,3 3",
                                   "trigger_epoch 4,0,4 3"});
    CHECK(project.files("model-") ==
          Lines{"model-2.safetensors", "model-3.safetensors", "model-4.safetensors"});
    CHECK(project.logged("At global_step=0, saver/max_to_keep is set to 1"));
  }
}

TEST_CASE("setter: an option that was set stays so in a resumed run") {
  Project project;
  const std::string setter = scheduled("saver/max_to_keep", "[[2, 1], [4, 2]]");
  REQUIRE(project.train(setting(project, setter, "saver/max_to_keep", 3)) == Exit::ok);
  broch::session::RunOptions resume = Project::null_runtime();
  resume.resume = true;
  REQUIRE(project.train(setting(project, setter, "saver/max_to_keep", 5), resume) == Exit::ok);
  CHECK(project.trace() == Lines{"before_train 2,0,3 1", "trigger_epoch 3,0,3 1",
                                 "trigger_epoch 4,0,4 2", "trigger_epoch 5,0,5 2"});
  CHECK(project.logged("saver/max_to_keep was set to 1, as in the run that is resumed"));
}

TEST_CASE("setter: a run resumed from before the training has its first value") {
  Project project;
  const std::string saver = R"({"use": "model-saver", "when": {"before_train": true}})";
  const std::string watcher =
      recorder("{" + project.trace_option() +
               R"(, "watch": "learning_rate", "events": ["trigger_epoch"], "put": [)" +
               put("before_train", "init", "7") + "]}");
  const auto train = [&](bool resume) {
    broch::session::RunOptions options = Project::null_runtime();
    options.resume = resume;
    REQUIRE(project.train({"callbacks=[" + saver + ", " +
                               scheduled("learning_rate", "[[0, 0.25]]") + ", " + watcher + "]",
                           "monitors=[\"json-writer\"]", "max_epoch=2"},
                          options) == Exit::ok);
    CHECK(project.trace() == Lines{"trigger_epoch 1,0,1 0.25", "trigger_epoch 2,0,2 0.25"});
    return project.records();
  };
  const Lines whole = train(false);
  CHECK(project.files("model-") == Lines{"model-0.safetensors"});
  REQUIRE(whole.size() == 3);
  CHECK(whole[0] == R"({"init":7.0,"epoch_num":0,"global_step":0})");
  CHECK(train(true) == whole);
}

TEST_CASE("setter: an option that cannot be set is named") {
  Project project;
  const auto fails = [&](const std::string& setter, const Lines& parts) {
    const Exit exit = project.train(setting(project, setter, "learning_rate", 2));
    CHECK(exit == Exit::training);
    for (const std::string& part : parts)
      CHECK_MESSAGE(project.failure.find(part) != std::string::npos, part, project.failure);
  };
  fails(scheduled("saver/max_to_kep", "[[1, 2]]"),
        {"no such hyper-parameter or variable", "did you mean 'saver/max_to_keep'?"});
  fails(scheduled("saver/checkpoint_dir", "[[1, 2]]"), {"no such hyper-parameter or variable"});
  fails(scheduled("saver/max_to_keep", "[[0, 1], [4, 3]]", R"(, "interp": "linear")"),
        {"option 'saver/max_to_keep' cannot be set to 1.5", "/max_to_keep"});
  fails(R"({"name": "own", "use": "periodic-trigger", "with": {"every_k_epochs": 1, "callback": )" +
            scheduled("own/every_k_epochs", "[[1, 2]]") + "}}",
        {"option 'own/every_k_epochs' cannot be set now", "is being called"});
}

TEST_CASE("stat-monitor-param-setter: changes when nothing in the window is better") {
  // Recorded from tensorpack's class on the same observations.
  const std::string three = R"("threshold": 0, "last_k": 3)";
  CHECK(changes_of({"5", "4", "3", "2", "1"}, three).empty());
  CHECK(changes_of({"5", "6", "5.5", "4", "4.5", "4.2", "4.1", "4.0"}, three) == std::vector{3, 6});
  CHECK(changes_of({"0.1", "0.2", "0.2", "0.2", "0.2", "0.2", "0.2"},
                   R"("threshold": 0.001, "last_k": 3, "reverse": true)") == std::vector{4, 7});
}

TEST_CASE("stat-monitor-param-setter: what is no number is no improvement, and no obstacle") {
  // By the rule of tensorpack's class, with min() and max() of Python on the same observations.
  const std::string none = "log(-1)";
  const std::string three = R"("threshold": 0, "last_k": 3)";
  const std::string larger = R"("threshold": 0, "last_k": 3, "reverse": true)";
  CHECK(changes_of({"5", none, "6", "7", "8", none}, three) == std::vector{3, 6});
  CHECK(changes_of({none, none, none, none, "4", "3"}, three) == std::vector{3, 6});
  CHECK(changes_of({"5", none, "4"}, three).empty());
  CHECK(changes_of({"5", none, "4"}, larger) == std::vector{3});
  CHECK(changes_of({"5", none, "6"}, larger).empty());
}

TEST_CASE("stat-monitor-param-setter: a resumed run continues its window") {
  const std::vector<std::string> numbers = {"5", "6", "5.5", "4", "4.5", "4.2", "4.1", "4.0"};
  const std::string options = R"("threshold": 0, "last_k": 3)";
  Project project;
  REQUIRE(project.train(watching(project, numbers, options, 5)) == Exit::ok);
  broch::session::RunOptions resume = Project::null_runtime();
  resume.resume = true;
  REQUIRE(project.train(watching(project, numbers, options, 8), resume) == Exit::ok);
  CHECK(changes(project, "0.5") == std::vector{6});
}

TEST_CASE("stat-monitor-param-setter: a resumed run with a smaller last_k has a smaller window") {
  const std::vector<std::string> numbers = {"9", "5", "5", "5"};
  Project project;
  REQUIRE(project.train(watching(project, numbers, R"("threshold": 0, "last_k": 9)", 3)) ==
          Exit::ok);
  broch::session::RunOptions resume = Project::null_runtime();
  resume.resume = true;
  REQUIRE(project.train(watching(project, numbers, R"("threshold": 0, "last_k": 2)", 4), resume) ==
          Exit::ok);
  CHECK(changes(project) == std::vector{4});
}

TEST_CASE("stat-monitor-param-setter: a metric without a value, or without a new one, is told") {
  Project project;
  const auto train_with_put_in = [&](const std::string& event) {
    return project.train({R"(callbacks=[{"use": "stat-monitor-param-setter", "with": {
                "param": "learning_rate", "stat_name": "seen", "value_func": "value * 0.5",
                "threshold": 0, "last_k": 2}}, )" +
                              recorder("{\"put\": [" + put(event, "seen", "5") + "]}") + "]",
                          "max_epoch=3"});
  };
  REQUIRE(train_with_put_in("before_train") == Exit::ok);
  CHECK(project.log_lines("metric seen has no new value since step 0").size() == 2);
  CHECK_FALSE(project.logged("learning_rate is set"));
  REQUIRE(train_with_put_in("trigger_epoch") == Exit::ok);
  CHECK(project.log_lines("metric seen has no value yet").size() == 1);
}

TEST_CASE("human-hyper-param-setter: the file in the log folder, read at first and on triggers") {
  const auto value_with = [](const std::string& text, const std::string& param) {
    Project project;
    std::filesystem::create_directories(project.log_dir());
    if (!text.empty()) std::ofstream(project.log_dir() / "hyper.txt") << text;
    const std::string setter =
        R"({"use": "human-hyper-param-setter", "with": {"param": ")" + param + "\"}}";
    REQUIRE(project.train(setting(project, setter, param, 1)) == Exit::ok);
    const std::string value = project.trace("trigger_epoch ").back().substr(6);
    CHECK(project.trace("before_train ") == Lines{"0,-1,0 " + value});
    return value;
  };
  CHECK(value_with("saver/max_to_keep: 4", "saver/max_to_keep") == "4");
  const auto rate_with = [&](const std::string& text) { return value_with(text, "learning_rate"); };
  CHECK(rate_with("") == "1");
  CHECK(rate_with("learning_rate:0.25\n") == "0.25");
  CHECK(rate_with("other: 3\n\n learning_rate : 1e-1 \r\n") == "0.1");
  CHECK(rate_with("learning_rate:0.25\nlearning_rate:0.5") == "0.5");
  // A warning, and nothing is set.
  CHECK(rate_with("other:0.25\n") == "1");
  CHECK(rate_with("learning_rate:0.25\nlearning_r") == "1");
  CHECK(rate_with("learning_rate:fast\n") == "1");
  CHECK(rate_with("learning_rate:nan\n") == "1");
}

TEST_CASE("human-hyper-param-setter: a resumed run keeps its value until the first trigger") {
  Project project;
  const std::string setter =
      R"({"use": "human-hyper-param-setter", "with": {"param": "learning_rate"}})";
  REQUIRE(project.train(setting(project, setter, "learning_rate", 1)) == Exit::ok);
  std::ofstream(project.log_dir() / "hyper.txt") << "learning_rate:0.5";
  broch::session::RunOptions resume = Project::null_runtime();
  resume.resume = true;
  REQUIRE(project.train(setting(project, setter, "learning_rate", 2), resume) == Exit::ok);
  CHECK(project.trace("before_train ") == Lines{"0,0,1 1"});
  CHECK(project.trace("trigger_epoch ").back() == "2,0,2 0.5");
}

TEST_CASE("derived-metric: an expression over metrics, as soon as they have values") {
  Project project;
  const std::string put_loss =
      recorder("{\"put\": [" + put("trigger_epoch", "loss", "epoch_num - 1") + "]}");
  const std::string derived =
      R"x({"use": "derived-metric", "with": {"name": "perplexity",
                                             "value": "exp(stat(\"loss\"))"}})x";
  REQUIRE(project.train({"callbacks=[" + derived + ", " + put_loss + ", " + derived + "]",
                         "max_epoch=2", "monitors=[" + project.listener() + "]"}) == Exit::ok);
  const Lines values = project.trace("M.scalar perplexity ");
  REQUIRE(values.size() == 3);  // the first callback has none in the first epoch
  CHECK(std::stod(values[0]) == 1);
  CHECK(std::stod(values[1]) == 1);
  CHECK(std::stod(values[2]) == doctest::Approx(2.718281828459045).epsilon(1e-5));
}
