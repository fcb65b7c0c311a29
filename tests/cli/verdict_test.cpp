// verdict_test.cpp: what comparisons with eager steps came to, in a training that is continued.
#include <doctest/doctest.h>

#include "cli/program.hpp"

using namespace broch::cli_test;

namespace {

// Pictures near the largest float: kernels of level fast overflow where eager steps do not.
const char* const kHuge = "dataflow.with.dataflow.with.dataflow.with.components[0].scale=6e36";

// Trains four steps, or continues what is there with four more.
Outcome train(const Folder& folder, int epoch, const Words& more) {
  Words words{"train",
              SAMPLE_DIR "/digits.json",
              "plugins=[\"" SAMPLE_PLUGIN "\"]",
              "model.with.width=4",
              "runtime.level=fast",
              "steps_per_epoch=4",
              "callbacks=[\"model-saver\"]",
              "monitors=[\"scalar-printer\"]",
              "max_epoch=" + std::to_string(epoch),
              "log_dir=" + (folder.path() / "log").string()};
  words.insert(words.end(), more.begin(), more.end());
  if (epoch > 1) words.push_back("--resume");
  return run(words);
}

}  // namespace

TEST_CASE("verdict: a continued tower that stays eager says so again") {
  const Folder folder;
  REQUIRE(train(folder, 1, {kHuge}).exit_code == 0);
  const Outcome outcome = train(folder, 2, {kHuge});
  CHECK(outcome.exit_code == 0);
  CHECK(holds_in_order(outcome.err, {"stays eager: its program computes", "resumed from"}));
}

TEST_CASE("verdict: a continued tower that stays eager is refused where recorded ones are asked") {
  const Folder folder;
  REQUIRE(train(folder, 1, {kHuge}).exit_code == 0);
  const Outcome outcome = train(folder, 2, {kHuge, "runtime.execution=recorded"});
  CHECK(outcome.exit_code == 1);
  CHECK(
      holds_in_order(outcome.err, {"error", "tower of model 'convnet'", "set runtime.execution"}));
}

TEST_CASE("verdict: another program than the one that was compared is compared itself") {
  const Folder folder;
  REQUIRE(train(folder, 1, {}).exit_code == 0);
  const Outcome outcome = train(folder, 2, {kHuge, "dataflow.with.batch_size=30"});
  CHECK(outcome.exit_code == 0);
  CHECK_FALSE(holds(outcome.err, "goes on with its program"));
  CHECK(holds(outcome.err, "stays eager: its program computes"));
}

TEST_CASE("verdict: other passes at level fast are said, and compared again") {
  const Folder folder;
  REQUIRE(train(folder, 1, {kHuge}).exit_code == 0);
  const Outcome outcome = train(folder, 2, {"runtime.disabled_passes=[\"layout\"]"});
  CHECK(outcome.exit_code == 0);
  CHECK(holds_in_order(outcome.err, {"run.disabled_passes none", "layout", "not bit for bit"}));
  CHECK(holds(outcome.err, ": recorded, "));
}
