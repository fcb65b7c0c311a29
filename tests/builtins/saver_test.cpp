// saver_test.cpp: model-saver, min-saver, max-saver, early-stopping.
#include "project.hpp"

using namespace broch::test;

namespace {

std::string saver(const std::string& options = "{}") {
  return R"({"use": "model-saver", "with": )" + options + "}";
}
// val = 3, 2, 2.5, 1 in epochs 1 to 4.
const std::string kValues = "epoch_num == 1 ? 3 : epoch_num == 2 ? 2 : epoch_num == 3 ? 2.5 : 1";
std::string metric(const std::string& value = kValues) {
  return recorder("{\"put\": [" + put("trigger_epoch", "val-err", value) + "]}");
}
std::string best(const std::string& which = "min", const std::string& more = "") {
  return "{\"use\": \"" + which + "-saver\", \"with\": {\"monitor_stat\": \"val-err\"" + more +
         "}}";
}
std::string checkpoint(const Project& project) {
  return read_file(project.log_dir() / "checkpoint");
}
// Whether two files of the log folder are equal and not empty.
bool equal(const Project& project, const std::string& a, const std::string& b) {
  const std::string content = read_file(project.log_dir() / a);
  return !content.empty() && content == read_file(project.log_dir() / b);
}
Exit train(Project& project, const std::string& callbacks, int epochs,
           broch::session::RunOptions options = Project::null_runtime()) {
  return project.train({"callbacks=[" + callbacks + "]", "max_epoch=" + std::to_string(epochs)},
                       options);
}

}  // namespace

TEST_CASE("model-saver: keeps the newest and lists them, oldest first") {
  Project project;
  REQUIRE(train(project, saver(R"({"max_to_keep": 2})"), 12) == Exit::ok);
  CHECK(project.files("model-") == Lines{"model-11.safetensors", "model-12.safetensors"});
  CHECK(checkpoint(project) ==
        "model_checkpoint_path: \"model-12\"\n"
        "all_model_checkpoint_paths: \"model-11\"\nall_model_checkpoint_paths: \"model-12\"\n");
  CHECK(project.log_lines("Model saved to").size() == 12);

  SUBCASE("a restart reads the list back, a name saved again moves to its end") {
    REQUIRE(train(project, saver(R"({"max_to_keep": 3})"), 1) == Exit::ok);
    CHECK(checkpoint(project) ==
          "model_checkpoint_path: \"model-1\"\nall_model_checkpoint_paths: \"model-11\"\n"
          "all_model_checkpoint_paths: \"model-12\"\nall_model_checkpoint_paths: \"model-1\"\n");
    REQUIRE(train(project, saver(R"({"max_to_keep": 3})"), 2) == Exit::ok);
    CHECK(project.files("model-") ==
          Lines{"model-1.safetensors", "model-12.safetensors", "model-2.safetensors"});
  }
}

TEST_CASE("model-saver: keeps ten unless told otherwise") {
  Project project;
  REQUIRE(train(project, "\"model-saver\"", 12) == Exit::ok);
  CHECK(project.files("model-").size() == 10);
}

TEST_CASE("model-saver: 0 keeps every file and lists only the newest") {
  Project project;
  REQUIRE(train(project, saver(R"({"max_to_keep": 0})"), 12) == Exit::ok);
  CHECK(project.files("model-").size() == 12);
  CHECK(checkpoint(project) ==
        "model_checkpoint_path: \"model-12\"\nall_model_checkpoint_paths: \"model-12\"\n");
}

TEST_CASE("model-saver: a disk that refuses costs the checkpoint, not the run, which ends with 5") {
  Project project;
  project.folder().write("file", "no folder");
  CHECK(train(project, saver("{\"checkpoint_dir\": \"" + project.folder() / "file/below" + "\"}"),
              2) == Exit::data);
  CHECK(project.log_lines("no checkpoint was saved").size() == 2);
  CHECK(project.log_lines("trying once more").size() == 1);
  CHECK(project.log_lines("the last checkpoint is not in").size() == 1);
}

TEST_CASE("min-saver: behind saver and metric it copies every optimum") {
  Project project;
  REQUIRE(train(project, saver() + ", " + metric() + ", " + best(), 4) == Exit::ok);
  CHECK(project.log_lines("Model at global_step") ==
        Lines{"Model at global_step=1 with minimum val-err=3.000000 saved as min-val-err.",
              "Model at global_step=2 with minimum val-err=2.000000 saved as min-val-err.",
              "Model at global_step=4 with minimum val-err=1.000000 saved as min-val-err."});
  CHECK(equal(project, "min-val-err.safetensors", "model-4.safetensors"));
}

TEST_CASE("max-saver: keeps the largest, equal is no better, under the name it is given") {
  Project project;
  const std::string values = "epoch_num == 1 ? 1 : epoch_num == 4 ? 2 : 3";
  REQUIRE(train(project,
                saver() + ", " + metric(values) + ", " + best("max", R"(, "filename": "top")"),
                4) == Exit::ok);
  CHECK(project.log_lines("Model at global_step").size() == 2);
  CHECK(equal(project, "top.safetensors", "model-2.safetensors"));
}

TEST_CASE("min-saver: before the metric it never copies and says why") {
  Project project;
  REQUIRE(train(project, saver() + ", " + best() + ", " + metric(), 4) == Exit::ok);
  CHECK(project.files("min-").empty());
  CHECK(project.log_lines("not copied").size() == 3);
  CHECK(project.logged("put this callback after the model-saver"));
}

TEST_CASE("min-saver: without any checkpoint it is a failure that says what is missing") {
  Project project;
  CHECK(train(project, metric() + ", " + best() + ", " + saver(), 4) == Exit::training);
  CHECK(project.failure.find("put a model-saver") != std::string::npos);
}

TEST_CASE("min-saver: what tensorpack's MinSaver got wrong is right") {
  Project project;
  SUBCASE("a refused copy does not use up the optimum") {
    const std::string rare =
        R"({"use": "model-saver", "when": {"every_k_epochs": 2, "before_train": true}})";
    const std::string values = "epoch_num == 1 ? 1 : epoch_num == 2 ? 1.5 : 2";
    REQUIRE(train(project, rare + ", " + metric(values) + ", " + best(), 4) == Exit::ok);
    CHECK(project.log_lines("not copied").size() == 1);  // epoch 1
    CHECK(equal(project, "min-val-err.safetensors", "model-2.safetensors"));
  }
  SUBCASE("model-10 is neither copied with model-1 nor taken for model-0") {
    REQUIRE(train(project,
                  saver("{\"max_to_keep\": 0}") + ", " + metric("epoch_num") + ", " + best(),
                  10) == Exit::ok);
    CHECK(project.files("min-") == Lines{"min-val-err.safetensors"});
    CHECK(equal(project, "min-val-err.safetensors", "model-1.safetensors"));
  }
  SUBCASE("the best value outlives a restart") {
    const std::string values = "epoch_num <= 2 ? 1 : 5";
    REQUIRE(train(project, saver() + ", " + metric(values) + ", " + best(), 2) == Exit::ok);
    broch::session::RunOptions resume = Project::null_runtime();
    resume.resume = true;
    REQUIRE(train(project, saver() + ", " + metric(values) + ", " + best(), 4, resume) == Exit::ok);
    CHECK(equal(project, "min-val-err.safetensors", "model-1.safetensors"));
  }
  SUBCASE("a first value that is no number is not the best for ever") {
    const std::string values = "epoch_num == 1 ? log(-1) : 4";
    REQUIRE(train(project, saver() + ", " + metric(values) + ", " + best(), 2) == Exit::ok);
    CHECK(equal(project, "min-val-err.safetensors", "model-2.safetensors"));
  }
}

TEST_CASE("early-stopping: tolerates `patience` observations without improvement") {
  const auto stops_at = [](const std::string& values, const std::string& options) {
    Project project;
    REQUIRE(train(project,
                  metric(values) +
                      ", {\"use\": \"early-stopping\", \"with\": {\"monitor_stat\": "
                      "\"val-err\"" +
                      options + "}}",
                  9) == Exit::ok);
    return int(project.log_lines("Start Epoch").size());
  };
  CHECK(stops_at("5", R"(, "patience": 2)") == 3);
  CHECK(stops_at("max(0, 4 - epoch_num)", R"(, "patience": 3)") == 7);
  CHECK(stops_at("0 - epoch_num", R"(, "patience": 1)") == 9);
  CHECK(stops_at("0 - epoch_num", R"(, "patience": 3, "mode": "max")") == 4);
  CHECK(stops_at("0 - epoch_num", R"(, "patience": 3, "min_delta": 2)") == 9);
  CHECK(stops_at("epoch_num == 1 ? log(-1) : 0 - epoch_num", R"(, "patience": 2)") == 9);
}

TEST_CASE("early-stopping: what it has seen outlives a restart") {
  Project project;
  const std::string callbacks =
      metric("5") +
      R"(, {"use": "early-stopping", "with": {"monitor_stat": "val-err", "patience": 3}}, )" +
      saver();
  REQUIRE(train(project, callbacks, 2) == Exit::ok);
  broch::session::RunOptions resume = Project::null_runtime();
  resume.resume = true;
  REQUIRE(train(project, callbacks, 9, resume) == Exit::ok);
  CHECK(project.log_lines("Start Epoch").back() == "Start Epoch 4 ...");
  CHECK(project.logged("val-err has not improved on 5.000000 for 3 observations"));
}
