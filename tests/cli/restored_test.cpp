// restored_test.cpp: what a training goes on with, where the manifest and a checkpoint differ.
#include <doctest/doctest.h>

#include <algorithm>

#include "cli/program.hpp"

using namespace broch::cli_test;
namespace fs = std::filesystem;

namespace {

const std::string kNoSchedule = "~callbacks[scheduled-hyper-param-setter]";

// The digits sample in a log folder of its own, a rate of 0.001 from the end of epoch 1 on.
class Digits {
 public:
  Outcome train(const Words& more) const {
    Words words{"log_dir=" + log_dir()};
    if (std::ranges::find(more, kNoSchedule) == more.end())
      words.push_back("callbacks[scheduled-hyper-param-setter].with.schedule=[[1, 0.001]]");
    words.insert(words.end(), more.begin(), more.end());
    Outcome outcome = run(digits({"train"}, words));
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return outcome;
  }
  std::string log_dir() const { return folder_.path() / "log"; }
  Json json(const std::string& file) const {
    return Json::parse(read_file(fs::path(log_dir()) / file));
  }
  double saved(int step, const std::string& name = "learning_rate") const {
    const fs::path file = fs::path(log_dir()) / ("model-" + std::to_string(step) + ".safetensors");
    return broch::cli_harness::Training::variables(file).at(name).at(0);
  }
  // What manifest.resolved.json, run.json and the manifest say of the rate.
  void check_rate(double resolved, double used, bool as_written) const {
    CHECK(json("manifest.resolved.json")["optimizer"]["with"]["learning_rate"] == resolved);
    CHECK(json("run.json")["settings"]["learning_rate"] == used);
    CHECK(json("run.json")["manifest_says"].contains("learning_rate") != as_written);
  }

 private:
  Folder folder_;
};

// more: further options.
std::string restore(const std::string& more = "") {
  return R"(session_init={"use": "restore", "with": {"path": ")" + trained_digits().string() +
         "\"" + more + "}}";
}

}  // namespace

TEST_CASE("resume: a hyper-parameter that the manifest changed since is the manifest's") {
  const Digits digits;
  digits.train({"max_epoch=1"});
  CHECK(digits.saved(40) == 0.001);
  digits.check_rate(0.002, 0.002, true);
  CHECK(digits.json("run.json")["resumed_from"].is_null());

  const Outcome same = digits.train({"max_epoch=2", "--resume"});
  CHECK(holds(same.err,
              "learning_rate is 0.001, as in the checkpoint; the manifest says 0.002, as it did"));
  CHECK(digits.saved(80) == 0.001);
  digits.check_rate(0.002, 0.001, false);
  CHECK(digits.json("run.json")["resumed_from"] == digits.log_dir() + "/model-40.safetensors");

  const Words changed{"optimizer.with.learning_rate=1e-4", "--resume"};
  const Outcome other = digits.train({"max_epoch=3", changed[0], changed[1]});
  CHECK(holds(other.err,
              "learning_rate is 1e-04: the manifest says 1e-04 now instead of 0.002; "
              "in the checkpoint it is 0.001"));
  CHECK_FALSE(holds(other.err, "beta1 is"));
  CHECK(digits.saved(120) == 1e-4);
  digits.check_rate(1e-4, 1e-4, true);

  const Outcome again = digits.train({"max_epoch=4", changed[0], changed[1]});
  CHECK_FALSE(holds(again.err, "learning_rate is"));
  CHECK(digits.saved(160) == 1e-4);
}

TEST_CASE("resume: optimizers with hyper-parameters of their own each take what changed") {
  const Folder folder;
  const auto train = [&](const Words& more) {
    Words words{"train", SAMPLE_DIR "/../gan/gan.json", "plugins=[\"" GAN_PLUGIN "\"]",
                "log_dir=" + (folder.path() / "log").string(), "steps_per_epoch=2"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return outcome.err;
  };
  const auto optimizer = [](const std::string& rate) {
    return "trainer.with.d_optimizer={\"use\": \"sgd\", \"with\": {\"learning_rate\": " + rate +
           "}}";
  };
  train({optimizer("0.25"), "max_epoch=1"});
  const std::string err = train({optimizer("0.125"), "max_epoch=2", "--resume"});
  const auto saved =
      broch::cli_harness::Training::variables(folder.path() / "log/model-4.safetensors");
  int rates = 0;
  for (const auto& [name, value] : saved) {
    if (!name.ends_with("/learning_rate")) continue;
    ++rates;
    CHECK((value.at(0) == 0.125 || value.at(0) == 1e-3));
    CHECK(holds(err, name + " is 0.125: the manifest says 0.125 now instead of 0.25") ==
          (value.at(0) == 0.125));
  }
  CHECK(rates == 2);
}

TEST_CASE(
    "restore: all of the file, hyper-parameters too, and a warning where the manifest differs") {
  const Digits digits;
  const Outcome outcome =
      digits.train({restore(), "optimizer.with.learning_rate=0.5", "max_epoch=0"});
  CHECK(holds(outcome.err,
              "learning_rate is 0.002 from the checkpoint, the manifest says 0.5: "
              "exclude it to use that"));
  CHECK(holds_in_order(outcome.err, {"restored from ", " variables: ", "global_step"}));
  CHECK_FALSE(holds(outcome.err, "beta1 is"));
  digits.check_rate(0.002, 0.002, false);
  // What is resolved starts the same training, and what it goes on with is the manifest's.
  const std::string resolved = fs::path(digits.log_dir()) / "manifest.resolved.json";
  const Outcome second = run({"train", resolved, "log_dir_action=new"});
  INFO(second.err);
  CHECK(second.exit_code == 0);
  CHECK(holds(second.err, "restored from "));
  CHECK_FALSE(holds(second.err, "exclude it"));
}

TEST_CASE("restore: a training that began with a restored rate goes on with it") {
  const Digits digits;
  const std::string rate = "optimizer.with.learning_rate=0.5";
  digits.train({restore(), rate, "max_epoch=1"});
  const Outcome resumed = digits.train({restore(), rate, "max_epoch=2", "--resume"});
  CHECK(holds(resumed.err, "learning_rate is 0.001, as in the checkpoint; the manifest says 0.5"));
  digits.check_rate(0.002, 0.001, false);
}

TEST_CASE("restore: all ranks train with the rate that rank 0 restored") {
  const auto weights = [](const std::string& rate) {
    const Digits digits;
    digits.train({restore(), "optimizer.with.learning_rate=" + rate, "max_epoch=1", "--ranks=2",
                  "trainer.use=allreduce", kNoSchedule, "steps_per_epoch=5"});
    return broch::cli_harness::Training::variables(fs::path(digits.log_dir()) /
                                                   "model-125.safetensors")
        .at("block1/conv/W");
  };
  CHECK(weights("0.5") == weights("0.002"));
}

TEST_CASE("restore: include and exclude choose by patterns, and what was not loaded is told") {
  const Digits digits;
  const Words rest{"optimizer.with.learning_rate=0.5", "max_epoch=1"};
  const Outcome excluded =
      digits.train({restore(R"(, "exclude": ["learning_rate", "global_step"])"), rest[0], rest[1]});
  CHECK(holds(excluded.err, "not restored: "));
  CHECK(holds(excluded.err, "learning_rate (exclude 'learning_rate')"));
  CHECK_FALSE(holds(excluded.err, "exclude it"));
  CHECK(digits.saved(40) == 0.001);  // the step counter began at 0
  digits.check_rate(0.5, 0.5, true);

  const Outcome included =
      digits.train({restore(R"(, "include": ["block1/.*"])"), rest[0], rest[1]});
  CHECK(holds_in_order(included.err, {"restored from ", "block1/conv/W"}));
  CHECK(holds(included.err, "learning_rate (not in include)"));
  digits.check_rate(0.5, 0.5, true);
}

TEST_CASE("restore: a pattern that matches nothing is 3 and names the nearest") {
  for (const char* list : {"include", "exclude"})
    for (const char* pattern : {"learning_rat", "fc/*", "("}) {
      const Folder folder;
      const Outcome outcome = run(
          digits({"train"}, {"log_dir=" + (folder.path() / "log").string(), "max_epoch=0",
                             restore(std::string(", \"") + list + "\": [\"" + pattern + "\"]")}));
      INFO(outcome.err);
      CHECK(outcome.exit_code == 3);
      CHECK(holds_in_order(outcome.err, {list, pattern, "regular expression", "hint: "}));
    }
}
