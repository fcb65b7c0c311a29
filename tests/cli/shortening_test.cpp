// shortening_test.cpp: --fast-dev-run, --overfit, --limit: short runs of the same manifest.
#include <doctest/doctest.h>

#include <fstream>

#include "cli/program.hpp"

using namespace broch::cli_test;
namespace fs = std::filesystem;

namespace {

struct Short {
  Outcome outcome;
  fs::path log_dir;
  Json manifest;  // as resolved; null: there is no log folder
};

Short train(const Folder& folder, const Words& words) {
  Short run_;
  run_.log_dir = folder.path() / "log";
  Words all = words;
  all.push_back("log_dir=" + run_.log_dir.string());
  run_.outcome = run(digits({"train"}, all));
  if (fs::exists(run_.log_dir / "manifest.resolved.json"))
    run_.manifest = Json::parse(read_file(run_.log_dir / "manifest.resolved.json"));
  return run_;
}

const std::string kTake = "broch.dataflow.take";

}  // namespace

TEST_CASE("shortening: --fast-dev-run goes through everything once and keeps nothing") {
  const Folder folder;
  const Short one = train(folder, {"--fast-dev-run", "callbacks[test].when.every_k_epochs=30"});
  INFO(one.outcome.err);
  CHECK(one.outcome.exit_code == 0);
  CHECK(one.outcome.out == "");
  CHECK(fs::is_empty(folder.path()));
  CHECK(
      holds_in_order(one.outcome.err,
                     {"--fast-dev-run: 1 step of one epoch, no log folder, no checkpoint is kept; "
                      "--fast-dev-run: at most 1 data point in 2 callbacks",
                      "Epoch 1 (global_step 1) finished", "Model saved to",
                      "with minimum validation_error=", "test_error", "Training has finished!"}));
  const Short three = train(folder, {"--fast-dev-run=3"});
  CHECK(holds(three.outcome.err, "Epoch 1 (global_step 3) finished"));
  CHECK_FALSE(holds(three.outcome.err, "Start Epoch 2"));
}

TEST_CASE("shortening: a rehearsal sees a saver that could not save, and touches no checkpoint") {
  const Folder folder;
  const fs::path log = folder.path() / "log";
  fs::create_directory(log);
  for (const char* name :
       {"checkpoint", "model-40.safetensors", "min-validation_error.safetensors"})
    std::ofstream(log / name) << "model_checkpoint_path: \"model-40\"\n"
                              << "all_model_checkpoint_paths: \"model-40\"\n";
  const std::string before = read_file(log / "model-40.safetensors");
  const Short one = train(folder, {"--fast-dev-run", "callbacks[model-saver].with.max_to_keep=1"});
  INFO(one.outcome.err);
  CHECK(one.outcome.exit_code == 0);
  CHECK(std::distance(fs::directory_iterator(log), {}) == 3);
  for (const char* name :
       {"checkpoint", "model-40.safetensors", "min-validation_error.safetensors"})
    CHECK(read_file(log / name) == before);

  const Short misspelt =
      train(folder, {"--fast-dev-run", "callbacks[min-saver].with.monitor_stat=validation_eror"});
  CHECK(misspelt.outcome.exit_code == 3);
  CHECK(holds_in_order(
      misspelt.outcome.err,
      {"/callbacks/3 (broch.callback.min-saver) waits for the metric "
       "'validation_eror', which no component sets according to its metadata, did you mean "
       "'validation_error'?",
       "Epoch 1 (global_step 1) finished", "/callbacks/3",
       "it waits for the metric 'validation_eror', which nothing sets, did you "
       "mean 'validation_error'?"}));
  const Short nowhere =
      train(folder, {"--fast-dev-run", "callbacks[model-saver].with.checkpoint_dir=" +
                                           (log / "model-40.safetensors" / "x").string()});
  INFO(nowhere.outcome.err);
  CHECK(holds(nowhere.outcome.err, "model-40.safetensors is no folder"));
  CHECK(nowhere.outcome.exit_code != 0);
}

TEST_CASE("shortening: a rehearsal resumes nothing") {
  const Folder folder;
  CHECK(train(folder, {"--fast-dev-run", "--resume"}).outcome.exit_code == 2);
  CHECK(train(folder, {"--fast-dev-run", "resume=auto"}).outcome.exit_code == 0);
  CHECK(train(folder, {"--fast-dev-run", "--overfit=2"}).outcome.exit_code == 2);
  CHECK(train(folder, {"--fast-dev-run=0"}).outcome.exit_code == 2);
}

TEST_CASE("shortening: --overfit takes the first points without shuffle, again and again") {
  const Folder folder;
  const Short short_run =
      train(folder, {"--overfit=2", "max_epoch=100", "~callbacks[model-saver]",
                     "~callbacks[min-saver]", "~callbacks[scheduled-hyper-param-setter]"});
  INFO(short_run.outcome.err);
  CHECK(short_run.outcome.exit_code == 0);
  CHECK(holds(short_run.outcome.err,
              "--overfit: the first 2 data points again and again, 1 shuffle left out"));
  CHECK(holds(short_run.outcome.err, "Epoch 100 (global_step 200) finished"));
  const Json& flow = short_run.manifest["dataflow"];
  CHECK(flow["use"] == kTake);
  CHECK(flow["with"]["points"] == 2);
  CHECK(flow["with"]["dataflow"]["use"] == "broch.dataflow.batch");
  CHECK(flow["with"]["dataflow"]["with"]["dataflow"]["use"] == "broch.dataflow.arrays");
  // 64 digits are learnt by heart.
  const Json records = Json::parse(read_file(short_run.log_dir / "stats.json"));
  CHECK(records.back()["train_error"].get<double>() <
        0.5 * records[0]["train_error"].get<double>());
}

TEST_CASE("shortening: --overfit keeps a dataflow without the one that it would reorder") {
  const Quick quick;
  const Outcome overfit = run(quick.train({"--overfit=2", "data=null", "dataflow=test.alone"}));
  INFO(overfit.err);
  CHECK(overfit.exit_code == 0);
  CHECK(holds(overfit.err, "again and again, 0 shuffles left out"));
}

TEST_CASE("shortening: --limit cuts steps and evaluations, and only cuts") {
  const Folder folder;
  const Short short_run = train(folder, {"--limit", "train=7,eval=1", "max_epoch=2"});
  INFO(short_run.outcome.err);
  CHECK(short_run.outcome.exit_code == 0);
  CHECK(holds_in_order(short_run.outcome.err,
                       {"--limit train: at most 7 steps per epoch", "at most 1 data point in 2",
                        "Epoch 1 (global_step 7) finished", "Epoch 2 (global_step 14) finished"}));
  CHECK(short_run.manifest["dataflow"]["use"] == kTake);
  size_t found = 0;
  for (const Json& callback : short_run.manifest["callbacks"]) {
    if (callback.value("name", "") != "validation") continue;
    ++found;
    CHECK(callback["with"]["dataflow"]["with"]["points"] == 1);
  }
  CHECK(found == 1);
  const Short more = train(folder, {"--limit", "train=1000", "max_epoch=1"});
  CHECK(holds(more.outcome.err, "Epoch 1 (global_step 40) finished"));
  const Short given = train(folder, {"--limit", "train=1000", "max_epoch=1", "steps_per_epoch=5"});
  CHECK(holds(given.outcome.err, "Epoch 1 (global_step 5) finished"));
}

TEST_CASE("shortening: an epoch of samples that has fewer steps than a limit keeps them") {
  const char* const fake =
      R"(dataflow={"use": "fake", "with": {"size": 20, "components": [{"shape": [4]}]}})";
  struct Case {
    Words words;
    int steps;
  };
  for (const Case& one :
       {Case{{"data.with.shapes=[[4]]", "--limit", "train=7"}, 3},
        Case{{"data.with.shapes=[[4]]", "--limit", "train=2"}, 2},
        Case{{"data=null", fake, "--limit", "train=7"}, 3},
        Case{{"data=null", fake, "--overfit=9"}, 3}, Case{{"data=null", fake, "--overfit=2"}, 2}}) {
    CAPTURE(one.words.back());
    const Quick quick;
    Words words{R"(model.with.inputs=[{"shape": [4]}])", R"(steps_per_epoch={"samples": 13})"};
    words.insert(words.end(), one.words.begin(), one.words.end());
    const Outcome outcome = run(quick.train(words));
    INFO(outcome.err);
    CHECK(outcome.exit_code == 0);
    CHECK(holds(read_file(quick.events()), "after_train " + std::to_string(2 * one.steps) + "\n"));
    const Json resolved = Json::parse(read_file(quick.log_dir() + "/manifest.resolved.json"));
    CHECK(resolved["steps_per_epoch"] == one.steps);
  }
}

TEST_CASE("shortening: without a dataflow only steps can be cut") {
  const Quick quick;
  CHECK(run(quick.train({"--limit", "train=2"})).exit_code == 0);
  CHECK(holds(read_file(quick.events()), "after_train 4\n"));
  const Outcome overfit = run(quick.train({"--overfit=2"}));
  CHECK(overfit.exit_code == 3);
  CHECK(holds_in_order(overfit.err, {"/data", "without a dataflow"}));
}

TEST_CASE("shortening: a limit that is none is refused") {
  for (const char* limit : {"train", "train=0", "train=x", "test=3", "train=3,eval=", "=3"}) {
    CAPTURE(limit);
    const Outcome outcome = run({"train", "x.json", "--limit", limit});
    CHECK(outcome.exit_code == 2);
    CHECK(holds_in_order(outcome.err, {"--limit", "train=K or eval=K"}));
  }
}
