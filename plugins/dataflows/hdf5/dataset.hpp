// dataset.hpp: the rows of datasets in an HDF5 file.
#pragma once
#include <hdf5.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "containers/component.hpp"
#include "containers/source.hpp"

namespace hdf5 {

// A handle of the library, which close gives back.
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle();
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  hid_t get() const { return id_; }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

class Dataset {
 public:
  // Throws Error if there is none at this path, or its elements have no dtype in Broch.
  Dataset(std::shared_ptr<const containers::File> bytes, const Handle& file,
          const std::string& path);

  uint64_t rows() const { return rows_; }
  broch_dl_type type() const { return type_; }
  const std::vector<int64_t>& row_shape() const { return row_shape_; }
  uint64_t row_bytes() const { return row_bytes_; }
  // Whether rows are read straight from the file, without the library and its lock.
  bool is_direct() const { return direct_; }
  // Fills to with row_bytes() bytes. Any thread.
  void read(uint64_t row, void* to) const;

 private:
  void find_type(const std::string& place);
  void find_shape(const std::string& place);
  void find_layout(const Handle& file, const std::string& path, const std::string& place);

  std::shared_ptr<const containers::File> bytes_;
  std::string place_;
  Handle dataset_, space_, file_type_, memory_type_;
  broch_dl_type type_{};
  uint64_t rows_ = 0, row_bytes_ = 0;
  std::vector<int64_t> row_shape_;
  std::vector<hsize_t> extents_;
  bool direct_ = false;
  uint64_t offset_ = 0;  // of the first row in the file, if direct
};

// Opens datasets of one file. Throws Error if they differ in their number of rows.
//
// The library crashes on some damaged files, or never ends. So a child process opens the file
// first; seconds: how long it may take.
std::vector<Dataset> open_datasets(const std::string& file, const std::vector<std::string>& paths,
                                   unsigned seconds = 600);

}  // namespace hdf5
