// stored.hpp: a dataset of an HDF5 file, as libhdf5 sees it. Only the program hdf5_reader uses
// this: libhdf5 crashes on some damaged files, or never ends.
#pragma once
#include <hdf5.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hdf5/description.hpp"

namespace hdf5 {

// A handle of the library, which close gives back.
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
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

class Stored {
 public:
  // bytes: the size of the file. Throws Error if there is no dataset at this path, or its elements
  // have no dtype in Broch.
  Stored(const Handle& file, uint64_t bytes, const std::string& place, const std::string& path);

  const Description& description() const { return description_; }
  // Fills to with a row.
  void read(uint64_t row, void* to) const;

 private:
  void find_type();
  void find_shape();
  void find_layout(const Handle& file, uint64_t bytes, const std::string& file_path,
                   const std::string& path);

  std::string place_;
  Handle dataset_, space_, file_type_, memory_type_;
  std::vector<hsize_t> extents_;
  Description description_;
};

// Opens datasets of one file. Throws Error if they differ in their number of rows.
std::vector<Stored> open_stored(const std::string& file, const std::vector<std::string>& paths);

}  // namespace hdf5
