// defaults_test.cpp: what a run is when its manifest leaves something out or overdoes it.
#include "project.hpp"

using namespace broch::test;

namespace {

// Lines "Start Epoch …" of a run with these overrides.
Lines epochs(Project& project, const Lines& overrides) {
  CHECK(project.train(overrides) == Exit::ok);
  CHECK(project.failure == "");
  return project.log_lines("Start Epoch");
}

// Why a run with these overrides is refused.
std::string refusal(const Lines& overrides) {
  Project project;
  CHECK(project.train(overrides) == Exit::manifest);
  return project.failure;
}

broch::session::Setup setup(const Project& project, const Lines& overrides = {}) {
  broch::session::SetupOptions options;
  options.manifest = project.folder() / "run.json";
  options.overrides = overrides;
  return broch::session::Setup(options);
}

}  // namespace

TEST_CASE("manifest: without lists, tensorpack's default callbacks and monitors run") {
  Project project;
  project.write(R"({"broch": 1, "plugins": )" + kPlugins +
                R"(, "model": {"use": "test.flat"},
      "dataflow": {"use": "test.rows", "with": {"rows": [[1], [2], [3]]}},
      "callbacks": ["test.summarizer"], "max_epoch": 1, "log_dir": ")" +
                project.log_dir().string() + "\"}");
  REQUIRE(project.train({}) == Exit::ok);
  const broch::session::Setup made = setup(project);
  Lines callbacks, monitors;
  for (const auto* callback : made.callbacks()) callbacks.push_back(callback->use);
  for (const auto& monitor : made.manifest().monitors) monitors.push_back(monitor.use);
  CHECK(callbacks == Lines{"test.summarizer", "broch.callback.moving-average-summary",
                           "broch.callback.progress-bar", "broch.callback.merge-all-summaries",
                           "broch.callback.run-update-ops"});
  CHECK(monitors == Lines{"broch.monitor.tf-event-writer", "broch.monitor.json-writer",
                          "broch.monitor.scalar-printer"});
  CHECK(project.logged("Epoch 1 (global_step 3) finished"));  // the size of the dataflow
  CHECK(project.files("events.out.tfevents.").size() == 1);
}

TEST_CASE("manifest: epochs count from 1, max_epoch is the last one") {
  Project project;
  CHECK(epochs(project, {"max_epoch=2"}) == Lines{"Start Epoch 1 ...", "Start Epoch 2 ..."});
  std::filesystem::remove_all(project.log_dir());
  CHECK(epochs(project, {"starting_epoch=4", "max_epoch=4"}) == Lines{"Start Epoch 4 ..."});
  std::filesystem::remove_all(project.log_dir());
  CHECK(epochs(project, {"starting_epoch=4", "max_epoch=3"}).empty());
  CHECK(project.logged("Training has finished!"));
}

TEST_CASE("manifest: an epoch is as long as the data, or as it is told") {
  Project project;
  CHECK(epochs(project, {"steps_per_epoch=null"}).size() == 1);
  CHECK(project.logged("Epoch 1 (global_step 3) finished"));
  std::filesystem::remove_all(project.log_dir());
  CHECK(epochs(project, {"steps_per_epoch=0"}).size() == 1);
  CHECK(project.logged("Epoch 1 (global_step 0) finished"));
  const std::string unknown =
      refusal({"steps_per_epoch=null",
               R"(dataflow={"use": "test.rows", "with": {"rows": [[1]], "known_size": false}})"});
  CHECK(unknown.find("steps_per_epoch") != std::string::npos);
}

TEST_CASE("manifest: exactly one of dataflow and data, and a model") {
  const std::string feed =
      R"(data={"use": "feed", "with": {"dataflow": {"use": "test.rows", "with": {"rows": [[1]]}}}})";
  CHECK(refusal({feed}).find("dataflow") != std::string::npos);
  CHECK(refusal({"dataflow=null"}).find("neither dataflow nor data") != std::string::npos);
  for (const std::string trainer : {"simple", "no-op"})
    CHECK(refusal({"model=null", "trainer=" + trainer}).find("add \"model\"") != std::string::npos);
}

TEST_CASE("manifest: a dataflow is fed by the simple trainer and queued by others") {
  Project project;
  CHECK(setup(project).input()->use == "broch.input_source.feed");
  CHECK(setup(project, {"trainer=no-op"}).input()->use == "broch.input_source.queue");
}

TEST_CASE("manifest: the trainer queue-input takes a dataflow or a queue, and nothing else") {
  Project project;
  CHECK(setup(project, {"trainer=queue-input"}).input()->use == "broch.input_source.queue");
  const std::string rows = R"({"use": "test.rows", "with": {"rows": [[1]]}})";
  const auto data = [&](const std::string& source) {
    return "data={\"use\": \"" + source + "\", \"with\": {\"dataflow\": " + rows + "}}";
  };
  CHECK(epochs(project, {"trainer=queue-input", "dataflow=null", data("queue")}).size() == 1);
  CHECK(refusal({"trainer=queue-input", "dataflow=null", data("feed")})
            .find("broch.input_source.queue with the trainer broch.trainer.queue-input") !=
        std::string::npos);
}

TEST_CASE("manifest: one tower unless told otherwise") {
  Project project;
  CHECK(epochs(project, {"nr_tower=0"}).size() == 1);
  CHECK(refusal({"nr_tower=2"}).find("/trainer/with/devices: a list of 2, expected") !=
        std::string::npos);
  CHECK(refusal({"nr_tower=2", "trainer=no-op"}).find("/trainer/with/devices: a list of 2,") !=
        std::string::npos);
  CHECK(refusal({"nr_tower=2", "tower=[0, 1]"}).find("nr_tower") != std::string::npos);
  CHECK(epochs(project, {"trainer=no-op", "tower=[0]"}).size() == 1);
  CHECK(setup(project, {"tower=[3]"})
            .manifest()
            .trainer.with()
            .find("devices")
            ->array()[0]
            .string() == "auto:3");
  CHECK(setup(project, {"predict_tower=0"}).manifest().predict_tower == std::vector<int64_t>{0});
}

TEST_CASE("manifest: a misspelt key is refused with the right one") {
  Project project;
  project.write(R"({"broch": 1, "model": "test.flat", "dataflow": "test.rows", "plugins": )" +
                kPlugins + R"(, "staring_epoch": 2})");
  CHECK(project.train({}) == Exit::manifest);
  CHECK(project.failure.find("starting_epoch") != std::string::npos);
}
