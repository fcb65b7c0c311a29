// refused_test.cpp: checkpoints of another model, options without effect, files that do not suit.
#include <doctest/doctest.h>

#include <filesystem>

#include "base/memory.hpp"
#include "predicting.hpp"

using namespace broch;
using namespace broch::test;

namespace {

// The run, new.csv, and what is said of wrong words.
class Refusals {
 public:
  Refusals() : training_(folder, "run", manifest()) {
    REQUIRE_MESSAGE(training_.run() == 0, training_.talk());
    folder.write("new.csv", csv_rows(5));
  }
  void check(const std::string& words, int exit, const std::string& part) const {
    CAPTURE(words);
    CHECK_MESSAGE(run_broch(folder, words) == exit, folder.read("talk"));
    CHECK_MESSAGE(folder.read("talk").find(part) != std::string::npos, folder.read("talk"));
    CHECK(!std::filesystem::exists(folder / "o.npy"));
    CHECK(!std::filesystem::exists(folder / "o.bundle"));
  }
  Folder folder;

 private:
  static Json manifest() {
    Json whole = small_manifest(fake_data());
    Json data = fake_data();
    data["with"]["size"] = 1;
    const Json stats = {{{"use", "scalar-stats"}, {"with", {{"names", {"cost"}}}}}};
    whole["callbacks"].push_back("weight-average");
    whole["callbacks"].push_back(
        {{"use", "inference-runner"}, {"with", {{"dataflow", data}, {"inferencers", stats}}}});
    return whole;
  }
  Training training_;
};

}  // namespace

TEST_CASE("predict, export, eval: a checkpoint without a weight of the model") {
  const Refusals refusals;
  const auto check = [&](const std::string& from, int exit, const std::string& part) {
    refusals.check("predict run -o o.npy --data new.csv --checkpoint " + from, exit, part);
    refusals.check("export run -o o.bundle --checkpoint " + from, exit, part);
    refusals.check("eval run --checkpoint " + from, exit, part);
  };
  const std::string convert = "ckpt convert run ";
  REQUIRE(run_broch(refusals.folder, convert + "part.safetensors --exclude last/b") == 0);
  check("part.safetensors", 9, "missing: last/b");
  REQUIRE(run_broch(refusals.folder, convert + "none.safetensors --include global_step") == 0);
  check("none.safetensors", 9, "last/W");
  // The variables of callbacks are no weights.
  REQUIRE(run_broch(refusals.folder, convert + "weights.safetensors --include 'last/[Wb]'") == 0);
  CHECK(run_broch(refusals.folder, "eval run --checkpoint weights.safetensors") == 0);
}

TEST_CASE("predict, export: options that are given twice or have no effect") {
  const Refusals refusals;
  const std::string predict = "predict run -o o.npy --data new.csv ",
                    bundle = "export run -o o.bundle ";
  refusals.check(predict + "--name output --name output", 2, "--name: 'output' twice");
  refusals.check(predict + "--input x --input x", 2, "--input: 'x' twice");
  refusals.check(predict + "--seed -1", 2, "--seed");
  refusals.check(predict + "--seed 1", 2, "--seed requires --generate");
  refusals.check(predict + "--vocabulary words.txt", 2, "--vocabulary requires --generate");
  for (const std::string of_data : {"--limit 1", "--batch-size 1"})
    refusals.check("predict run --generate a " + of_data, 2, "excludes");
  refusals.check(bundle + "--name output --name output", 2, "--name: 'output' twice");
  refusals.check(bundle + "--size B=2 --size B=3", 2, "'B' twice");
  refusals.check(bundle + "--size B=9223372036854775807", 2, "--size: 'B=92");
  // 52 GB, in vain.
  if (base::available_memory().value_or(0) < 100'000'000'000)
    refusals.check(bundle + "--size B=2147483647", 2, "--size B=2147483647: inputs of 48 GiB");
  refusals.check(bundle + "--external-data", 2, "--external-data");
  const std::string weights = bundle + "--format safetensors ";
  refusals.check(weights + "--external-data", 2, "--external-data");
  refusals.check(weights + "--name output", 2, "--name: --format safetensors");
  refusals.check(weights + "--size B=2", 2, "--size: --format safetensors");
  refusals.check("export run -o ''", 2, "--output: an empty name");
}

TEST_CASE("predict, export: names that are too long, and files that do not suit") {
  const Refusals refusals;
  const std::string name(300, 'n');
  refusals.check("predict run --data new.csv -o " + name + ".npy", 5, "File name too long");
  refusals.check("export run -o " + name, 5, "File name too long");
  refusals.check("predict run -o o.npy --data " + name + ".csv", 5, "no such file");
  // Before it turns out that the model continues no text.
  refusals.check("predict run --generate a -o none/text", 5, "none/text: cannot be written");
  // Before it turns out that there is no such run.
  refusals.check("export no_run -o none/model", 5, "none/model: cannot be written");
  refusals.folder.write("empty.npz", "");
  refusals.check("predict run -o o.npy --data empty.npz", 5, "empty.npz: no directory");
}

TEST_CASE("predict: a table without a column of the training") {
  const Folder folder;
  folder.write("train.csv", "a,b,c,d\n1,2,3,4\n1,1,1,1\n");
  const Json csv = {
      {"use", "csv"},
      {"with",
       {{"file", folder / "train.csv"}, {"components", {{{"columns", {"a", "b", "c", "d"}}}}}}}};
  const Json label = {{"use", "constant"},
                      {"with", {{"name", "label"}, {"value", 1}, {"dtype", "int64"}}}};
  const Json map = {{"use", "map"}, {"with", {{"transforms", {label}}, {"dataflow", csv}}}};
  const Training training(
      folder, "run",
      small_manifest({{"use", "batch"}, {"with", {{"batch_size", 2}, {"dataflow", map}}}}));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  folder.write("new.csv", "a,b,d\n1,2,3\n");
  CHECK(run_broch(folder, "predict run -o o.npy --data new.csv") == 5);
  const std::string talk = folder.read("talk");
  CAPTURE(talk);
  CHECK(talk.find("--data new.csv: found no column 'c'") != std::string::npos);
  CHECK(talk.find("/dataflow") == std::string::npos);
}

TEST_CASE("predict: pictures of the greatest and of the smallest floats") {
  const Folder folder;
  Json data = fake_data();
  data["with"]["components"][0]["shape"] = {16, 2, 2};
  Json manifest = small_manifest(data);
  manifest["model"]["with"]["inputs"][0]["shape"] = {-1, 2, 2};
  manifest["model"]["with"]["layers"] = {{{"layer", "flatten"}},
                                         {{"layer", "fully_connected"}, {"units", 3}}};
  const Training training(folder, "run", manifest);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const auto picture_of = [&](const std::string& low, const std::string& high) {
    folder.write("new.csv", "a,b,c,d\n" + low + ",0," + high + "," + high + "\n");
    const std::string flow =
        R"({"use": "map", "with": {"transforms": [{"use": "reshape", "with": {"shape": [2, 2]}}], )"
        R"("dataflow": {"use": "csv", "with": {"file": "new.csv", "components": )"
        R"([{"columns": [], "name": "x"}]}}}})";
    REQUIRE_MESSAGE(
        run_broch(folder, "predict run -o o.png --force --name x --data '" + flow + "'") == 0,
        folder.read("talk"));
    return folder.read("o-000000.png");
  };
  const std::string usual = picture_of("-1", "1");
  CHECK(picture_of("-3e38", "3e38") == usual);
  CHECK(picture_of("-1e-42", "1e-42") == usual);
}

TEST_CASE("predict: two outputs that would have one name in a .npz file") {
  const Folder folder;
  Json manifest = small_manifest(fake_data());
  const auto layer = [](const char* name) {
    return Json{{"layer", "fully_connected"}, {"units", 3}, {"name", name}};
  };
  const Json repeated = {
      {"layer", "repeat"}, {"times", 1}, {"name", "block"}, {"layers", {layer("last")}}};
  manifest["model"]["with"]["layers"] = {layer("block.0.last"), repeated};
  const Training training(folder, "run", manifest);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  folder.write("new.csv", csv_rows(5));
  const std::string words = "predict run --data new.csv --name block/0/last/output ";
  CHECK(run_broch(folder, words + "--name block.0.last/output -o o.npz") == 2);
  CHECK_MESSAGE(
      folder.read("talk").find("both of which are 'block.0.last.output'") != std::string::npos,
      folder.read("talk"));
  CHECK(!std::filesystem::exists(folder / "o.npz"));
  CHECK(run_broch(folder, words + "--name block.0.last/output -o o.safetensors") == 0);
  CHECK(run_broch(folder, words + "-o o.npz") == 0);
}
