// reference_test.cpp: archives and record files that we wrote, read by WebDataset and TensorFlow.
#include "containers/decode.hpp"
#include "containers/example.hpp"
#include "containers/tar_writer.hpp"
#include "containers/tfrecord.hpp"
#include "support.hpp"

using namespace containers;

namespace {

const Component kArray = values_of<float>(kFloat32, {0.5, 1, 2, 3}, {2, 2});

}  // namespace

TEST_CASE("reference: WebDataset reads what we write") {
  const support::Folder folder;
  TarWriter writer(folder / "a.tar");
  for (int i = 0; i < 2; ++i) {
    const std::string key = std::string(i == 0 ? 3 : 150, 'k') + std::to_string(i);
    writer.add(key + ".cls", std::to_string(i));
    writer.add(key + ".npy", npy_of(kArray));
  }
  writer.finish();
  const auto text = support::reference("tar", folder / "a.tar");
  if (text)
    CHECK(*text ==
          "cls int64[] 0; npy float32[2, 2] 0.5 1.0 2.0 3.0\n"
          "cls int64[] 1; npy float32[2, 2] 0.5 1.0 2.0 3.0\n");
}

TEST_CASE("reference: TensorFlow reads what we write") {
  const support::Folder folder;
  TfrecordWriter writer(folder / "a.tfrecord");
  for (int64_t i = 0; i < 2; ++i)
    writer.add(
        example_of({{"label", scalar_of(kInt64, -i)}, {"box", kArray}, {"text", bytes_of("abc")}}));
  writer.finish();
  const auto text = support::reference("tfrecord", folder / "a.tfrecord");
  if (text)
    CHECK(*text ==
          "box float32[4] 0.5 1.0 2.0 3.0; label int64[1] 0; text |S3[1] b'abc'\n"
          "box float32[4] 0.5 1.0 2.0 3.0; label int64[1] -1; text |S3[1] b'abc'\n");
}
