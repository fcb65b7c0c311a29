// data.hpp: cancel, filling and reading data points.
#pragma once
#include <string>
#include <utility>

#include "host.hpp"

namespace broch {
inline namespace v0 {

class Cancel {
 public:
  explicit Cancel(const broch_cancel* cancel) : cancel_(cancel) {}
  const broch_cancel* c() const { return cancel_; }
  bool cancelled() const { return cancel_->cancelled(cancel_->context) != 0; }
  // Sleeps at most that long; throws Cancelled when asked to give up.
  void wait(int64_t nanoseconds) const {
    if (cancel_->wait(cancel_->context, nanoseconds)) throw Cancelled();
  }

 private:
  const broch_cancel* cancel_;
};

// A view of one component.
inline broch_dl_tensor dl_view(const void* data, broch_dl_type type, int64_t* shape, int32_t rank) {
  broch_dl_tensor view{};
  view.data = const_cast<void*>(data);
  view.device = {BROCH_DL_CPU, 0};
  view.ndim = rank;
  view.dtype = type;
  view.shape = shape;
  return view;
}

// The point that next has to fill.
class PointWriter {
 public:
  PointWriter(const Host& host, const broch_data* data, broch_point point)
      : host_(host), data_(data), point_(point) {}
  broch_point handle() const { return point_; }
  void add(const broch_dl_tensor& component, const char* name = nullptr) {
    host_.check(data_->add_copy(host_.c(), point_, name, &component));
  }
  void add(broch_dl_managed* taken, const char* name = nullptr) {
    host_.check(data_->add(host_.c(), point_, name, taken));
  }
  void set_cursor(const std::string& cursor) {
    host_.check(data_->set_cursor(host_.c(), point_, cursor.data(), cursor.size()));
  }

 private:
  Host host_;
  const broch_data* data_;
  broch_point point_;
};

// A point of the plugin's own: for driving children and for queues.
class Point {
 public:
  explicit Point(const Host& host) : host_(host), data_(host.require<broch_data>(BROCH_EXT_DATA)) {
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

  uint32_t size() const {
    uint32_t count = 0;
    host_.check(data_->count(host_.c(), point_, &count));
    return count;
  }
  broch_dl_tensor view(uint32_t index) const {
    broch_dl_tensor view{};
    host_.check(data_->view(host_.c(), point_, index, &view));
    return view;
  }
  const char* name(uint32_t index) const {
    const char* name = nullptr;
    host_.check(data_->name(host_.c(), point_, index, &name));
    return name;
  }
  std::string cursor() const {
    const void* bytes = nullptr;
    uint64_t size = 0;
    host_.check(data_->cursor(host_.c(), point_, &bytes, &size));
    return std::string(static_cast<const char*>(bytes), size);
  }
  void clear() { host_.check(data_->point_clear(host_.c(), point_)); }
  void move_to(broch_point target) { host_.check(data_->point_move(host_.c(), point_, target)); }

 private:
  Host host_;
  const broch_data* data_;
  broch_point point_ = 0;
};

}  // namespace v0
}  // namespace broch
