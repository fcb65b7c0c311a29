// hdf5_test.cpp: datasets that h5py wrote, and what is refused.
#include <unistd.h>

#include <thread>

#include "hdf5/dataset.hpp"
#include "hdf5/trial.hpp"
#include "support.hpp"

using support::good;
using support::values;

namespace {

std::string row(const hdf5::Dataset& dataset, uint64_t index) {
  std::string bytes(dataset.row_bytes(), '\0');
  dataset.read(index, bytes.data());
  return bytes;
}

}  // namespace

TEST_CASE("hdf5: datasets of h5py, read by several threads") {
  const auto datasets = hdf5::open_datasets(
      good("h5py.h5"), {"/images", "group/packed", "big_endian", "flags", "half"});
  CHECK(datasets[0].is_direct());
  CHECK_FALSE(datasets[1].is_direct());
  CHECK_FALSE(datasets[2].is_direct());
  CHECK(datasets[0].rows() == support::kCount);
  CHECK(datasets[0].row_shape() == std::vector<int64_t>{2, 3, 1});
  CHECK(datasets[3].type().code == BROCH_DL_BOOL);
  CHECK(datasets[4].type().bits == 16);
  const auto check = [&](uint64_t i) {
    const std::vector<uint8_t> image = support::image(int64_t(i));
    CHECK(values<uint8_t>(row(datasets[0], i)) == image);
    CHECK(values<double>(row(datasets[1], i)) == std::vector<double>(image.begin(), image.end()));
    CHECK(values<int32_t>(row(datasets[2], i)) == std::vector<int32_t>{int32_t(i) * 7});
    CHECK(row(datasets[3], i) == std::string(1, i % 2 == 0));
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (uint64_t i = 0; i < 50; ++i) check(i % support::kCount);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(values<uint16_t>(row(datasets[4], 2)) == std::vector<uint16_t>{0x3c00});
}

TEST_CASE("hdf5: what is refused") {
  const auto refused = [](const std::string& path, const std::string& pattern) {
    support::check_refused(pattern, [&] {
      hdf5::open_datasets(good("h5py.h5"), {"images", path});
    });
  };
  refused("none", "h5py.h5: dataset 'none': cannot be read as HDF5.*h5dump");
  refused("group", "dataset 'group': cannot be read");
  refused("scalar", "found no dimensions, expected rows");
  refused("unsigned", "elements without a dtype in Broch.*astype");
  refused("short", "found 4 rows, expected 5 as in 'images'");
  support::check_refused("found No such file", [] { hdf5::open_datasets("/no/file.h5", {"a"}); });
  const support::Folder folder;
  const std::string whole = support::read_file(good("h5py.h5"));
  for (const size_t size : {size_t{0}, size_t{60}, whole.size() / 2, whole.size() - 1}) {
    CAPTURE(size);
    folder.write("short.h5", whole.substr(0, size));
    CHECK(support::refusal([&] { hdf5::open_datasets(folder / "short.h5", {"images"}); }) != "");
  }
}

TEST_CASE("hdf5: what crashes or hangs does so in a child process") {
  int calls = 0;
  hdf5::try_in_child("a.h5", 60, [&] { ++calls; });
  CHECK(calls == 0);
  hdf5::try_in_child("a.h5", 60, [] { throw broch::Error(BROCH_E_DATA_LOSS, "no crash"); });
  support::check_refused("a.h5: found a structure at which libhdf5 crashes.*damaged",
                         [] { hdf5::try_in_child("a.h5", 60, [] { std::abort(); }); });
  support::check_refused("a.h5: found a structure that libhdf5 has not read after 1 s", [] {
    hdf5::try_in_child("a.h5", 1, [] {
      for (;;) pause();
    });
  });
}

TEST_CASE("hdf5: a file at which libhdf5 1.10 crashes") {
  const support::Folder folder;
  std::string bytes = support::read_file(good("h5py.h5"));
  bytes[4158] = 'g';  // in the header of flags
  folder.write("bad.h5", bytes);
  support::check_refused("bad.h5: .*(libhdf5 crashes|cannot be read as HDF5)",
                         [&] { hdf5::open_datasets(folder / "bad.h5", {"flags"}); });
}
