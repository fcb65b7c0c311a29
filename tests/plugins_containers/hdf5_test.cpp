// hdf5_test.cpp: datasets that h5py wrote, and what is refused.
#include <hdf5.h>
#include <sys/stat.h>

#include <broch/cpp/cancel_source.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "hdf5/dataset.hpp"
#include "support.hpp"

using support::good;
using support::values;

namespace {

const broch::CancelSource never_cancelled;
const broch::Cancel never(never_cancelled.c());

hdf5::Datasets open_datasets(const std::string& file, const std::vector<std::string>& paths) {
  return {{READER, file, paths}, never};
}

std::string row(hdf5::Datasets& datasets, size_t dataset, uint64_t index) {
  std::string bytes(datasets[dataset].row_bytes, '\0');
  datasets.read(dataset, index, bytes.data(), never);
  return bytes;
}

// Writes the virtual dataset "whole" of 0, 1, 2 and 3 to all.h5. Its halves are the datasets "part"
// in a.h5 and b.h5.
void write_virtual(const support::Folder& folder) {
  const hsize_t size = 4, half = 2;
  const hid_t whole = H5Screate_simple(1, &size, nullptr);
  const hid_t part = H5Screate_simple(1, &half, nullptr);
  const hid_t parts = H5Pcreate(H5P_DATASET_CREATE);
  const auto add = [&](const std::string& file, const char* name, hid_t space, hid_t creation,
                       const int32_t* elements) {
    const hid_t made = H5Fcreate((folder / file).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t dataset =
        H5Dcreate2(made, name, H5T_STD_I32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    REQUIRE(dataset >= 0);
    if (elements)
      REQUIRE(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements) >= 0);
    H5Dclose(dataset);
    H5Fclose(made);
  };
  const int32_t elements[] = {0, 1, 2, 3};
  for (const hsize_t start : {hsize_t{0}, half}) {
    const std::string file = start == 0 ? "a.h5" : "b.h5";
    add(file, "part", part, H5P_DEFAULT, elements + start);
    H5Sselect_hyperslab(whole, H5S_SELECT_SET, &start, nullptr, &half, nullptr);
    REQUIRE(H5Pset_virtual(parts, whole, file.c_str(), "part", part) >= 0);
  }
  H5Sselect_all(whole);
  add("all.h5", "whole", whole, parts, nullptr);
  H5Pclose(parts);
  H5Sclose(part);
  H5Sclose(whole);
}

// A new file with this dataset, which the caller closes.
hid_t write_dataset(const std::string& file, const char* name, const std::vector<hsize_t>& shape,
                    hid_t type, const std::vector<int32_t>& elements) {
  const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_userblock(creation, 512);  // bytes of another program before those of HDF5
  const hid_t made = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT);
  H5Pclose(creation);
  const hid_t space = H5Screate_simple(int(shape.size()), shape.data(), nullptr);
  const hid_t dataset = H5Dcreate2(made, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  REQUIRE(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements.data()) >= 0);
  H5Sclose(space);
  H5Dclose(dataset);
  return made;
}

}  // namespace

TEST_CASE("hdf5: datasets of h5py, read by several threads") {
  auto datasets = open_datasets(
      good("h5py.h5"), {"/images", "group/packed", "big_endian", "flags", "half", "unsigned"});
  CHECK(datasets[0].offset);
  CHECK_FALSE(datasets[1].offset);
  CHECK_FALSE(datasets[2].offset);
  CHECK(datasets.rows() == support::kCount);
  CHECK(datasets[0].row_shape == std::vector<int64_t>{2, 3, 1});
  CHECK(datasets[3].type.code == BROCH_DL_BOOL);
  CHECK(datasets[4].type.bits == 16);
  CHECK((datasets[5].type.code == BROCH_DL_INT && datasets[5].type.bits == 32));
  const auto check = [&](uint64_t i) {
    const std::vector<uint8_t> image = support::image(int64_t(i));
    CHECK(values<uint8_t>(row(datasets, 0, i)) == image);
    CHECK(values<double>(row(datasets, 1, i)) == std::vector<double>(image.begin(), image.end()));
    CHECK(values<int32_t>(row(datasets, 2, i)) == std::vector<int32_t>{int32_t(i) * 7});
    CHECK(row(datasets, 3, i) == std::string(1, i % 2 == 0));
    CHECK(values<int32_t>(row(datasets, 5, i)) == std::vector<int32_t>{int32_t(i)});
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (uint64_t i = 0; i < 50; ++i) check(i % support::kCount);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(values<uint16_t>(row(datasets, 4, 2)) == std::vector<uint16_t>{0x3c00});
}

TEST_CASE("hdf5: a dataset behind an external link, in another file than its neighbor") {
  const support::Folder folder;
  const std::string main = folder / "main.h5", labels = folder / "labels.h5";
  const std::vector<int32_t> images(4000, 7), numbers{1, 2, 3, 4};
  H5Fclose(write_dataset(labels, "label", {4}, H5T_STD_U32LE, numbers));
  H5Fclose(write_dataset(folder / "plain.h5", "label", {4}, H5T_STD_I32LE, numbers));
  const hid_t file = write_dataset(main, "image", {4, 1000}, H5T_STD_I32LE, images);
  for (const char* other : {"labels.h5", "plain.h5"})
    REQUIRE(H5Lcreate_external(other, "/label", file, other, H5P_DEFAULT, H5P_DEFAULT) >= 0);
  const hsize_t count = 4;
  const hid_t space = H5Screate_simple(1, &count, nullptr);
  H5Dclose(H5Dcreate2(file, "never_written", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT,
                      H5P_DEFAULT));
  H5Sclose(space);
  H5Fclose(file);
  auto datasets = open_datasets(main, {"image", "plain.h5", "labels.h5", "never_written"});
  CHECK(datasets[0].offset);
  for (size_t i = 1; i < 4; ++i) CHECK_FALSE(datasets[i].offset);
  for (size_t i = 0; i < 4; ++i) {
    CHECK(values<int32_t>(row(datasets, 0, i)) == std::vector<int32_t>(1000, 7));
    CHECK(values<int32_t>(row(datasets, 1, i)) == std::vector<int32_t>{int32_t(i) + 1});
    CHECK(values<int64_t>(row(datasets, 2, i)) == std::vector<int64_t>{int64_t(i) + 1});
    CHECK(values<int32_t>(row(datasets, 3, i)) == std::vector<int32_t>{0});
  }
}

TEST_CASE("hdf5: what is refused") {
  const auto refused = [](const std::string& path, const std::string& pattern) {
    support::check_refused(pattern, [&] { open_datasets(good("h5py.h5"), {"images", path}); });
  };
  refused("none", "h5py.h5: dataset 'none': cannot be read as HDF5.*h5dump");
  refused("group", "dataset 'group': cannot be read");
  refused("scalar", "found no dimensions, expected rows");
  refused("short", "found 4 rows, expected 5 as in 'images'");
  const support::Folder folder;
  H5Fclose(write_dataset(folder / "wide.h5", "label", {1}, H5T_STD_U64LE, {1}));
  support::check_refused("elements without a dtype in Broch.*astype",
                         [&] { open_datasets(folder / "wide.h5", {"label"}); });
  support::check_refused("found no such file", [] { open_datasets("/no/file.h5", {"a"}); });
  const std::string whole = support::read_file(good("h5py.h5"));
  for (const size_t size : {size_t{0}, size_t{60}, whole.size() / 2, whole.size() - 1}) {
    CAPTURE(size);
    folder.write("short.h5", whole.substr(0, size));
    CHECK(support::refusal([&] { open_datasets(folder / "short.h5", {"images"}); }) != "");
  }
}

TEST_CASE("hdf5: a virtual dataset, and one without a part") {
  const support::Folder folder;
  write_virtual(folder);
  const auto open_whole = [&] { return open_datasets(folder / "all.h5", {"whole"}); };
  {
    auto datasets = open_whole();
    REQUIRE(datasets.rows() == 4);
    for (uint64_t i = 0; i < 4; ++i)
      CHECK(values<int32_t>(row(datasets, 0, i)) == std::vector<int32_t>{int32_t(i)});
  }
  const std::string refused =
      "all.h5: dataset 'whole': found that its part 'part' in the file b.h5";
  std::filesystem::rename(folder / "b.h5", folder / "c.h5");
  support::check_refused(refused, open_whole);
  std::filesystem::copy_file(folder / "all.h5", folder / "b.h5");  // which has no dataset "part"
  support::check_refused(refused, open_whole);
}

TEST_CASE("hdf5: a file at which libhdf5 1.10 crashes") {
  const support::Folder folder;
  std::string bytes = support::read_file(good("h5py.h5"));
  bytes[4158] = 'g';  // in the header of flags
  folder.write("bad.h5", bytes);
  support::check_refused("bad.h5: .*(libhdf5 crashes|cannot be read as HDF5)",
                         [&] { open_datasets(folder / "bad.h5", {"flags"}); });
}

TEST_CASE("hdf5: the program that reads is missing, crashes or hangs") {
  const support::Folder folder;
  const auto check = [&](const std::string& program, const std::string& pattern) {
    const hdf5::Opening opening{program, good("h5py.h5"), {"images"}, 1};
    support::check_refused(pattern, [&] { hdf5::Datasets(opening, never); });
  };
  check("/no/program", "found no program /no/program.*install Broch again");
  const auto script = [&](const std::string& text) {
    folder.write("reader", "#!/bin/sh\n" + text);
    chmod((folder / "reader").c_str(), 0755);
    return folder / "reader";
  };
  check(script("kill -SEGV $$"),
        "h5py.h5: found a structure at which libhdf5 crashes "
        "\\(signal 11.*damaged");
  check(script("kill -ALRM $$"), "h5py.h5: found a structure that libhdf5 has not read after 1 s");
}

// In a chunked dataset, the damage may lie where only some rows need it.
TEST_CASE("hdf5: damage in the middle of a file is an error of rows") {
  const support::Folder folder;
  const std::string whole = support::read_file(good("h5py.h5"));
  std::mt19937_64 random(20261126);
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    std::string bytes = whole;
    bytes[random() % bytes.size()] = char(random());
    folder.write("bad.h5", bytes);
    try {
      auto datasets = open_datasets(folder / "bad.h5", {"group/packed"});
      for (uint64_t i = 0; i < std::min<uint64_t>(datasets.rows(), 10); ++i) row(datasets, 0, i);
    } catch (const broch::Error& error) {
      ++refused;
      CHECK(std::string(error.what()).find("bad.h5") != std::string::npos);
    }
  }
  CHECK(refused > 3);
}
