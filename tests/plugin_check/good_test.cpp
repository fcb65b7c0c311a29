// good_test.cpp: what is made well passes every test: the built-ins, the samples, and the plugin of
// bad.cpp when it does nothing wrong. BROCH_CHECK_ALL in the environment: with as many made options
// as the command makes by default.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "program.hpp"
#include "support/folder.hpp"
#include "usual_options.hpp"

using namespace broch::plugin_check_test;

namespace {

Words few() {
  if (std::getenv("BROCH_CHECK_ALL")) return {};
  return {"--configurations", "4", "--creations", "10", "--faults", "3"};
}

// For what these need there is no room in a test: a download, another process, a model with
// other outputs, another callback, images in files, the operators of LibTorch.
const std::set<std::string> kUntried = {
    "a3c.players",
    "a3c.score",
    "broch.callback.averaged-weights",
    "broch.callback.dump-tensor-as-image",
    "broch.callback.gpu-utilization-tracker",
    "broch.callback.send-stat",
    "broch.dataflow.cifar10",
    "broch.dataflow.cifar100",
    "broch.dataflow.digits",
    "broch.dataflow.mnist",
    "broch.dataflow.svhn",
    "broch.dataflow.zmq",
    "broch.inferencer.area-under-curve",
    "broch.inferencer.binary-classification-stats",
    "broch.inferencer.calibration-error",
    "broch.inferencer.classification-error",
    "broch.inferencer.confusion-matrix",
    "broch.inferencer.frechet-distance",
    "broch.inferencer.pr-curve",
    "broch.inferencer.top-k-error",
    "broch.input_source.placeholder",
    "broch.model.exported",
    "broch.session_init.restore",
    "broch.sink.zmq",
    "broch.trainer.gan",
    "broch.trainer.separate-gan",
    "broch.transform.cutmix",
    "broch.transform.decode-crop",
    "broch.transform.decode-image",
    "broch.transform.mixup",
    "broch.transform.wav",
    "cart-pole.replay-memory",
    "cart-pole.score",
    "cifar10.mean-image",
    "ppo.rollout",
    "ppo.score",
};

Report report_on(const std::string& file) {
  static const UsualOptions options;
  Words words = {file};
  for (const Words& more : {few(), options.words()})
    words.insert(words.end(), more.begin(), more.end());
  return report(words);
}

}  // namespace

TEST_CASE("check: every built-in and every sample passes") {
  std::ifstream list(PLUGIN_LIST);
  size_t count = 0;
  for (std::string file; std::getline(list, file); ++count) {
    // Large models, which take minutes in all and have little that others have not.
    const bool is_large = file.find("/samples/tensorpack/") != file.npos ||
                          file.find("/samples/a3c-atari/") != file.npos ||
                          file.ends_with("/zoo.so");
    if (is_large && !std::getenv("BROCH_CHECK_ALL")) continue;
    CAPTURE(file);
    const Report report = report_on(file);
    CHECK_MESSAGE(report.exit_code == 0, describe_failures(report));
    for (const std::string component : report.whole.at("untried"))
      CHECK_MESSAGE(kUntried.contains(component), component << " was hardly tested");
  }
  CHECK(count >= 40);
}

TEST_CASE("check: a component that refuses to work is told apart, and fails when strict") {
  const std::string setter = std::string(PLUGIN_DIR) + "/scheduled_hyper_param_setter.so";
  const char* const id = "broch.callback.scheduled-hyper-param-setter";
  const char* const with = R"(={"param": "learning_rate", "schedule": [[1, 0.5]]})";
  const Report lenient = report({setter, "--test", "drive"});
  CHECK(lenient.exit_code == 0);
  CHECK(lenient.whole.at("untried") == Json{id});
  CHECK(report({setter, "--test", "drive", "--strict"}).exit_code == 4);
  const Report tried =
      report({setter, "--test", "drive", "--strict", "--with", std::string(id) + with});
  CHECK(tried.exit_code == 0);
  CHECK(tried.whole.at("untried").empty());
}

TEST_CASE("check: where few files may be open, all is tested, or what is missing is said") {
  const Words words = {MODELS, "--test", "drive", "--jobs", "1"};
  int complete = 0, refused = 0;
  for (const int most : {8, 9, 10, 11, 12, 13, 14, 16, 18, 20, 30, 60, 120, 400}) {
    CAPTURE(most);
    const Outcome outcome = check(words, "", most);
    CAPTURE(outcome.out);
    const bool is_complete = outcome.out.find("3 passed, 0 failed, 1 skipped") != outcome.out.npos;
    ++(is_complete ? complete : refused);
    CHECK(is_complete == (outcome.exit_code == 0));
    if (!is_complete) CHECK((outcome.exit_code == 4 || outcome.exit_code == 5));
  }
  CHECK(complete >= 1);
  CHECK(refused >= 5);
}

TEST_CASE("check: a file that is no plugin fails, whatever is tested") {
  CHECK(check({"/etc/passwd"}).exit_code == 4);
  CHECK(check({"/etc/passwd", "--test", "drive"}).exit_code == 4);
  CHECK(check({"/nowhere/plugin.so", "--test", "drive"}).exit_code != 0);
}

TEST_CASE("check: a model gets data of its signature, and an optimizer where it has none") {
  const broch::test::Folder folder;
  std::ofstream(folder.path() / "there.txt") << "text";
  const Words words = {MODELS,  "--strict", "--test",
                       "drive", "--with",   R"(valid.from-file={"file": "there.txt"})"};
  const Report report = broch::plugin_check_test::report(words, folder.path());
  CHECK_MESSAGE(report.exit_code == 0, report.whole.dump(1));
  CHECK(report.tests("drive", "passed").size() == 4);
}

TEST_CASE("check: given options lie over made ones, relative paths are the caller's") {
  const broch::test::Folder folder;
  std::ofstream(folder.path() / "there.txt") << "text";
  const Words words = {MODELS, "--test", "drive", "--with"};
  const auto with = [&](const char* options) {
    Words all = words;
    all.emplace_back(options);
    const Report report = broch::plugin_check_test::report(all, folder.path());
    const Json& drives = report.whole.at("tests");
    for (const Json& drive : drives)
      if (drive.at("component") == "valid.from-file") return drive.at("message").get<std::string>();
    return std::string("none");
  };
  CHECK(with(R"(valid.from-file={"file": "there.txt", "width": 3})").empty());
  CHECK(with(R"(valid.from-file={"file": "missing.txt"})").find(folder.path() / "missing.txt") !=
        std::string::npos);
  CHECK(with(R"(valid.from-file={"width": "three"})").find("/width") != std::string::npos);
  CHECK(with(R"(valid.from-file=[1])").find("no object") != std::string::npos);
}

TEST_CASE("check: a reason for which tests are skipped is said once") {
  const Outcome outcome =
      check({MODELS, "--test", "drive", "--test", "statuses", "--test", "handles", "--with",
             R"(valid.from-file={"file": "missing.txt"})"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.find("hardly tested, for the reason that drive gives: valid.from-file\n") !=
        std::string::npos);
  CHECK(outcome.out.find("--with 'valid.from-file={…}'") != std::string::npos);
  const std::string reason = "missing.txt is not there";
  const size_t first = outcome.out.find(reason);
  REQUIRE(first != std::string::npos);
  CHECK(outcome.out.find(reason, first + 1) == std::string::npos);
  CHECK(outcome.out.find("valid.from-file: for the same reason") != std::string::npos);
}

TEST_CASE("check: a plugin in C that does nothing wrong passes every test, and skips none") {
  for (const char* name : {"good-callback", "good-dataflow", "good-indexed", "good-transform",
                           "good-sink", "good-model"}) {
    CAPTURE(name);
    const Report report = report_on(std::string(BAD_DIR) + "/" + name + ".so");
    CHECK_MESSAGE(report.exit_code == 0, describe_failures(report));
    for (const Json& test : report.whole.at("tests"))
      if (test.at("status") == "skipped")
        CHECK_MESSAGE(
            (test.at("message") == "has no state" || test.at("message") == "is not read by index" ||
             test.at("message") == "reads no dataflow in its options"),
            test.dump(1));
    CHECK(report.tests("drive", "passed").size() == 1);
  }
}
