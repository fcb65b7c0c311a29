// description.hpp: what has to be known of a dataset to read its rows.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "containers/component.hpp"

namespace hdf5 {

struct Description {
  broch_dl_type type{};
  uint64_t rows = 0, row_bytes = 0;
  std::vector<int64_t> row_shape;
  // Where the first row lies in the file, if rows lie there as they are needed, one behind the
  // other. No value: only libhdf5 can read them.
  std::optional<uint64_t> offset;

  bool operator==(const Description& other) const {
    return containers::same_type(type, other.type) && rows == other.rows &&
           row_bytes == other.row_bytes && row_shape == other.row_shape && offset == other.offset;
  }
};

}  // namespace hdf5
