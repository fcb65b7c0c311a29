// data_point.hpp: cancellation, and filling and reading data points.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "host.hpp"

namespace broch {
inline namespace v0 {

// Tells a source that the host wants it to give up waiting. Borrowed for the call that received it.
class Cancel {
 public:
  explicit Cancel(const broch_cancel* cancel) : cancel_(cancel) {}
  const broch_cancel* c() const { return cancel_; }
  bool cancelled() const { return cancel_->cancelled(cancel_->context) != 0; }
  // Sleeps for this time, or less: throws Cancelled as soon as the host asks to give up.
  void wait(int64_t nanoseconds) const {
    if (cancel_->wait(cancel_->context, nanoseconds)) throw Cancelled();
  }

 private:
  const broch_cancel* cancel_;
};

// The DLPack type of a dtype. Throws Error for an unknown dtype.
inline broch_dl_type dl_type(broch_dtype dtype) {
  switch (dtype) {
    case BROCH_FLOAT32:
      return {BROCH_DL_FLOAT, 32, 1};
    case BROCH_FLOAT64:
      return {BROCH_DL_FLOAT, 64, 1};
    case BROCH_FLOAT16:
      return {BROCH_DL_FLOAT, 16, 1};
    case BROCH_BFLOAT16:
      return {BROCH_DL_BFLOAT, 16, 1};
    case BROCH_INT8:
      return {BROCH_DL_INT, 8, 1};
    case BROCH_INT16:
      return {BROCH_DL_INT, 16, 1};
    case BROCH_INT32:
      return {BROCH_DL_INT, 32, 1};
    case BROCH_INT64:
      return {BROCH_DL_INT, 64, 1};
    case BROCH_UINT8:
      return {BROCH_DL_UINT, 8, 1};
    case BROCH_BOOL:
      return {BROCH_DL_BOOL, 8, 1};
    case BROCH_COMPLEX64:
      return {BROCH_DL_COMPLEX, 64, 1};
    case BROCH_COMPLEX128:
      return {BROCH_DL_COMPLEX, 128, 1};
    default:
      throw Error(BROCH_E_INVALID_ARGUMENT, "there is no dtype " + std::to_string(dtype));
  }
}
// The dtype of a C++ type; the value of the argument is not used.
inline broch_dtype dtype_of(float) { return BROCH_FLOAT32; }
inline broch_dtype dtype_of(double) { return BROCH_FLOAT64; }
inline broch_dtype dtype_of(int32_t) { return BROCH_INT32; }
inline broch_dtype dtype_of(int64_t) { return BROCH_INT64; }
inline broch_dtype dtype_of(uint8_t) { return BROCH_UINT8; }

// A view of row-major CPU memory. data and shape (rank elements, the size of each dimension) are
// borrowed.
inline broch_dl_tensor dl_view(const void* data, broch_dl_type type, int64_t* shape, int32_t rank) {
  broch_dl_tensor view{};
  view.data = const_cast<void*>(data);
  view.device = {BROCH_DL_CPU, 0};
  view.ndim = rank;
  view.dtype = type;
  view.shape = shape;
  return view;
}

// Fills the data point that DataFlow::next or InputSource::next receives. A point is a list of
// tensors ("components"), either in the order of the model's inputs or each with the name of an
// input. Valid during that call.
class PointWriter {
 public:
  PointWriter(const Host& host, const broch_host_data_point* data, broch_point point)
      : host_(host), data_(data), point_(point) {
    if (!data_) throw Error(BROCH_E_UNIMPLEMENTED, "this host has no " BROCH_EXT_DATA_POINT);
  }
  broch_point handle() const { return point_; }
  // Adds a copy. name: that of an input, or nullptr in a point without names.
  void add(const broch_dl_tensor& component, const char* name = nullptr) {
    host_.check(data_->add_copy(host_.c(), point_, name, &component));
  }
  // Adds a copy of values, row-major. shape: the size of each dimension; {}: one number. Throws
  // Error if the number of values is not the product of shape.
  template <class T>
  void add(const std::vector<T>& values, std::vector<int64_t> shape, const char* name = nullptr) {
    int64_t elements = 1;
    for (const int64_t extent : shape) elements *= extent;
    if (elements != int64_t(values.size()))
      throw Error(
          BROCH_E_INVALID_ARGUMENT,
          std::to_string(values.size()) + " values for a shape of " + std::to_string(elements));
    add(dl_view(values.data(), dl_type(dtype_of(T{})), shape.data(), int32_t(shape.size())), name);
  }
  // Takes ownership of the memory: the host calls the deleter, even on failure.
  void add(broch_dl_managed* taken, const char* name = nullptr) {
    host_.check(data_->add(host_.c(), point_, name, taken));
  }
  // cursor means "continue after this point"; at most BROCH_CURSOR_SIZE_MAX bytes.
  void set_cursor(const std::string& cursor) {
    host_.check(data_->set_cursor(host_.c(), point_, cursor.data(), cursor.size()));
  }

 private:
  Host host_;
  const broch_host_data_point* data_;
  broch_point point_;
};

// A data point that the plugin owns, to read from children and for queues. Usable on all threads of
// the instance, by one at a time.
class Point {
 public:
  explicit Point(const Host& host)
      : host_(host), data_(host.require<broch_host_data_point>(BROCH_EXT_DATA_POINT)) {
    host_.check(data_->point_new(host_.c(), &point_));
  }
  ~Point() {
    if (point_) data_->point_free(host_.c(), point_);
  }
  Point(Point&& other) noexcept
      : host_(other.host_), data_(other.data_), point_(std::exchange(other.point_, 0)) {}
  Point& operator=(Point&& other) noexcept {
    std::swap(host_, other.host_);
    std::swap(data_, other.data_);
    std::swap(point_, other.point_);
    return *this;
  }
  broch_point handle() const { return point_; }

  // The number of tensors.
  uint32_t size() const {
    uint32_t count = 0;
    host_.check(data_->count(host_.c(), point_, &count));
    return count;
  }
  // Borrowed until the point is cleared, moved from or destroyed.
  broch_dl_tensor view(uint32_t index) const {
    broch_dl_tensor view{};
    host_.check(data_->view(host_.c(), point_, index, &view));
    return view;
  }
  // nullptr in a point without names. Borrowed like view.
  const char* name(uint32_t index) const {
    const char* name = nullptr;
    host_.check(data_->name(host_.c(), point_, index, &name));
    return name;
  }
  // "" if there is none.
  std::string cursor() const {
    const void* bytes = nullptr;
    uint64_t size = 0;
    host_.check(data_->cursor(host_.c(), point_, &bytes, &size));
    return std::string(static_cast<const char*>(bytes), size);
  }
  void clear() { host_.check(data_->point_clear(host_.c(), point_)); }
  // Transfers the content without copying it; this point is empty afterwards.
  void move_to(broch_point target) { host_.check(data_->point_move(host_.c(), point_, target)); }

 private:
  Host host_;
  const broch_host_data_point* data_;
  broch_point point_ = 0;
};

}  // namespace v0
}  // namespace broch
