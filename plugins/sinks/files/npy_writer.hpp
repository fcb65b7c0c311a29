// npy_writer.hpp: one array in a .npy file, written row by row.
#pragma once
#include <broch/broch.hpp>
#include <fstream>
#include <string>
#include <vector>

namespace files {

class NpyWriter {
 public:
  // label: of the component, for messages. Throws broch::Error if the file cannot be made.
  NpyWriter(std::string path, std::string label);

  // Adds a row; all rows have the dtype and shape of the first one. Throws broch::Error.
  void add(const broch_dl_tensor& row);
  // Writes the number of rows into the header.
  void finish();

  const std::string& path() const { return path_; }
  const std::string& label() const { return label_; }

 private:
  std::string header() const;
  void check(const broch_dl_tensor& row) const;
  void write(const std::string& bytes);

  std::string path_, label_;
  std::ofstream stream_;
  uint64_t rows_ = 0;
  broch_dl_type type_{};
  std::vector<int64_t> shape_;  // of a row
  std::string buffer_;          // of one row
};

}  // namespace files
