// continued_test.cpp: what tells an interrupted prediction that its data are others now.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "predicting.hpp"

using namespace broch;
using namespace broch::test;

namespace {

namespace fs = std::filesystem;

// A folder takes the place of the file, so that the prediction ends when all rows are computed.
void interrupt(const Folder& folder, const std::string& words) {
  fs::create_directory(folder / "out.npy");
  REQUIRE_MESSAGE(run_broch(folder, words + " --force") == 5, folder.read("talk"));
  fs::remove(folder / "out.npy");
}

// Whether it goes on where the interrupted one was; what it writes is what a new one writes.
bool continues(const Folder& folder, const std::string& words) {
  REQUIRE_MESSAGE(run_broch(folder, words) == 0, folder.read("talk"));
  const bool goes_on = folder.read("talk").find("continuing after") != std::string::npos;
  const std::string found = folder.read("out.npy");
  fs::remove(folder / "out.npy");
  REQUIRE_MESSAGE(run_broch(folder, words) == 0, folder.read("talk"));
  CHECK(folder.read("out.npy") == found);
  fs::remove(folder / "out.npy");
  return goes_on;
}

}  // namespace

TEST_CASE("predict: with other values in its files it begins anew, however these are named") {
  const Folder folder;
  const Training training(folder, "run", small_manifest(fake_data()));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const std::string values = csv_rows(9);
  std::string others = values;
  std::ranges::replace(others, '7', '6');
  const std::string flow =
      R"({"use": "csv", "with": {"file": "fol/a.csv", "components": [{"columns": [], "name": "x"}]}})";
  folder.write("flow.json", flow);
  folder.write("manifest.json", R"({"broch": 1, "dataflow": )" + flow + "}");
  for (const std::string& data : {std::string("fol"), "'" + flow + "'", std::string("flow.json"),
                                  std::string("manifest.json")}) {
    CAPTURE(data);
    const std::string words = "predict run -o out.npy --data " + data;
    folder.write("fol/a.csv", values);
    interrupt(folder, words);
    CHECK(continues(folder, words));
    interrupt(folder, words);
    folder.write("fol/a.csv", others);
    CHECK(!continues(folder, words));
  }
}

TEST_CASE("predict: with another limit it begins anew, also within a batch of the data") {
  const Folder folder;
  const Training training(folder, "run", small_manifest(fake_data()));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  folder.write("new.csv", csv_rows(9));
  const std::string csv =
      R"({"use": "csv", "with": {"file": "new.csv", "components": [{"columns": [], "name": "x"}]}})";
  const std::string batches =
      R"('{"use": "batch", "with": {"batch_size": 8, "remainder": true, "dataflow": )" + csv +
      "}}'";
  for (const std::string& data : {std::string("new.csv"), batches}) {
    CAPTURE(data);
    const std::string words = "predict run -o out.npy --data " + data;
    interrupt(folder, words + " --limit 7");
    CHECK(!continues(folder, words + " --limit 3"));
    interrupt(folder, words + " --limit 3");
    CHECK(!continues(folder, words));
    interrupt(folder, words + " --limit 3");
    CHECK(continues(folder, words + " --limit 3"));
  }
}

TEST_CASE("predict: with other weights in its checkpoint it begins anew, however that is named") {
  const Folder folder;
  Json manifest = small_manifest(fake_data());
  const Training training(folder, "run", manifest);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  manifest["seed"] = 8;
  const Training other(folder, "other", manifest);
  REQUIRE_MESSAGE(other.run() == 0, other.talk());
  folder.write("new.csv", csv_rows(9));
  const fs::path file = training.log_dir() / "model-2.safetensors";
  const fs::path first = folder / "first.safetensors";
  fs::copy_file(file, first);
  for (const std::string name : {"last", "model-2", "model-2.safetensors", "run/model-2"}) {
    CAPTURE(name);
    const std::string words = "predict run -o out.npy --data new.csv --checkpoint " + name;
    fs::copy_file(first, file, fs::copy_options::overwrite_existing);
    interrupt(folder, words);
    CHECK(continues(folder, words));
    interrupt(folder, words);
    fs::copy_file(other.log_dir() / file.filename(), file, fs::copy_options::overwrite_existing);
    CHECK(!continues(folder, words));
  }
}

TEST_CASE("predict: with other weights in a file that its index names it begins anew") {
  const Folder folder;
  Json manifest = small_manifest(fake_data());
  for (const std::string name : {"run", "other"}) {
    const Training training(folder, name, manifest);
    REQUIRE_MESSAGE(training.run() == 0, training.talk());
    REQUIRE_MESSAGE(run_broch(folder, "export " + name + " --format safetensors -o " + name +
                                          ".safetensors") == 0,
                    folder.read("talk"));
    manifest["seed"] = 8;
  }
  folder.write("new.csv", csv_rows(9));
  fs::create_directory(folder / "set");
  const fs::path part = folder / "set/part.safetensors";
  folder.write("set/model.safetensors.index.json",
               R"({"weight_map": {"last/W": "part.safetensors", "last/b": "part.safetensors"}})");
  for (const std::string name : {"set", "set/model.safetensors.index.json"}) {
    CAPTURE(name);
    const std::string words = "predict run -o out.npy --data new.csv --checkpoint " + name;
    fs::copy_file(folder / "run.safetensors", part, fs::copy_options::overwrite_existing);
    interrupt(folder, words);
    CHECK(continues(folder, words));
    interrupt(folder, words);
    fs::copy_file(folder / "other.safetensors", part, fs::copy_options::overwrite_existing);
    CHECK(!continues(folder, words));
  }
}

TEST_CASE("predict: with another order of the inputs it begins anew") {
  const Folder folder;
  const auto column = [](const char* name) {
    return Json{{"name", name}, {"shape", {16}}, {"dtype", "int64"}, {"high", 3}};
  };
  Json data = fake_data();
  data["with"]["components"] = {data["with"]["components"][0], column("code"), column("label")};
  Json manifest = small_manifest(data);
  Json& inputs = manifest["model"]["with"]["inputs"];
  inputs.push_back(inputs[1]);
  inputs[1]["name"] = "code";
  const Training training(folder, "run", manifest);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  // Without names, the code is the second of all inputs, or the first one with --input.
  const std::string words =
      "predict run --name code -o out.npy --data '"
      R"({"use": "list", "with": {"dtypes": ["int64", "int64", "int64"],)"
      R"( "points": [[1, 2, 3], [4, 5, 6]]}}')";
  interrupt(folder, words);
  CHECK(continues(folder, words));
  interrupt(folder, words);
  CHECK(!continues(folder, words + " --input code"));
}

TEST_CASE("predict: an interrupted prediction of the folder it is in goes on") {
  const Folder folder;
  const Training training(folder, "run", small_manifest(fake_data()));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  folder.write("fol/a.csv", csv_rows(9));
  const std::string words = "predict run --data fol -o fol/out.npy";
  fs::create_directory(folder / "fol/out.npy");
  REQUIRE_MESSAGE(run_broch(folder, words + " --force") == 5, folder.read("talk"));
  fs::remove(folder / "fol/out.npy");
  CHECK_MESSAGE(run_broch(folder, words) == 0, folder.read("talk"));
  CHECK(folder.read("talk").find("continuing after 9 samples") != std::string::npos);
}
