// hdf5_fuzz.cpp: any bytes as an HDF5 file: rows, or an Error, also where libhdf5 crashes.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

#include "broch/cpp/cancel_source.hpp"
#include "broch/cpp/error.hpp"
#include "hdf5/dataset.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string path = "/dev/shm/broch-hdf5-fuzz-" + std::to_string(getpid());
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), std::streamsize(size));
  static const char* const kNames[] = {"images", "group/packed", "big_endian"};
  const broch::CancelSource never;
  const broch::Cancel cancel(never.c());
  try {  // one of them, as each costs a process
    hdf5::Datasets datasets({READER, path, {kNames[size % 3]}, 2}, cancel);
    if (datasets.rows() > 0 && datasets[0].row_bytes <= 1 << 20) {
      std::string row(datasets[0].row_bytes, '\0');
      datasets.read(0, 0, row.data(), cancel);
      datasets.read(0, datasets.rows() - 1, row.data(), cancel);
    }
  } catch (const broch::Error&) {
  }
  unlink(path.c_str());
  return 0;
}
