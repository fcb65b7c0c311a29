// sources_test.cpp: sources of files, as a manifest reaches them.
#include <cstring>

#include "slope.hpp"
#include "store/safetensors.hpp"

using namespace broch::test;

namespace {

// A .npy file of float32 with one column.
std::string npy(const std::vector<float>& values) {
  const std::string dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                           std::to_string(values.size()) + ", 1), }\n";
  std::string bytes("\x93NUMPY\1\0", 8);
  bytes += {char(dict.size()), '\0'};
  bytes += dict;
  return bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

std::string source(const std::string& use, const std::string& with) {
  return R"({"use": ")" + use + R"(", "with": {)" + with + "}}";
}

// The option with this file of the project's folder, since the paths of overrides are relative to
// where the test runs.
std::string path(const Project& project, const std::string& option, const std::string& name) {
  return "\"" + option + "\": \"" + (project.folder() / name) + "\"";
}
std::string npy_source(const Project& project, const std::string& name) {
  return source("npy", R"("components": [{)" + path(project, "file", name) + "}]");
}

const Lines kOneToFive{"1", "2", "3", "4", "5"};

const std::string kPoints = R"({"ref": "points"})";
std::string named_points(std::string flow) { return flow.insert(1, R"("name": "points", )"); }
std::string runner(const std::string& flow, const std::string& prefix) {
  return R"({"use": "inference-runner", "with": {"dataflow": )" + flow +
         R"(, "inferencers": [{"use": "scalar-stats", "with": {"names": ["mean"], "prefix": ")" +
         prefix + R"("}}]}})";
}

}  // namespace

TEST_CASE("sources: rows, lines and files, each in its order") {
  Project project;
  const auto read = [&](const std::string& flow) { return means(project, "dataflow=" + flow, 5); };
  CHECK(read(source("list", R"("points": [[[1]], [[2]], [[3]], [[4]], [[5]]])")) == kOneToFive);

  project.folder().write("x.npy", npy({1, 2, 3, 4, 5}));
  CHECK(read(npy_source(project, "x.npy")) == kOneToFive);

  project.folder().write("x.csv", "a,b\n1,x\n2,y\n,z\n3,\"\"\n4,\n5,w\n");
  CHECK(read(source("csv", path(project, "file", "x.csv") +
                               R"(, "components": [{"columns": ["a"], "missing": "drop"}])")) ==
        kOneToFive);

  for (float value = 1; value < 6; ++value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    const std::string file = "tensors/" + std::to_string(int(value)) + ".safetensors";
    broch::store::write_safetensors(
        project.folder().write(file, ""),
        {{"a", broch::store::Dtype::f32, {0}}, {"b", broch::store::Dtype::f32, {1}, bytes}}, {});
  }
  CHECK(read(source("safetensors-folder", path(project, "folder", "tensors") +
                                              R"(, "tensors": ["b"], "named": false)")) ==
        kOneToFive);
  const std::string header = R"({"b":{"dtype":"F8_E8M0","shape":[1],"data_offsets":[0,1]}})";
  project.folder().write("tensors/z.safetensors",
                         std::string{char(header.size()), 0, 0, 0, 0, 0, 0, 0} + header + "x");
  const std::string flow =
      source("safetensors-folder",
             path(project, "folder", "tensors") + R"(, "tensors": ["b"], "named": false)");
  CHECK(train(project, {"dataflow=" + flow, "steps_per_epoch=6"}) != Exit::ok);
  CHECK_MESSAGE(has(project.failure, "tensor 'b' of a type that Broch lacks"), project.failure);
}

TEST_CASE("sources: a dataflow that two callbacks share is set up once") {
  Project project;
  project.folder().write("x.npy", npy({1, 2, 3}));
  const std::string flow = named_points(npy_source(project, "x.npy"));
  CHECK(train(project,
              {"callbacks=[" + runner(flow, "first") + ", " + runner(kPoints, "second") + "]",
               "monitors=[" + project.listener() + "]", "max_epoch=2"}) == Exit::ok);
  CHECK(project.failure == "");
  CHECK(project.trace("M.scalar first_mean ") == Lines{"2", "2"});
  CHECK(project.trace("M.scalar second_mean ") == Lines{"2", "2"});
}

TEST_CASE("sources: a stream that the training reads is refused to a callback") {
  Project project;
  const std::string flow = named_points(rows("[[1], [2], [3], [4]]"));
  for (const std::string use : {"queue", "feed"}) {
    CAPTURE(use);
    CHECK(train(project, {"data=" + around(use, flow),
                          "callbacks=[" + runner(kPoints, "own") + "]"}) == Exit::manifest);
    CHECK_MESSAGE(has(project.failure, "/callbacks/0/with/dataflow"), project.failure);
    CHECK_MESSAGE(has(project.failure, use + "/points'"), project.failure);
    CHECK_MESSAGE(has(project.failure, "which the training reads in another place"),
                  project.failure);
  }
}

TEST_CASE("sources: what is read by index has a place for each reader") {
  Project project;
  project.folder().write("x.npy", npy({1, 2, 3, 4}));
  const std::string flow = named_points(npy_source(project, "x.npy"));
  for (const std::string use : {"queue", "feed"}) {
    CAPTURE(use);
    CHECK(means(project, "data=" + around(use, flow), 3, 2, false, ", " + runner(kPoints, "own")) ==
          Lines{"1", "2", "3", "4", "1", "2"});
  }
}

TEST_CASE("sources: what is read by index has a place for each option of one reader") {
  Project project;
  project.folder().write("x.npy", npy({1, 2, 3, 4, 5, 6, 7, 8}));
  // Each round has two other points.
  const std::string flow =
      named_points(around("take", around("shuffle", npy_source(project, "x.npy"), R"(, "seed": 3)"),
                          R"(, "points": 2)"));
  const std::string both = R"({"use": "inference-runner", "with": {"datasets": [
    {"name": "a", "dataflow": )" +
                           flow + R"(}, {"name": "b", "dataflow": )" + kPoints +
                           R"(}], "inferencers": [
    {"use": "scalar-stats", "with": {"names": ["mean"], "prefix": "own"}}]}})";
  CHECK(train(project, {"callbacks=[" + both + "]", "monitors=[" + project.listener() + "]",
                        "max_epoch=4"}) == Exit::ok);
  CHECK(project.failure == "");
  const Lines a = project.trace("M.scalar a_own_mean ");
  REQUIRE(a.size() == 4);
  CHECK(std::ranges::count(a, a[0]) < 4);
  CHECK(project.trace("M.scalar b_own_mean ") == a);
}

TEST_CASE("sources: a resumed run goes on in the same order") {
  Project project, resumed;
  project.folder().write("x.npy", npy({1, 2, 3, 4, 5, 6, 7, 8}));
  const std::string flow =
      "dataflow=" + around("shuffle", npy_source(project, "x.npy"), R"(, "seed": 3)");
  const std::string saver = R"(, "model-saver")";
  const Lines whole = means(project, flow, 5, 3);
  REQUIRE(whole.size() == 15);
  CHECK(means(resumed, flow, 5, 1, false, saver) == Lines(whole.begin(), whole.begin() + 5));
  CHECK(means(resumed, flow, 5, 3, true, saver) == Lines(whole.begin() + 5, whole.end()));
}

TEST_CASE("sources: two readers continue batches of one dataflow, each in its own round") {
  Project project;
  std::string points;
  for (int i = 1; i <= 12; ++i) points += (i == 1 ? "[" : ", [") + std::to_string(i) + "]";
  const std::string shard =
      around("shard", source("list", "\"points\": [" + points + "]"), R"(, "rank": 0, "world": 1)");
  // One batch a step; the runner reads a round after each.
  const auto run = [&](int batch_size, int epochs, bool resume) {
    const std::string flow =
        named_points(around("batch", shard, ", \"batch_size\": " + std::to_string(batch_size)));
    return means(project, "data=" + around("feed", flow), 1, epochs, resume,
                 ", " + runner(kPoints, "own") + R"(, "model-saver")");
  };
  CHECK(run(2, 7, false) == Lines{"1.5", "3.5", "5.5", "7.5", "9.5", "11.5", "1.5"});
  // From the third point of the second round on.
  CHECK(run(4, 9, true) == Lines{"4.5", "8.5"});
}

TEST_CASE("sources: a resumed run warns if the data have another size") {
  Project project;
  project.folder().write("x.npy", npy({1, 2, 3, 4, 5, 6}));
  const std::string flow = "dataflow=" + npy_source(project, "x.npy");
  const std::string saver = R"(, "model-saver")";
  CHECK(means(project, flow, 4, 1, false, saver).size() == 4);
  CHECK(means(project, flow, 4, 2, true, saver).size() == 4);
  CHECK(!project.logged("when the checkpoint was saved"));
  project.folder().write("x.npy", npy({1, 2, 3, 4, 5}));
  CHECK(means(project, flow, 4, 3, true, saver).size() == 4);
  CHECK(project.logged("has 5 data points per round, and had 6 when the checkpoint was saved"));
}

TEST_CASE("sources: a table tells how many of its cells and rows were replaced or left out") {
  Project project;
  project.folder().write("x.csv", "a,b\n1,x\n,y\n3,z\n4,\n5,x\n");
  const auto read = [&](const std::string& components, int rows) {
    return means(project,
                 "dataflow=" + source("csv", path(project, "file", "x.csv") +
                                                 R"(, "components": [)" + components + "]"),
                 rows);
  };
  CHECK(read(R"({"columns": ["a"], "missing": "fill", "fill": 9})", 5) ==
        Lines{"1", "9", "3", "4", "5"});
  CHECK(project.log_lines("x.csv: ").back() == "x.csv: filled 1 cell without a value");
  CHECK(read(R"({"columns": ["a"], "missing": "drop"})", 4) == Lines{"1", "3", "4", "5"});
  CHECK(project.log_lines("x.csv: ").back() == "x.csv: dropped 1 of 5 rows");
  const std::string words = R"({"columns": ["b"], "dtype": "category", "categories": ["x"],
                                "unknown": 1, "missing": "fill", "fill": 2})";
  const std::string table =
      source("csv", path(project, "file", "x.csv") + R"(, "components": [)" + words + "]");
  const std::string cast = R"(, "transforms": [{"use": "cast", "with": {"dtype": "float32"}}])";
  CHECK(means(project, "dataflow=" + around("map", table, cast), 5) ==
        Lines{"0", "1", "1", "2", "0"});
  CHECK(project.log_lines("x.csv: ").back() ==
        "x.csv: filled 1 cell without a value; gave 2 cells with other words the number unknown");
}

TEST_CASE("sources: a folder of classes tells its labels, which an option can fix") {
  Project project;
  for (const char* name : {"train/circle/1.png", "train/square/2.png", "train/star/3.png",
                           "test/square/2.png", "test/star/3.png"})
    project.folder().write(name, "x");
  // The label takes the place of the image, so that the model's input is one number.
  const auto labels = [&](const std::string& folder, const std::string& more, int files) {
    const std::string images =
        source("image-folder", path(project, "folder", folder) + R"(, "use_index": false)" + more);
    const std::string map = around("map", images, R"(, "transforms": [
        {"use": "select", "with": {"components": [1]}},
        {"use": "cast", "with": {"dtype": "float32"}},
        {"use": "reshape", "with": {"components": [0], "shape": [1]}}])");
    return means(project, "dataflow=" + map, files);
  };
  CHECK(labels("train", "", 3) == Lines{"0", "1", "2"});
  CHECK(project.log_lines("labels of ").back().ends_with("train: 0 circle, 1 square, 2 star"));
  CHECK(labels("test", "", 2) == Lines{"0", "1"});
  CHECK(project.log_lines("labels of ").back().ends_with("test: 0 square, 1 star"));
  const std::string classes = R"(, "classes": ["circle", "square", "star"])";
  CHECK(labels("train", classes, 3) == Lines{"0", "1", "2"});
  CHECK(!project.logged("no files in"));
  CHECK(labels("test", classes, 2) == Lines{"1", "2"});
  CHECK(project.log_lines("no files in").back().ends_with("test for: circle"));
}

TEST_CASE("sources: a failure names the file and what to do") {
  Project project;
  const auto fails = [&](const std::string& flow, const std::string& words) {
    CHECK(train(project, {"dataflow=" + flow}) != Exit::ok);
    CAPTURE(project.failure);
    CHECK(project.failure.find(words) != std::string::npos);
  };
  const auto file = [&](const std::string& name) { return path(project, "file", name); };
  project.folder().write("x.npy", npy({1, 2}));
  project.folder().write("y.npy", npy({1, 2, 3}));
  project.folder().write("x.csv", "a,b\n1,x\n");
  project.folder().write("images/cat/1.jpg", "");
  fails(source("npy", R"("components": [{)" + file("x.npy") + "}, {" + file("y.npy") + "}]"),
        "y.npy: found 3 rows, expected 2 as in ");
  fails(source("csv", file("x.csv") + R"(, "components": [{"columns": ["c"]}])"),
        "found no column 'c'");
  fails(source("csv", file("x.csv") + R"(, "components": [{"dtype": "int64", "missing": "fill"}])"),
        "found null, expected a number for the cells without a value");
  fails(source("csv", file("x.csv") + R"(, "components": [{"missing": "fill", "fill": null}])"),
        "found null, expected a number for the cells without a value");
  const std::string category = R"(, "components": [{"columns": ["b"], "dtype": "category", )";
  fails(source("csv", file("x.csv") + category + R"("missing": "fill"}])"),
        "set fill, for example to the number of categories");
  fails(source("csv", file("x.csv") + category + R"("missing": "nan"}])"),
        "since only float32 and float64 have NaN");
  fails(source("csv", file("x.csv") + category + R"("unknown": 1}])"),
        "expected null unless categories is a list");
  fails(source("csv", file("x.csv") + R"(, "separator": "§", "components": [{}])"),
        "found '§', expected a character of ASCII");
  project.folder().write("gap.csv", "a,b\n1,x\n,y\n");
  const std::string gap =
      source("csv", file("gap.csv") + R"(, "components": [{"columns": ["a"], "missing": "nan"}])");
  fails(around("class-balanced", gap, R"(, "component": 0)"),
        "/dataflow, point 1, component 0: found NaN, expected a class");
  const std::string images = path(project, "folder", "images");
  fails(source("image-folder", images), "images/cat/1.jpg, image 0: found an empty file");
  fails(source("image-folder", images + R"(, "classes": ["dog"])"),
        "images/cat: found a folder that the option classes does not name, expected one of dog");
  fails(source("image-folder", images + R"(, "classes": ["cat", "cat"])"),
        "found 'cat' once more, expected each class once");
  fails(
      source("image-folder", images + R"(, "classes": ["cat"], )" + path(project, "list", "x.csv")),
      "found a list, expected null with the option list");
  project.folder().write("images/cat/1.jpg", "abc");
  fails(
      around("map", source("image-folder", images),
             R"(, "transforms": [{"use": "reshape", "with": {"components": [0], "shape": [2]}}])"),
      "\n  the data point: point 0 of dataflow ");
  CHECK(project.failure.find("images/cat/1.jpg") != std::string::npos);
  project.folder().write("images/cat/2.BMP", "BM");
  fails(source("image-folder", images),
        "images/cat/2.BMP: found an image in a format that decode-image does not know");
  fails(source("mnist", images), "run `broch data download mnist`");
  fails(source("tokens", file("x.csv") + R"(, "dtype": "uint8", "length": 8)"),
        "found 8 tokens, expected at least 9");
  fails(source("list", R"("points": [[1], [1, 2]])"),
        "found 2 components, expected 1 as in the first point");
}
