// plain_files_test.cpp: files without a dataflow, read as the manifest reads its own.
#include <doctest/doctest.h>

#include "archive/inflate.hpp"
#include "archive/npy_header.hpp"
#include "archive/zip_writer.hpp"
#include "predicting.hpp"
#include "store/png.hpp"

using namespace broch;
using namespace broch::test;

namespace {

Json batches(const Json& dataflow, int64_t size) {
  return {{"use", "batch"}, {"with", {{"batch_size", size}, {"dataflow", dataflow}}}};
}

std::string picture(int number) {
  std::vector<uint8_t> pixels;
  for (int i = 0; i < 4 * 4 * 3; ++i) pixels.push_back(uint8_t(i * number * 5));
  return store::encode_png(pixels, 4, 4, 3);
}

// A member of a .npz file.
struct Array {
  std::string name, bytes;
};

template <class T>
Array array(const std::string& name, const std::string& descr, std::vector<int64_t> shape,
            const std::vector<T>& values) {
  return {name,
          archive::npy_header(descr, shape)
              .append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T))};
}

std::string npz(const std::vector<Array>& arrays) {
  std::string bytes;
  archive::ZipWriter zip([&](std::string_view more) { bytes += more; });
  for (const Array& one : arrays) {
    zip.begin(one.name + ".npy", one.bytes.size(), archive::crc32_of(one.bytes));
    zip.append(one.bytes);
  }
  zip.finish();
  return bytes;
}

// A bundle alone, in another folder than the manifest, reads the same files in the same way.
void check_bundle(const Folder& folder, const std::string& data) {
  REQUIRE_MESSAGE(run_broch(folder, "predict run -o of_run.csv --data " + data) == 0,
                  folder.read("talk"));
  REQUIRE_MESSAGE(run_broch(folder, "export run -o small.bundle") == 0, folder.read("talk"));
  const std::string exported = folder.read("talk");
  REQUIRE_MESSAGE(run_broch(folder, "predict small.bundle -o of_bundle.csv --data " + data) == 0,
                  folder.read("talk"));
  CHECK(folder.read("of_bundle.csv") == folder.read("of_run.csv"));
  folder.write("talk", exported);
}

}  // namespace

TEST_CASE("predict: a table without labels is read as that of the training") {
  const Folder folder;
  std::string labelled = "a,b,c,d,kind\n";
  for (int i = 0; i < 16; ++i) labelled += "1,2,3," + std::to_string(i) + ",dog\n1,1,1,1,cat\n";
  folder.write("train.csv", labelled);
  const Json csv = {{"use", "csv"},
                    {"with",
                     {{"file", folder / "train.csv"},
                      {"components",
                       {{{"columns", {"a", "b", "c", "d"}}},
                        {{"columns", {"kind"}}, {"dtype", "category"}, {"scalar", true}}}}}}};
  const Json shuffled = {{"use", "shuffle"}, {"with", {{"dataflow", csv}}}};
  const Training training(folder, "run", small_manifest(batches(shuffled, 8)));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  // The columns have another order, and one more.
  std::string text = "id,d,c,b,a\n";
  for (size_t row = 0; row < 9; ++row) {
    text += "7";
    for (size_t k = 4; k-- > 0;) text += "," + std::to_string(datum(row * 4 + k));
    text += "\n";
  }
  folder.write("new.csv", text);
  REQUIRE_MESSAGE(run_broch(folder, "predict run -o out.jsonl --data new.csv") == 0,
                  folder.read("talk"));
  const std::vector<double> expected = by_hand(9, training.checkpoint(2));
  std::istringstream lines(folder.read("out.jsonl"));
  size_t i = 0;
  for (std::string line; std::getline(lines, line);)
    for (const double one : Json::parse(line).at("output").get<std::vector<double>>())
      CHECK(one == doctest::Approx(expected.at(i++)).epsilon(1e-5));
  CHECK(i == expected.size());
  check_bundle(folder, "new.csv");
}

namespace {

// x, and a label that is 1 or 2, in this order or the other.
Json labelled_table(const Folder& folder, bool label_first) {
  std::string labelled = "a,b,c,d,kind\n";
  for (int i = 0; i < 16; ++i) labelled += "1,2,3," + std::to_string(i) + ",1\n1,1,1,1,2\n";
  folder.write("train.csv", labelled);
  folder.write("new.csv", csv_rows(9));
  const Json x = Json::parse(R"({"name": "x", "columns": ["a", "b", "c", "d"]})");
  const Json label =
      Json::parse(R"({"name": "label", "columns": ["kind"], "scalar": true, "dtype": "int64"})");
  Json components = {x, label};
  if (label_first) components = {label, x};
  return {{"use", "csv"}, {"with", {{"file", folder / "train.csv"}, {"components", components}}}};
}

Json mapped(const std::string& transforms, const Json& dataflow) {
  return {{"use", "map"},
          {"with", {{"transforms", Json::parse(transforms)}, {"dataflow", dataflow}}}};
}

const char* const kDoubled = R"([
  {"use": "cast", "with": {"components": ["x"], "dtype": "float64", "scale": 2}},
  {"use": "cast", "with": {"components": ["x"], "dtype": "float32"}}])";

// new.csv gives what it gives with kDoubled alone.
void check_doubled(const Folder& folder, const Json& dataflow) {
  const Training training(folder, "run", small_manifest(batches(dataflow, 8)));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const std::string flow =
      mapped(kDoubled, Json::parse(R"({"use": "csv", "with": {"file": "new.csv", "components": [
                                       {"name": "x", "columns": ["a", "b", "c", "d"]}]}})"))
          .dump();
  REQUIRE_MESSAGE(run_broch(folder, "predict run -o flow.csv --data '" + flow + "'") == 0,
                  folder.read("talk"));
  REQUIRE(cli_harness::count(folder.read("flow.csv"), "\n") == 10);
  check_bundle(folder, "new.csv");
  CHECK(folder.read("of_run.csv") == folder.read("flow.csv"));
}

}  // namespace

TEST_CASE("predict: what transforms do to a label alone is left out, by names") {
  const Folder folder;
  const std::string transforms = R"([
    {"use": "filter", "with": {"component": "label", "minimum": 1, "maximum": 1}},
    {"use": "cast", "with": {"components": ["label"], "dtype": "int64", "offset": -1}},
    {"use": "cast", "with": {"components": ["label", "x"], "dtype": "float64", "scale": 2}},
    {"use": "select", "with": {"components": [{"component": "label", "as": "kind"}, "x"]}},
    {"use": "cast", "with": {"components": ["kind"], "dtype": "int64"}},
    {"use": "select", "with": {"components": ["x", {"component": "kind", "as": "label"}]}},
    {"use": "cast", "with": {"components": ["x"], "dtype": "float32"}}])";
  check_doubled(folder, mapped(transforms, labelled_table(folder, false)));
}

TEST_CASE("predict: what transforms do to a label alone is left out, by numbers") {
  const Folder folder;
  const std::string transforms = R"([
    {"use": "cast", "with": {"components": [0], "dtype": "int64"}},
    {"use": "cast", "with": {"components": [1], "dtype": "float64", "scale": 2}},
    {"use": "cast", "with": {"components": [0, 1], "dtype": "float32"}},
    {"use": "select", "with": {"components": [1, 0]}},
    {"use": "cast", "with": {"components": [1], "dtype": "int64"}}])";
  check_doubled(folder, mapped(transforms, labelled_table(folder, true)));
}

TEST_CASE("predict: a dataflow that selects components, and a label that is not there") {
  const Folder folder;
  const Json selected = {{"use", "select"},
                         {"with",
                          {{"dataflow", labelled_table(folder, true)},
                           {"components", Json::parse(R"(["x", "label"])")}}}};
  check_doubled(folder, mapped(kDoubled, selected));
}

TEST_CASE("predict: a transform of all components together fails without the label, and is named") {
  const Folder folder;
  const Json map = mapped(R"([{"use": "rename", "with": {"names": ["x", "label"]}}])",
                          labelled_table(folder, false));
  const Training training(folder, "run", small_manifest(batches(map, 8)));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  CHECK(run_broch(folder, "predict run -o o.csv --data new.csv") == 5);
  const std::string talk = folder.read("talk");
  CHECK_MESSAGE(talk.find("--data new.csv: transform 'map/transforms/0'") != talk.npos, talk);
  CHECK_MESSAGE(talk.find("--data:") == talk.npos, talk);
}

TEST_CASE("predict: images get the transforms of the test data, and the file is in the table") {
  const Folder folder;
  for (int i = 0; i < 6; ++i)
    folder.write("train/" + std::to_string(i % 2) + "/" + std::to_string(i) + ".png", picture(i));
  const Json source = {{"use", "image-folder"},
                       {"with", {{"folder", folder / "train"}, {"names", {"x", "label"}}}}};
  const Json normalize = {
      {"use", "crop-flip-normalize"},
      {"with", {{"flip", 0}, {"mean", {128, 128, 128}}, {"std", {64, 64, 64}}}}};
  const Json map = {{"use", "map"},
                    {"with", {{"transforms", {"decode-image", normalize}}, {"dataflow", source}}}};
  Json manifest = small_manifest(batches(map, 2));
  manifest["model"]["with"]["inputs"][0] = {{"name", "x"}, {"shape", {-1, 3, 4, 4}}};
  manifest["model"]["with"]["layers"] = {{{"layer", "flatten"}},
                                         {{"layer", "fully_connected"}, {"units", 2}}};
  const Training training(folder, "run", manifest);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const std::string flow = map.dump();
  REQUIRE_MESSAGE(run_broch(folder, "predict run -o flow.csv --data '" + flow + "'") == 0,
                  folder.read("talk"));
  // A name with a blank, in a folder; in the order of the names.
  for (int i = 0; i < 6; ++i)
    folder.write("new/a " + std::to_string(i % 2 * 3 + i / 2) + ".png", picture(i));
  REQUIRE_MESSAGE(run_broch(folder, "predict run -o out.csv --data new") == 0, folder.read("talk"));
  std::istringstream lines(folder.read("out.csv")), wanted(folder.read("flow.csv"));
  std::string line, expected;
  for (int i = 0; std::getline(lines, line) && std::getline(wanted, expected); ++i)
    CHECK(line == (i == 0 ? "file" : folder / ("new/a " + std::to_string(i - 1) + ".png")) + "," +
                      expected);
  CHECK(!std::getline(wanted, expected));
  check_bundle(folder, "new");
  CHECK(folder.read("talk").find("preprocessing: broch.transform.decode-image, "
                                 "broch.transform.crop-flip-normalize") != std::string::npos);
  // The other way round, as pictures.
  REQUIRE_MESSAGE(run_broch(folder, "predict run -o out.png --name x --data new") == 0,
                  folder.read("talk"));
  CHECK(std::filesystem::exists(folder / "out-000005.png"));
  CHECK(run_broch(folder, "predict run -o o.csv --data new run.json") == 2);
  // A sound, which no transform of the run decodes.
  folder.write("0.wav", sound(0));
  CHECK(run_broch(folder, "predict run -o o.csv --data 0.wav") == 2);
  CHECK(folder.read("talk").find(".jpg, .jpeg, .webp") != std::string::npos);
  CHECK(folder.read("talk").find(".flac") == std::string::npos);
}

#ifdef HAS_WAV  // else libsndfile is missing
TEST_CASE("predict: sounds get the transforms of the manifest, and the file is in the table") {
  const Folder folder;
  for (int i = 0; i < 6; ++i) {
    folder.write("train/" + std::to_string(i % 2) + "/" + std::to_string(i) + ".wav", sound(i));
    folder.write("new/0/" + std::to_string(i) + ".wav", sound(i));
  }
  const Training training(folder, "run", sound_manifest(batches(sound_flow(folder / "train"), 2)));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  REQUIRE_MESSAGE(run_broch(folder, "predict run -o flow.csv --data '" +
                                        sound_flow(folder / "new").dump() + "'") == 0,
                  folder.read("talk"));
  REQUIRE_MESSAGE(run_broch(folder, "predict run -o out.csv --data new") == 0, folder.read("talk"));
  std::istringstream lines(folder.read("out.csv")), wanted(folder.read("flow.csv"));
  std::string line, expected;
  for (int i = 0; std::getline(wanted, expected); ++i) {
    REQUIRE(std::getline(lines, line));
    const std::string file = folder / ("new/0/" + std::to_string(i - 1) + ".wav");
    CHECK(line == (i == 0 ? "file" : file) + "," + expected);
  }
  CHECK(!std::getline(lines, line));
  check_bundle(folder, "new");
  REQUIRE_MESSAGE(run_broch(folder,
                            "predict small.bundle -o two.csv --data new/0/3.wav "
                            "new/0/1.wav") == 0,
                  folder.read("talk"));
  CHECK(cli_harness::count(folder.read("two.csv"), "\n") == 3);
  folder.write("text.wav", "no sound");
  CHECK(run_broch(folder, "predict run -o o.csv --data text.wav") == 5);
}
#endif

TEST_CASE("predict: each image has the row beside its name, or the command ends") {
  const Folder folder;
  for (int i = 0; i < 4; ++i) {
    folder.write("train/" + std::to_string(i % 2) + "/" + std::to_string(i) + ".png", picture(i));
    folder.write("new/" + std::to_string(i) + ".png", picture(i));
  }
  folder.write("damaged/0.png", picture(0).substr(0, 40));
  folder.write("damaged/1.png", picture(1));
  const Json source = {{"use", "image-folder"},
                       {"with", {{"folder", folder / "train"}, {"names", {"x", "label"}}}}};
  const auto train = [&](const std::string& name, const Json& transforms) {
    const Json map = {
        {"use", "map"},
        {"with", {{"transforms", transforms}, {"on_error", "skip"}, {"dataflow", source}}}};
    Json manifest = small_manifest(batches(map, 2));
    manifest["model"]["with"]["inputs"][0] = {{"name", "x"}, {"shape", {-1, 3, 4, 4}}};
    manifest["model"]["with"]["layers"] = {{{"layer", "flatten"}},
                                           {{"layer", "fully_connected"}, {"units", 2}}};
    const Training training(folder, name, manifest);
    REQUIRE_MESSAGE(training.run() == 0, training.talk());
  };
  const Json normalize = {
      {"use", "crop-flip-normalize"},
      {"with", {{"flip", 0}, {"mean", {128, 128, 128}}, {"std", {64, 64, 64}}}}};
  const auto check = [&](const std::string& words, const std::string& part) {
    CHECK_MESSAGE(run_broch(folder, "predict -o o.csv " + words) == 5, folder.read("talk"));
    CHECK_MESSAGE(folder.read("talk").find(part) != std::string::npos, folder.read("talk"));
    CHECK(!std::filesystem::exists(folder / "o.csv"));
  };
  train("skips", {"decode-image", normalize});
  check("skips --data damaged", "0.png");
  const Json filter = {{"use", "filter"}, {"with", {{"component", "label"}, {"maximum", 1}}}};
  train("filters", {filter, "decode-image", normalize});
  check("filters --data new", "one sample for each file");
  check("filters --data new --limit 1", "one sample for each file");
}

TEST_CASE("predict: arrays of NumPy") {
  const Folder folder;
  const Training training(folder, "run", small_manifest(fake_data()));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  folder.write("new.csv", csv_rows(9));
  REQUIRE(run_broch(folder, "predict run -o out.csv --data new.csv") == 0);
  REQUIRE(run_broch(folder, "predict run -o in.npy --name x --data new.csv") == 0);
  REQUIRE(run_broch(folder, "predict run -o in.npz --name x --data new.csv") == 0);
  CHECK_MESSAGE(run_broch(folder, "predict run -o npy.csv --data in.npy") == 0,
                folder.read("talk"));
  CHECK_MESSAGE(run_broch(folder, "predict run -o npz.csv --data in.npz") == 0,
                folder.read("talk"));
  CHECK(folder.read("npy.csv") == folder.read("out.csv"));
  CHECK(folder.read("npz.csv") == folder.read("out.csv"));
  CHECK_MESSAGE(run_broch(folder, "predict run -o two.csv --data in.npy in.npy") == 0,
                folder.read("talk"));
  CHECK(cli_harness::count(folder.read("two.csv"), "\n") == 19);
}

TEST_CASE("predict: arrays have the names of the training data") {
  const Folder folder;
  std::vector<float> numbers;
  for (size_t i = 0; i < 9 * 4; ++i) numbers.push_back(float(datum(i)));
  const std::vector<int64_t> kinds{0, 1, 2, 0, 1, 2, 0, 1, 2};
  const Array features = array("in/x", "<f4", {9, 4}, numbers);
  folder.write("train.npz", npz({features, array("kinds", "<i8", {9}, kinds)}));
  const Json components = {{{"file", folder / "train.npz"}, {"array", "in/x"}, {"name", "x"}},
                           {{"file", folder / "train.npz"}, {"array", "kinds"}, {"name", "label"}}};
  const Json source = {{"use", "npy"}, {"with", {{"components", components}}}};
  // It finds its component by the name.
  const Json cast = {{"use", "cast"}, {"with", {{"dtype", "float32"}, {"components", {"x"}}}}};
  const Json map = {{"use", "map"},
                    {"with", {{"transforms", Json::array({cast})}, {"dataflow", source}}}};
  const Training training(folder, "run", small_manifest(batches(map, 4)));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  folder.write("new.csv", csv_rows(9));
  REQUIRE_MESSAGE(run_broch(folder,
                            "predict run -o out.csv --data '{\"use\": \"csv\", \"with\": "
                            "{\"file\": \"new.csv\", \"components\": [{\"name\": \"x\"}]}}'") == 0,
                  folder.read("talk"));
  const Array ids = array("ids", "<i8", {9}, kinds);
  folder.write("new.npz", npz({ids, features}));
  folder.write("inputs.npz", npz({ids, {"x", features.bytes}}));
  folder.write("one.npz", npz({{"arr_0", features.bytes}}));
  folder.write("one.npy", features.bytes);
  for (const std::string file : {"new.npz", "train.npz", "one.npz", "one.npy"}) {
    CAPTURE(file);
    check_bundle(folder, file);
    CHECK(folder.read("of_run.csv") == folder.read("out.csv"));
    for (const char* used : {"of_run.csv", "of_bundle.csv", "small.bundle"})
      std::filesystem::remove(folder / used);
  }
  // As without the names of the training.
  CHECK_MESSAGE(run_broch(folder, "predict run -o inputs.csv --data inputs.npz") == 0,
                folder.read("talk"));
  CHECK(folder.read("inputs.csv") == folder.read("out.csv"));
  folder.write("other.npz", npz({ids, {"y", features.bytes}}));
  CHECK(run_broch(folder, "predict run -o other.csv --data other.npz") == 5);
  CHECK_MESSAGE(folder.read("talk").find("the input 'x', or as in the manifest: in/x, kinds") !=
                    std::string::npos,
                folder.read("talk"));
}
