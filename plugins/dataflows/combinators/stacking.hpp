// stacking.hpp: writes points as one batch: each component gets a new first dimension. Points whose
// shapes differ are padded at the end of each dimension.
#pragma once
#include <algorithm>
#include <broch/broch.hpp>
#include <cstring>
#include <functional>
#include <vector>

#include "../../points/numbers.hpp"

namespace broch::dataflows {

// Of one component: the shape in the batch, from the largest size of each dimension, and the value
// that fills the rest.
struct Padding {
  std::function<std::vector<int64_t>(uint32_t component, const std::vector<int64_t>& largest)>
      shape;
  std::function<double(uint32_t component)> value;
};

class Stacking {
 public:
  // Without padding all points must have the same shapes.
  explicit Stacking(std::optional<Padding> padding) : padding_(std::move(padding)) {}

  // points: at least one. The batch gets the key of the first.
  void write(const std::vector<const Point*>& points, PointWriter& batch) const {
    const uint32_t n = points[0]->size();
    for (size_t row = 1; row < points.size(); ++row)
      if (points[row]->size() != n)
        throw Error(BROCH_E_INVALID_ARGUMENT,
                    "point " + std::to_string(row) + " of a batch has " +
                        std::to_string(points[row]->size()) + " components, the first one " +
                        std::to_string(n) + ": points of one batch must agree");
    for (uint32_t i = 0; i < n; ++i) write_component(points, i, batch);
    if (const uint64_t key = points[0]->key()) batch.set_key(key);
  }

 private:
  // The shape of a component in all points: the largest size of each dimension.
  struct Common {
    std::vector<int64_t> shape;
    bool same = true;  // each point has this shape
  };

  void write_component(const std::vector<const Point*>& points, uint32_t index,
                       PointWriter& batch) const {
    Common common = common_shape(points, index);
    if (padding_) {
      const std::vector<int64_t> largest = common.shape;
      common.shape = padding_->shape(index, largest);
      common.same = common.same && common.shape == largest;
    }
    std::vector<int64_t> whole{int64_t(points.size())};
    whole.insert(whole.end(), common.shape.begin(), common.shape.end());
    const broch_dl_tensor first = points[0]->view(index);
    auto* const bytes = static_cast<char*>(
        batch.allocate(first.dtype, whole.data(), whole.size(), points[0]->name(index)));
    write_rows(points, index, common, bytes);
  }

  Common common_shape(const std::vector<const Point*>& points, uint32_t index) const {
    const broch_dl_tensor first = points[0]->view(index);
    Common common{std::vector<int64_t>(first.shape, first.shape + first.ndim)};
    for (size_t row = 1; row < points.size(); ++row) {
      const broch_dl_tensor view = points[row]->view(index);
      if (!is_same_name(points[row]->name(index), points[0]->name(index)))
        refuse(index, row, "another name");
      if (dtype_of(view.dtype) != dtype_of(first.dtype) || view.ndim != first.ndim)
        refuse(index, row, "another dtype or number of dimensions");
      for (int32_t d = 0; d < view.ndim; ++d) {
        int64_t& size = common.shape[size_t(d)];
        common.same = common.same && view.shape[d] == size;
        size = std::max(size, view.shape[d]);
      }
      if (!common.same && !padding_) refuse(index, row, "another shape");
    }
    return common;
  }

  void write_rows(const std::vector<const Point*>& points, uint32_t index, const Common& common,
                  char* bytes) const {
    const broch_dl_tensor first = points[0]->view(index);
    const std::string what = "component " + std::to_string(index);
    const size_t elements = size_t(broch::element_count(common.shape.data(), common.shape.size()));
    const size_t row_bytes = elements * points::element_bytes(first);
    if (!common.same)
      points::fill(bytes, dtype_of(first.dtype), elements * points.size(), padding_->value(index),
                   what);
    for (size_t row = 0; row < points.size(); ++row) {
      const broch_dl_tensor view = points[row]->view(index);
      copy(points::bytes_of(view, what), view.shape, bytes + row * row_bytes, common.shape.data(),
           view.ndim, points::element_bytes(view));
    }
  }

  // nullptr: no name.
  static bool is_same_name(const char* a, const char* b) {
    return a && b ? std::strcmp(a, b) == 0 : a == b;
  }

  // Copies a block into the beginning of each dimension of a larger one.
  static void copy(const char* from, const int64_t* from_shape, char* to, const int64_t* to_shape,
                   int32_t rank, size_t element) {
    if (std::equal(from_shape + std::min(rank, 1), from_shape + rank,
                   to_shape + std::min(rank, 1))) {
      std::memcpy(to, from, size_t(broch::element_count(from_shape, size_t(rank))) * element);
      return;
    }
    const auto inner = [&](const int64_t* shape) {
      return size_t(broch::element_count(shape + 1, size_t(rank - 1))) * element;
    };
    for (int64_t i = 0; i < from_shape[0]; ++i)
      copy(from + size_t(i) * inner(from_shape), from_shape + 1, to + size_t(i) * inner(to_shape),
           to_shape + 1, rank - 1, element);
  }

  [[noreturn]] static void refuse(uint32_t index, size_t row, const char* what) {
    throw Error(BROCH_E_INVALID_ARGUMENT, "component " + std::to_string(index) + " of point " +
                                              std::to_string(row) + " of a batch has " + what +
                                              " than in the first point: points of one batch must "
                                              "agree");
  }

  std::optional<Padding> padding_;
};

}  // namespace broch::dataflows
