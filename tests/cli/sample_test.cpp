// sample_test.cpp: samples/digits/run: trains, evaluates, draws; again, and elsewhere;
// samples/strategies/run: compares; samples/gan/run: writes pictures; samples/gpt/run,
// samples/char-rnn/run, samples/tabular/run: their short forms learn.
#include <doctest/doctest.h>

#include <fstream>

#include "cli/program.hpp"

using namespace broch::cli_test;
namespace fs = std::filesystem;

namespace {

// The project's root as the script sees it, with what is built in place of building it.
class Root {
 public:
  Root() {
    const fs::path root = folder_.path();
    for (const char* folder : {"samples", "tools", "build/release/bin"})
      fs::create_directories(root / folder);
    const Words files{"digits/run",
                      "digits/digits.json",
                      "strategies/run",
                      "strategies/strategies.json",
                      "gan/run",
                      "gan/gan.json",
                      "gan/wgan.json",
                      "gan/pictures",
                      "gpt/run",
                      "gpt/gpt.json",
                      "char-rnn/run",
                      "char-rnn/char_rnn.json",
                      "tabular/run",
                      "tabular/breast_cancer.json",
                      "tabular/breast_cancer.sweep.json"};
    for (const std::string& file : files) {
      const fs::path to = root / "samples" / file;
      fs::create_directories(to.parent_path());
      fs::copy_file(fs::path(SAMPLE_DIR).parent_path() / file, to);
    }
    for (const std::string sample : {"digits", "gpt", "tabular"})
      fs::create_symlink(fs::path(SAMPLE_DIR).parent_path() / sample / "data",
                         root / "samples" / sample / "data");
    for (const char* tool : {"setup", "build"}) {
      std::ofstream(root / "tools" / tool) << "#!/bin/sh\n";
      fs::permissions(root / "tools" / tool, fs::perms::owner_all);
    }
    fs::create_symlink(BROCH_PROGRAM, root / "build/release/bin/broch");
    for (const char* sample : {"digits", "gan"})
      fs::create_directories(root / "build/release/samples" / sample);
    fs::create_symlink(SAMPLE_PLUGIN, root / "build/release/samples/digits/digits.so");
    fs::create_symlink(GAN_PLUGIN, root / "build/release/samples/gan/digits_gan.so");
  }
  fs::path path(const std::string& below) const { return folder_.path() / below; }
  Outcome run(Words words = {}, const char* script = "samples/digits/run") const {
    words.insert(words.end(),
                 {"model.with.width=4", "max_epoch=2", "callbacks[test].when.every_k_epochs=2"});
    return start(script, words);
  }
  Outcome start(const char* script, const Words& words) const {
    Surroundings surroundings;
    surroundings.program = path(script);
    return broch::cli_test::run(words, surroundings);
  }

 private:
  Folder folder_;
};

double last(const fs::path& log_dir, const char* metric) {
  return Json::parse(read_file(log_dir / "stats.json")).back().at(metric);
}

}  // namespace

TEST_CASE("sample: run trains, prints the final table and the picture, twice") {
  const Root root;
  for (int time = 0; time < 2; ++time) {
    const Outcome outcome = root.run();
    INFO(outcome.err);
    CHECK(outcome.exit_code == 0);
    CHECK(holds_in_order(outcome.out, {"metric ", "test_error ",
                                       "picture: ", root.path("train_log/digits/plot.png")}));
    CHECK(fs::exists(root.path("train_log/digits/plot.png")));
  }
}

TEST_CASE("sample: run draws the run that it trained, wherever that logs") {
  const Root root;
  const Outcome outcome = root.run({"log_dir=" + root.path("else where").string()});
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(fs::exists(root.path("else where/plot.png")));
  CHECK_FALSE(fs::exists(root.path("train_log")));
}

TEST_CASE("sample: run passes the exit code of a training that fails on, and draws nothing") {
  const Root root;
  const Outcome outcome = root.run({"no_such_key=1"});
  CHECK(outcome.exit_code == 3);
  CHECK(outcome.out == "");
  CHECK_FALSE(fs::exists(root.path("train_log")));
}

TEST_CASE("sample: strategies that compute the same have the same bits in its table") {
  const Root root;
  const Outcome outcome = root.run({"--only", "sync-parameter-server,sync-replicated,allreduce"},
                                   "samples/strategies/run");
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  INFO(outcome.out);
  CHECK(holds_in_order(
      outcome.out, {"| strategy |", "| sync-parameter-server |", "equal to sync-parameter-server",
                    "equal to sync-parameter-server", "picture: "}));
  CHECK(fs::exists(root.path("train_log/strategies.png")));
}

TEST_CASE("sample: gan writes what its generator draws after each epoch") {
  const Root root;
  const Outcome outcome = root.start("samples/gan/run", {"max_epoch=2", "steps_per_epoch=3"});
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  INFO(outcome.out);
  const fs::path folder = root.path("train_log/gan/pictures");
  CHECK(holds(outcome.out, "pictures: 2 in " + folder.string()));
  for (const char* picture : {"grid-000003.png", "grid-000006.png"})
    CHECK(read_file(folder / picture).starts_with("\x89PNG\r\n"));
}

TEST_CASE("sample: gan as a WGAN reports the costs of both sides") {
  const Root root;
  const fs::path folder = root.path("log");
  const Outcome outcome =
      root.start("build/release/bin/broch",
                 {"train", root.path("samples/gan/wgan.json").string(), "max_epoch=2",
                  "steps_per_epoch=6", "log_dir=" + folder.string()});
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  const std::string stats = read_file(folder / "stats.json");
  for (const char* cost : {"d_loss", "g_loss"}) CHECK(holds_in_order(stats, {cost, cost}));
}

TEST_CASE("sample: gpt learns which characters follow each other, draws its losses and writes" *
          doctest::test_suite("long")) {
  const Root root;
  const Outcome outcome =
      root.start("samples/gpt/run", {"max_epoch=1", "steps_per_epoch=150", "--limit", "eval=1"});
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  INFO(outcome.out);
  CHECK(holds_in_order(outcome.out, {"validation_cost", "picture: ", "ROMEO:"}));
  CHECK(last(root.path("train_log/gpt"), "validation_cost") < 2.8);  // at first log(256) = 5.55
}

TEST_CASE(
    "sample: char-rnn learns which characters follow each other, draws its losses and writes" *
    doctest::test_suite("long")) {
  const Root root;
  const Outcome outcome =
      root.start("samples/char-rnn/run", {"max_epoch=1", "steps_per_epoch=150", "--limit", "eval=1",
                                          "dataflow.with.batch_size=16",
                                          "optimizer.with.optimizer.with.learning_rate=0.005"});
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  INFO(outcome.out);
  CHECK(holds_in_order(outcome.out, {"validation_cost", "picture: ", "ROMEO:"}));
  // 3.3 without the character before.
  CHECK(last(root.path("train_log/char-rnn"), "validation_cost") < 2.9);
}

TEST_CASE("sample: tabular tells benign tumors from others in all folds") {
  const Root root;
  const Outcome outcome =
      root.start("samples/tabular/run", {"--without-scikit-learn", "--seeds", "1"});
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  INFO(outcome.out);
  REQUIRE(holds_in_order(outcome.out, {"| breast_cancer | seed 1 | mean |", "| Broch | "}));
  const std::string row = "| Broch | ";
  const double percent = std::stod(outcome.out.substr(outcome.out.find(row) + row.size()));
  CHECK(percent > 0);
  CHECK(percent < 5);  // 37 % are not benign
  CHECK(fs::exists(root.path("train_log/tabular/breast_cancer.png")));
}
