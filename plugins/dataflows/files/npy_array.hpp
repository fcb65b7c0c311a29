// npy_array.hpp: an array of a .npy or .npz file, read row by row where it lies.
#pragma once
#include <broch/dlpack.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "files/mapped_file.hpp"

namespace files {

class NpyArray {
 public:
  // A file whose name ends in .npy, or an array of one whose name ends in .npz; array "": the only
  // one. Nothing is copied, except that an array that is packed is unpacked into memory.
  static NpyArray open(const std::string& file, const std::string& array = "");
  // bytes: the content of a .npy file, which must stay; place: its name in messages.
  static NpyArray parse(std::string_view bytes, const std::string& place);

  // The type in a data point: uint16 and uint32 become the next larger signed type, which the
  // tensors of a model can have.
  broch_dl_type type() const { return type_; }
  uint64_t rows() const { return rows_; }
  const std::vector<int64_t>& row_shape() const { return row_shape_; }
  uint64_t row_elements() const { return row_elements_; }
  uint64_t row_bytes() const { return row_elements_ * type_.bits / 8; }
  // Writes row_bytes() bytes: a row in C order and in the byte order of this machine.
  void copy_row(uint64_t row, char* to) const;
  // The elements from `first` on of an array of one dimension.
  void copy_elements(uint64_t first, uint64_t count, char* to) const;

 private:
  void store(const char* from, uint64_t count, char* to) const;

  MappedFile file_;
  std::shared_ptr<const std::string> unpacked_;  // of a packed array
  std::string_view data_;
  broch_dl_type type_{};
  uint64_t stored_ = 0;  // bytes of an element in the file
  bool swapped_ = false, is_bool_ = false, is_fortran_ = false;
  uint64_t rows_ = 0, row_elements_ = 1;
  std::vector<int64_t> row_shape_;
};

}  // namespace files
