// dataset.hpp: the rows of datasets in an HDF5 file.
#pragma once
#include <archive/source.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hdf5/description.hpp"
#include "hdf5/reader.hpp"

namespace hdf5 {

class Datasets {
 public:
  // Throws Error if one cannot be opened, or they differ in their number of rows.
  Datasets(const Opening& opening, const broch::Cancel& cancel);

  const Description& operator[](size_t dataset) const { return descriptions_[dataset]; }
  uint64_t rows() const { return descriptions_[0].rows; }
  // Fills to with a row. Any thread: those that need libhdf5 each get a process of their own.
  // Throws Cancelled, or Error.
  void read(size_t dataset, uint64_t row, void* to, const broch::Cancel& cancel);

 private:
  std::unique_ptr<Reader> take_reader(const broch::Cancel& cancel);

  Opening opening_;
  broch::archive::File file_;
  std::vector<Description> descriptions_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Reader>> idle_;  // guarded by mutex_
};

}  // namespace hdf5
