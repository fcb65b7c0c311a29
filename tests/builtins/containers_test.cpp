// containers_test.cpp: tar, tfrecord, lmdb, hdf5 and sound, as a manifest reaches them. The parsers
// have tests of their own.
#include <filesystem>

#include "containers/example.hpp"
#include "containers/tar_writer.hpp"
#include "containers/tfrecord.hpp"
#include "slope.hpp"
#ifdef HAS_LMDB_WRITER
#include "lmdb/writer.hpp"
#endif

using namespace broch::test;

namespace {

const Lines kZeroToFour = {"0", "1", "2", "3", "4"};

std::string flow(const std::string& use, const std::string& options) {
  return "{\"use\": \"" + use + "\", \"with\": {" + options + "}}";
}

// Batches of one point, from the start and after a checkpoint, and the number of points.
void check_five(const std::string& single) {
  Project project;
  const std::string saver = R"(, "model-saver")";
  const std::string data = "dataflow=" + around("batch", single, R"(, "batch_size": 1)");
  CHECK(means(project, data, 3, 1, false, saver) ==
        Lines(kZeroToFour.begin(), kZeroToFour.begin() + 3));
  CHECK(means(project, data, 3, 2, true, saver) == Lines{"3", "4", "0"});
  Project whole;
  CHECK(train(whole, {data, "steps_per_epoch=null"}) == Exit::ok);
  CHECK(whole.logged("Epoch 1 (global_step 5) finished"));
}

}  // namespace

TEST_CASE("tar: samples of several shards, whose indices are kept beside them") {
  const Folder folder;
  int number = 0;
  for (const char* name : {"a-00.tar", "a-01.tar"}) {
    containers::TarWriter writer(folder / name);
    for (const int end = number + (number == 0 ? 2 : 3); number < end; ++number)
      writer.add(std::to_string(number) + ".txt", std::to_string(number));
    writer.finish();
  }
  const std::string options = R"("components": ["cls;txt"], "floats": ["txt"], "files": [")";
  check_five(flow("tar", options + (folder / "a-{00..01}.tar") + "\"]"));
  CHECK(std::filesystem::exists(folder / "a-00.tar.broch-idx"));
  check_five(flow("tar", options + (folder / "*") + "\"]"));

  Project project;
  CHECK(train(project, {"dataflow=" + flow("tar", options + (folder / "none") + "\"]")}) !=
        Exit::ok);
  CHECK(project.failure.find("none: found no such file") != std::string::npos);
  CHECK(train(project, {"dataflow=" + flow("tar", options + (folder / "*") +
                                                      R"("], "names": ["x", "y"])")}) != Exit::ok);
  CHECK(project.failure.find("found 2, expected 1, one for each component") != std::string::npos);
}

TEST_CASE("tfrecord: examples, whose indices are kept in a folder") {
  const Folder folder;
  containers::TfrecordWriter writer(folder / "a.tfrecord");
  for (int i = 0; i < 5; ++i)
    writer.add(
        containers::example_of({{"value", containers::scalar_of(containers::kFloat32, float(i))}}));
  writer.finish();
  check_five(flow("tfrecord", "\"files\": [\"" + (folder / "a.tfrecord") +
                                  R"("], "components": [{"feature": "value", "shape": [],)"
                                  R"( "name": "x"}], "index_folder": ")" +
                                  (folder / "indices") + "\""));
  CHECK(std::filesystem::exists(folder / "indices"));
  CHECK_FALSE(std::filesystem::exists(folder / "a.tfrecord.broch-idx"));
}

TEST_CASE("tfrecord: bytes of a mask are bools") {
  const Folder folder;
  containers::TfrecordWriter writer(folder / "a.tfrecord");
  for (const char byte : {'\0', '\1', '\xff'})
    writer.add(containers::example_of({{"mask", containers::bytes_of({&byte, 1})}}));
  writer.finish();
  const std::string mask = flow("tfrecord", "\"files\": [\"" + (folder / "a.tfrecord") +
                                                R"("], "components": [{"feature": "mask",)"
                                                R"( "dtype": "bool", "shape": [], "name": "x"}])");
  const std::string numbers =
      around("map", mask, R"(, "transforms": [{"use": "cast", "with": {"dtype": "float32"}}])");
  Project project;
  CHECK(means(project, "dataflow=" + around("batch", numbers, R"(, "batch_size": 1)"), 3) ==
        Lines{"0", "1", "1"});
}

#ifdef HAS_LMDB_WRITER
TEST_CASE("lmdb: points in lists and in dicts") {
  const Folder folder;
  {
    lmdb::Writer list(folder / "list.lmdb"), dict(folder / "dict.lmdb");
    for (int i = 0; i < 5; ++i) {
      const auto value = containers::scalar_of(containers::kFloat32, float(i));
      list.add({{"", value}});
      dict.add({{"other", value}, {"value", value}});
    }
    list.finish();
    dict.finish();
  }
  check_five(flow("lmdb", "\"path\": \"" + (folder / "list.lmdb") + "\""));
  check_five(flow("lmdb", "\"path\": \"" + (folder / "dict.lmdb") +
                              R"(", "components": ["value"], "names": ["x"])"));
}
#endif

TEST_CASE("lmdb: the labels of a database of Caffe") {
  const std::string database =
      R"("path": ")" CONTAINERS_DIR R"(/caffe.lmdb", "format": "caffe", "names": ["image", "x"])";
  const std::string labels =
      around("map", around("select", flow("lmdb", database), R"(, "components": ["x"])"),
             R"(, "transforms": [{"use": "cast", "with": {"dtype": "float32"}}])");
  Project project;
  CHECK(means(project, "dataflow=" + around("batch", labels, R"(, "batch_size": 1)"), 3) ==
        Lines{"0", "-1", "-2"});
  CHECK(train(project, {"dataflow=" + flow("lmdb", database + R"(, "components": ["label"])")}) !=
        Exit::ok);
  CHECK(project.failure.find("expected none with the format caffe") != std::string::npos);
}

TEST_CASE("lmdb: a link that leads to itself") {
  const Folder folder;
  std::filesystem::create_symlink(folder / "loop", folder / "loop");
  Project project;
  CHECK(train(project, {"dataflow=" + flow("lmdb", "\"path\": \"" + (folder / "loop") + "\"")}) ==
        Exit::data);
  CHECK(project.failure.find("loop: found Too many levels of symbolic links, expected a file") !=
        std::string::npos);
}

#ifdef HAS_HDF5
TEST_CASE("hdf5: rows of a dataset") {
  check_five(flow("hdf5", R"("file": ")" CONTAINERS_DIR R"(/h5py.h5", "components": ["values"])"));
}
#endif

#ifdef HAS_WAV
TEST_CASE("wav, log-mel: from the bytes of a file to a spectrogram") {
  const Folder folder;
  containers::TarWriter writer(folder / "a.tar");
  for (const char* name : {"0.wav", "1.wav"}) writer.add(name, read_file(SOUNDS_DIR "/tone.wav"));
  writer.finish();
  const std::string sounds =
      flow("tar", "\"components\": [\"wav\"], \"names\": [\"x\"], \"files\": [\"" +
                      (folder / "a.tar") + "\"]");
  const auto failure = [&](const std::string& wav) {
    Project project;
    const std::string made =
        around("map", sounds,
               R"(, "transforms": [{"use": "wav", "with": {"component": "x")" + wav +
                   R"(}}, {"use": "log-mel", "with": {"mels": 20, "hop": 100}}])");
    CHECK(train(project, {"dataflow=" + around("batch", made, R"(, "batch_size": 2)")}) !=
          Exit::ok);
    return project.failure;
  };
  // The model wants numbers; its message tells the shape: batch, channels, mels, frames.
  CHECK(failure("").find("shape (2, 2, 20, 13)") != std::string::npos);
  CHECK(failure(R"(, "samples": 2000, "crop": "random")").find("shape (2, 2, 20, 21)") !=
        std::string::npos);
  CHECK(failure(R"(, "sample_rate": 8000)")
            .find("component 'x': found a sound with 16000 samples per second, expected 8000") !=
        std::string::npos);
}
#endif
