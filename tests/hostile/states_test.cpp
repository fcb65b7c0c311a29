// states_test.cpp: what built-in components say of a saved state that is not theirs.
#include <doctest/doctest.h>

#include <algorithm>

#include "cli_harness/cli_harness.hpp"
#include "store/checkpoint.hpp"

namespace broch::hostile {
namespace {

using cli_harness::count;
using cli_harness::Json;
using cli_harness::Training;
using test::Folder;

Json use(const std::string& component, Json options) {
  return {{"use", component}, {"with", std::move(options)}};
}

Json manifest() {
  return {
      {"broch", 1},
      {"plugins", {MODELS, RECORDER}},
      {"model", "test.flat"},
      {"dataflow", use("test.rows", {{"rows", {{1}}}})},
      {"callbacks",
       {use("simple-moving-average", {{"tensors", {"cost"}}, {"window_size", 5}}),
        use("early-stopping", {{"monitor_stat", "learning_rate"}}),
        use("reduce-on-plateau", {{"param", "learning_rate"}, {"monitor_stat", "learning_rate"}}),
        use("stat-monitor-param-setter", {{"param", "learning_rate"},
                                          {"stat_name", "learning_rate"},
                                          {"value_func", "value"},
                                          {"threshold", 0},
                                          {"last_k", 9}}),
        use("send-stat",
            {{"command", "true"}, {"names", {"learning_rate"}}, {"when_all_new", true}}),
        use("time-budget", {{"seconds", 3600}}), "model-saver",
        use("min-saver", {{"monitor_stat", "learning_rate"}})}},
      {"extra_callbacks", Json::array()},
      {"monitors",
       {"json-writer", "csv-writer", "jsonl-writer", "mlflow", "tf-event-writer",
        use("notify", {{"command", "true"}}), use("prometheus", {{"file", "metrics.prom"}})}},
      {"steps_per_epoch", 1},
      {"max_epoch", 1}};
}

// The words of what is expected, after "found".
void check_refused(const Training& training, const store::CheckpointContents& saved,
                   const std::string& instance, const std::string& bytes) {
  store::CheckpointContents contents = saved;
  for (store::SavedState& state : contents.states)
    if (state.instance == instance)
      state.bytes = {reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()};
  store::write_checkpoint(training.log_dir(), "model-1", contents);
  const size_t before = training.talk().size();
  CHECK(training.run({"--runtime", "null", "--resume", "max_epoch=2"}) == 1);
  const std::string said = training.talk().substr(before);
  INFO(instance, ", '", bytes, "': ", said);
  CHECK(count(said, "the saved state: found ") > 0);
  CHECK(count(said, "give the entry another name, with which it starts afresh") > 0);
  CHECK(count(said, instance) > 0);
}

}  // namespace

TEST_CASE("states: of built-in components, what does not fit is refused with what was expected") {
  const Folder folder;
  const Training training(folder, "run", manifest());
  const int code = training.run({"--runtime", "null"});
  INFO(training.talk());
  REQUIRE(code == 0);
  const store::Checkpoint checkpoint =
      store::read_checkpoint(training.log_dir() / "model-1.safetensors");
  size_t refused = 0;
  for (const store::SavedState& state : checkpoint.contents.states) {
    if (state.component.starts_with("broch.host") || !state.component.starts_with("broch."))
      continue;
    check_refused(training, checkpoint.contents, state.instance, "damaged!");
    ++refused;
  }
  CHECK(refused == 14);
  check_refused(training, checkpoint.contents, "tf-event-writer", "many events.out.tfevents");
  check_refused(training, checkpoint.contents, "send-stat", "1 2 ");
  check_refused(training, checkpoint.contents, "simple-moving-average", "1 0.5\n1 0.5\n");
  check_refused(training, checkpoint.contents, "time-budget", "-5");
  check_refused(training, checkpoint.contents, "notify", "4:cost");
  for (const char* state : {R"({"counts": {"cost": "many"}, "names": {}})", R"({"counts": {}})",
                            R"({"counts": {}, "names": {"cost": 1}})"})
    check_refused(training, checkpoint.contents, "mlflow", state);
  check_refused(training, checkpoint.contents, "json-writer", R"({"records": -1, "pending": {}})");
}

TEST_CASE("states: of mlflow, what an earlier version has saved is read") {
  const Folder folder;
  const Training training(folder, "run", manifest());
  REQUIRE(training.run({"--runtime", "null"}) == 0);
  store::Checkpoint checkpoint = store::read_checkpoint(training.log_dir() / "model-1.safetensors");
  const std::string counts = R"({"learning_rate": 1})";
  std::vector<store::SavedState>& states = checkpoint.contents.states;
  const auto state = std::find_if(states.begin(), states.end(), [](const store::SavedState& one) {
    return one.instance == "mlflow";
  });
  REQUIRE(state != states.end());
  CHECK(state->version == 2);
  state->version = 1;
  state->bytes = {reinterpret_cast<const std::byte*>(counts.data()), counts.size()};
  store::write_checkpoint(training.log_dir(), "model-1", checkpoint.contents);
  const int code = training.run({"--runtime", "null", "--resume", "max_epoch=2"});
  INFO(training.talk());
  CHECK(code == 0);
}

}  // namespace broch::hostile
