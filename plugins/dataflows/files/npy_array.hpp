// npy_array.hpp: an array of a .npy or .npz file, read row by row.
#pragma once
#include <broch/dlpack.h>

#include <archive/source.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace files {

class NpyArray {
 public:
  // A file whose name ends in .npy, or an array of one whose name ends in .npz; array "": the only
  // one. Small files are kept in memory, see files/content.hpp; so is an array that was packed.
  static NpyArray open(const std::string& file, const std::string& array = "");
  // bytes: the content of a .npy file, which must stay; place: its name in messages.
  static NpyArray parse(std::string_view bytes, const std::string& place);

  // The type in a data point of elements with this description in a .npy file. Throws Error for one
  // that no data point has.
  static broch_dl_type type_of(const std::string& descr, const std::string& place);

  // The type in a data point: uint16 and uint32 become the next larger signed type, which the
  // tensors of a model can have.
  broch_dl_type type() const { return type_; }
  uint64_t rows() const { return rows_; }
  const std::vector<int64_t>& row_shape() const { return row_shape_; }
  uint64_t row_elements() const { return row_elements_; }
  uint64_t row_bytes() const { return row_elements_ * type_.bits / 8; }
  // Writes row_bytes() bytes: a row in C order and in the byte order of this machine.
  void copy_row(uint64_t row, char* to) const;

 private:
  using Source = std::shared_ptr<const broch::archive::Source>;
  // The .npy file that is `size` bytes of source, from `begin` on.
  static NpyArray parse(Source source, uint64_t begin, uint64_t size, const std::string& place);
  void copy(uint64_t first, uint64_t count, char* to) const;
  void widen(uint64_t at, uint64_t count, char* to) const;

  Source source_;
  uint64_t begin_ = 0;  // of the elements, in source_
  broch_dl_type type_{};
  uint64_t stored_ = 0;  // bytes of an element in the file
  bool swapped_ = false, is_bool_ = false, is_fortran_ = false;
  uint64_t rows_ = 0, row_elements_ = 1;
  std::vector<int64_t> row_shape_;
};

}  // namespace files
