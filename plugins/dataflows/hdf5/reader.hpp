// reader.hpp: a process of the program hdf5_reader, which reads datasets with libhdf5.
#pragma once
#include <string>
#include <vector>

#include "hdf5/description.hpp"
#include "pipe/process.hpp"

namespace hdf5 {

// What to read, and with which program.
struct Opening {
  std::string program;  // the path of hdf5_reader
  std::string file;
  std::vector<std::string> paths;  // of datasets in the file
  unsigned seconds = 600;          // how long the library may take for one answer
};

// One thread at a time. After an exception it is of no more use.
class Reader {
 public:
  // Opens the datasets. Throws Error if the library cannot, or crashes.
  Reader(const Opening& opening, const broch::Cancel& cancel);

  const std::vector<Description>& descriptions() const { return descriptions_; }
  // Fills to with a row of the dataset of this index. Throws Cancelled, or Error if the library
  // cannot read it, or crashes.
  void read(size_t dataset, uint64_t row, void* to, const broch::Cancel& cancel);

 private:
  struct Ended {};
  uint64_t read_head();
  void read_exactly(void* to, uint64_t size);
  // What the library did in the end, as an error.
  [[noreturn]] void refuse_end(const std::string& place);

  Opening opening_;
  piped::Process process_;
  std::vector<Description> descriptions_;
};

}  // namespace hdf5
