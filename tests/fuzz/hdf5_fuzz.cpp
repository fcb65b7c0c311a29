// hdf5_fuzz.cpp: any bytes as an HDF5 file: rows, or an Error. The library is not instrumented, and
// crashes on some files; then it does in a child process.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

#include "broch/cpp/error.hpp"
#include "hdf5/dataset.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string path = "/dev/shm/broch-hdf5-fuzz-" + std::to_string(getpid());
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), std::streamsize(size));
  static const char* const kNames[] = {"images", "group/packed", "big_endian"};
  try {  // one of them, as each costs a process
    for (const hdf5::Dataset& dataset : hdf5::open_datasets(path, {kNames[size % 3]}, 2)) {
      if (dataset.rows() == 0 || dataset.row_bytes() > 1 << 20) continue;
      std::string row(dataset.row_bytes(), '\0');
      dataset.read(0, row.data());
      dataset.read(dataset.rows() - 1, row.data());
    }
  } catch (const broch::Error&) {
  }
  unlink(path.c_str());
  return 0;
}
