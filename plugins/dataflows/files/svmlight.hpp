// svmlight.hpp: sparse rows as text, "LABEL INDEX:VALUE …", the format of SVMlight and LIBSVM.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace files {

struct SparseRows {
  uint64_t features = 0;  // one more than the largest index
  std::vector<double> labels;
  std::vector<uint64_t> begins;   // of each row in indices and values, and the end of the last
  std::vector<uint32_t> indices;  // counted from 0, ascending in each row
  std::vector<float> values;

  uint64_t rows() const { return labels.size(); }
};

// first_index: the number of the first feature, 1 in files of SVMlight. Comments (#) and qid:N are
// left out. Throws Error with line and column.
SparseRows parse_svmlight(std::string_view text, uint64_t first_index, const std::string& place);

}  // namespace files
