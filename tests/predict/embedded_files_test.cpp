// embedded_files_test.cpp: the files that a bundle contains for the steps before its model.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <span>

#include "predicting.hpp"
#include "store/safetensors.hpp"

using namespace broch;
using namespace broch::test;

namespace {

namespace fs = std::filesystem;

Json batches(const Json& dataflow) {
  return {{"use", "batch"}, {"with", {{"batch_size", 2}, {"dataflow", dataflow}}}};
}

// Four words a line, which the model gets as numbers.
Json lines_of_words(const Folder& folder) {
  const Json lines = {
      {"use", "text-lines"},
      {"with",
       {{"file", folder / "train.txt"}, {"vocabulary", folder / "words.txt"}, {"name", "x"}}}};
  const Json label = {{"use", "constant"},
                      {"with", {{"name", "label"}, {"value", 1}, {"dtype", "int64"}}}};
  const Json cast = {{"use", "cast"}, {"with", {{"dtype", "float32"}, {"components", {"x"}}}}};
  return {{"use", "map"}, {"with", {{"transforms", {cast, label}}, {"dataflow", lines}}}};
}

// A run in a folder whose temporary files are in folder/tmp.
class WordsRun {
 public:
  WordsRun() {
    fs::create_directory(folder / "tmp");
    ::setenv("TMPDIR", (folder / "tmp").c_str(), 1);
    folder.write("words.txt", "a\nb\nc\n");
    folder.write("train.txt", "a b c a\nc b a a\n");
    folder.write("new.txt", "c a b b\na a a c\nb c a b\n");
    const Training training(folder, "run", small_manifest(batches(lines_of_words(folder))));
    REQUIRE_MESSAGE(training.run() == 0, training.talk());
  }
  ~WordsRun() { ::unsetenv("TMPDIR"); }

  void broch(const std::string& words) const {
    REQUIRE_MESSAGE(run_broch(folder, words) == 0, folder.read("talk"));
  }
  void check(const std::string& words, int exit, const std::string& part) const {
    CHECK_MESSAGE(run_broch(folder, words) == exit, folder.read("talk"));
    CHECK_MESSAGE(folder.read("talk").find(part) != std::string::npos, folder.read("talk"));
    check_is_clean();
  }
  void check_is_clean() const { CHECK(fs::is_empty(folder / "tmp")); }

  const Folder folder;
};

// What a hostile program could write.
void write_other(const Folder& folder, const std::string& name,
                 const std::vector<store::TensorView>& more, const std::string& dropped = "") {
  const auto file = store::SafetensorsFile::read(folder / "small.bundle");
  std::vector<store::TensorView> tensors = file.tensors();
  std::erase_if(tensors, [&](const store::TensorView& one) { return one.name == dropped; });
  tensors.insert(tensors.end(), more.begin(), more.end());
  store::write_safetensors(folder / name, std::move(tensors), file.metadata());
}

}  // namespace

TEST_CASE("predict: a bundle contains the vocabulary with which it reads texts") {
  const WordsRun run;
  run.broch("predict run -o of_run.csv --data new.txt");
  run.broch("export run -o small.bundle");
  CHECK(run.folder.read("talk").find("cannot contain") == std::string::npos);
  fs::remove(run.folder / "words.txt");
  run.broch("predict small.bundle -o of_bundle.csv --data new.txt");
  CHECK(run.folder.read("of_bundle.csv") == run.folder.read("of_run.csv"));
  run.check_is_clean();
  run.folder.write("odd.txt", "a b c a\nb a dog c\n");
  run.check("predict small.bundle -o odd.csv --data odd.txt", 5, "'dog'");
  // A folder takes the place of the file, so that it is interrupted when all rows are there.
  fs::create_directory(run.folder / "out.npy");
  run.check("predict small.bundle -o out.npy --force --data new.txt", 5, "out.npy");
  fs::remove(run.folder / "out.npy");
  run.broch("predict small.bundle -o out.npy --data new.txt");
  CHECK(run.folder.read("talk").find("continuing after 3 samples") != std::string::npos);
}

TEST_CASE("predict: equal files are in a bundle once, and others of the same name beside them") {
  const Folder folder;
  fs::create_directory(folder / "plugins");
  fs::copy_file(FILES_OF, folder / "plugins/files_of.so");
  folder.write("one/list.txt", "1234567");
  folder.write("two/list.txt", "123");
  folder.write("three/copy.txt", "1234567");
  folder.write("train.csv", "a,b,c,d,kind\n1,2,3,4,1\n1,1,1,1,0\n");
  const Json csv = {{"use", "csv"},
                    {"with",
                     {{"file", folder / "train.csv"},
                      {"components",
                       {{{"columns", {"a", "b", "c", "d"}}},
                        {{"columns", {"kind"}}, {"dtype", "int64"}, {"scalar", true}}}}}}};
  const Json sizes = {{"use", "broch.transform.test-files"},
                      {"with",
                       {{"file", folder / "one/list.txt"},
                        {"others", {folder / "two/list.txt", folder / "three/copy.txt"}}}}};
  Json manifest = small_manifest(
      batches({{"use", "map"}, {"with", {{"transforms", {sizes}}, {"dataflow", csv}}}}));
  manifest["plugins"] = {folder / "plugins/files_of.so"};
  const Training training(folder, "run", manifest);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  folder.write("new.csv", csv_rows(5));
  const auto predict = [&](const std::string& words) {
    REQUIRE_MESSAGE(run_broch(folder, "predict " + words + " --data new.csv") == 0,
                    folder.read("talk"));
  };
  predict("run --name x --name output -o of_run.csv");
  REQUIRE_MESSAGE(run_broch(folder, "export run --name x --name output -o m.bundle") == 0,
                  folder.read("talk"));
  const auto file = store::SafetensorsFile::read(folder / "m.bundle");
  const auto bytes = [&](const char* name) {
    const store::TensorView* const tensor = file.find(name);
    return tensor ? int64_t(tensor->bytes.size()) : -1;
  };
  CHECK(bytes("broch.file/list.txt") == 7);
  CHECK(bytes("broch.file/2-list.txt") == 3);
  CHECK(bytes("broch.file/copy.txt") == -1);
  for (const char* one : {"one", "two", "three"}) fs::remove_all(folder / one);
  predict("m.bundle --plugin-path plugins -o of_bundle.csv");
  CHECK(folder.read("of_bundle.csv") == folder.read("of_run.csv"));
}

TEST_CASE("predict: files that a bundle cannot contain are named, and it reads no plain files") {
  const WordsRun run;
  // No words, but all that matters is their number; the file is sparse.
  run.folder.write("words.txt", "a\n");
  fs::resize_file(run.folder / "words.txt", (64 << 20) + 1);
  run.check("export run -o large.bundle", 0,
            "needs the file vocabulary " + run.folder / "words.txt" +
                " of 67108865 bytes, where 67108864 are the most for all files together");
  run.check("predict large.bundle -o o.csv --data new.txt", 2,
            "a bundle that lacks broch.dataflow.text-lines");
  run.folder.write("new.csv", csv_rows(3));
  run.broch(
      "predict large.bundle -o o.csv --data "
      R"('{"use": "csv", "with": {"file": "new.csv", "components": [{"columns": []}]}}')");
}

TEST_CASE("predict: a bundle with files of other names, or without one, is refused") {
  const WordsRun run;
  run.broch("export run -o small.bundle");
  const std::string bytes = "a\nb\n";
  const auto tensor = [&](const std::string& name) {
    return store::TensorView{
        name, store::Dtype::u8, {int64_t(bytes.size())}, std::as_bytes(std::span(bytes))};
  };
  const std::string data = " -o o.csv --data new.txt";
  for (const std::string name : {"../words.txt", "/etc/words", "a/b", "..", "."}) {
    CAPTURE(name);
    write_other(run.folder, "odd.bundle", {tensor("broch.file/" + name)});
    run.check("predict odd.bundle" + data, 5, "one without folders");
  }
  write_other(run.folder, "odd.bundle", {}, "broch.file/words.txt");
  run.check("predict odd.bundle" + data, 5,
            "'bundle:words.txt', expected a file that is in the bundle");
  // Checksums cover files, too.
  std::string whole = run.folder.read("small.bundle");
  const size_t words = whole.rfind("a\nb\nc\n");
  REQUIRE(words != std::string::npos);
  whole[words] = 'd';
  run.folder.write("odd.bundle", whole);
  run.check("predict odd.bundle" + data, 5, "copy it again, or write it again");
}
