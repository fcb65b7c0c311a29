// data_point.hpp: cancellation, and filling and reading data points.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "draws.hpp"
#include "host.hpp"
#include "view.hpp"

namespace broch {
inline namespace v0 {

// Tells a source that the host wants it to give up waiting. Borrowed for the call that received it,
// if it was received.
class Cancel {
 public:
  explicit Cancel(const broch_cancel* cancel) : cancel_(cancel) {}
  // For reading from children outside of next: a signal or the end of the run asks to give up. Ask
  // for it in each event, since it changes when training begins.
  static Cancel of_run(const Host& host) {
    const auto* table = host.require<broch_host_data_point>(BROCH_EXT_DATA_POINT);
    return Cancel(table->cancel(host.c()));
  }
  const broch_cancel* c() const { return cancel_; }
  bool cancelled() const { return cancel_->cancelled(cancel_->context) != 0; }
  // A file descriptor that becomes readable when the host asks to give up. Never close it.
  int event_fd() const { return cancel_->event_fd(cancel_->context); }
  // Sleeps for this time, or less: throws Cancelled as soon as the host asks to give up.
  void wait(int64_t nanoseconds) const {
    if (cancel_->wait(cancel_->context, nanoseconds)) throw Cancelled();
  }

 private:
  const broch_cancel* cancel_;
};

class PointReader;

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
  // Reads what was added so far.
  PointReader reader() const;
  // Adds a copy. name: that of an input, or nullptr in a point without names.
  void add(const broch_dl_tensor& component, const char* name = nullptr) {
    host_.check(data_->add_copy(host_.c(), point_, name, &component));
  }
  // Adds a copy of values, row-major. shape: the size of each dimension; {}: one number. Throws
  // Error if the number of values is not the product of shape.
  template <class T>
  void add(const std::vector<T>& values, std::vector<int64_t> shape, const char* name = nullptr) {
    add(dl_view(values, shape), name);
  }
  // Takes ownership of the memory: the host calls the deleter, even on failure.
  void add(broch_dl_managed* taken, const char* name = nullptr) {
    host_.check(data_->add(host_.c(), point_, name, taken));
  }
  // Adds memory for elements of this shape, compact and not initialized, and returns it: fill it
  // during the call. In a row of a batch, it lies in the batch.
  template <class T>
  T* allocate(std::vector<int64_t> shape, const char* name = nullptr) {
    return static_cast<T*>(allocate(dl_type(dtype_of(T{})), shape.data(), shape.size(), name));
  }
  void* allocate(broch_dl_type type, const int64_t* shape, size_t rank,
                 const char* name = nullptr) {
    const broch_dl_tensor like = dl_view(nullptr, type, const_cast<int64_t*>(shape), int32_t(rank));
    void* data = nullptr;
    host_.check(data_->allocate(host_.c(), point_, name, &like, &data));
    return data;
  }
  // Identifies the sample, see ext/data_point.h. 0: none was set yet.
  uint64_t key() const {
    uint64_t key = 0;
    host_.check(data_->key(host_.c(), point_, &key));
    return key;
  }
  // The host sets a key where this does not.
  void set_key(uint64_t key) { host_.check(data_->set_key(host_.c(), point_, key)); }
  // Mixes a number into the key of a point that was made from another one, or that comes from one
  // of several sources: the number tells these apart. Without a key, nothing is done.
  void mix_key(uint64_t number) {
    if (const uint64_t before = key()) set_key(mixed(before, number));
  }
  // In a transform that makes any number of points: passes the content on as one point, and empties
  // this one.
  void emit() { host_.check(data_->emit(host_.c(), point_)); }
  // cursor means "continue after this point"; at most BROCH_CURSOR_SIZE_MAX bytes.
  void set_cursor(const std::string& cursor) {
    host_.check(data_->set_cursor(host_.c(), point_, cursor.data(), cursor.size()));
  }

 private:
  Host host_;
  const broch_host_data_point* data_;
  broch_point point_;
};

// Reads a data point: one that a transform receives, valid during that call, or a Point.
class PointReader {
 public:
  PointReader(const Host& host, const broch_host_data_point* data, broch_point point)
      : host_(host), data_(data), point_(point) {
    if (!data_) throw Error(BROCH_E_UNIMPLEMENTED, "this host has no " BROCH_EXT_DATA_POINT);
  }
  broch_point handle() const { return point_; }
  // The number of components.
  uint32_t size() const {
    uint32_t count = 0;
    host_.check(data_->count(host_.c(), point_, &count));
    return count;
  }
  // Borrowed until the component is moved, the point is cleared, or the point ends.
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
  // Identifies the sample, see ext/data_point.h.
  uint64_t key() const {
    uint64_t key = 0;
    host_.check(data_->key(host_.c(), point_, &key));
    return key;
  }
  // Adds a component to another point, without a copy unless that is a row of a batch.
  void move(uint32_t index, const PointWriter& to) const {
    host_.check(data_->move_component(host_.c(), point_, index, to.handle()));
  }
  // The same with all components.
  void move_all(const PointWriter& to) const {
    for (uint32_t i = 0, n = size(); i < n; ++i) move(i, to);
  }

 protected:
  Host host_;
  const broch_host_data_point* data_;
  broch_point point_;
};

inline PointReader PointWriter::reader() const { return {host_, data_, point_}; }

// A data point that the plugin owns, to read from children and for queues. Usable on all threads of
// the instance, by one at a time.
class Point : public PointReader {
 public:
  explicit Point(const Host& host)
      : PointReader(host, host.find<broch_host_data_point>(BROCH_EXT_DATA_POINT), 0) {
    host_.check(data_->point_new(host_.c(), &point_));
  }
  ~Point() {
    if (point_) data_->point_free(host_.c(), point_);
  }
  Point(Point&& other) noexcept
      : PointReader(other.host_, other.data_, std::exchange(other.point_, 0)) {}
  Point& operator=(Point&& other) noexcept {
    std::swap(host_, other.host_);
    std::swap(data_, other.data_);
    std::swap(point_, other.point_);
    return *this;
  }
  // Adds tensors to this point.
  PointWriter writer() { return {host_, data_, point_}; }

  // "" if there is none.
  std::string cursor() const {
    const void* bytes = nullptr;
    uint64_t size = 0;
    host_.check(data_->cursor(host_.c(), point_, &bytes, &size));
    return std::string(static_cast<const char*>(bytes), size);
  }
  // The content as tensors in the order of the inputs of the model, checked against them. n: their
  // number.
  std::vector<broch_tensor> tensors(uint32_t n) const {
    std::vector<broch_tensor> tensors(n);
    host_.check(data_->tensors(host_.c(), point_, tensors.data(), n));
    return tensors;
  }
  // Makes this point row index, counted from 0, of a batch of n rows. What is put into it goes into
  // the memory of the batch.
  void begin_row(broch_point batch, uint64_t index, uint64_t n) {
    host_.check(data_->row_begin(host_.c(), batch, index, n, point_));
  }
  // Completes a batch with its first count rows.
  void end_rows(broch_point batch, uint64_t count) {
    host_.check(data_->rows_end(host_.c(), batch, count));
  }
  // Begins to copy the content to the device of a training tower, which takes it in a later step.
  void stage(uint32_t tower) { host_.check(data_->stage(host_.c(), point_, tower)); }
  void clear() { host_.check(data_->point_clear(host_.c(), point_)); }
  // Transfers the content without copying it; this point is empty afterwards.
  void move_to(broch_point target) { host_.check(data_->point_move(host_.c(), point_, target)); }
  void move_to(const PointWriter& target) { move_to(target.handle()); }
};

}  // namespace v0
}  // namespace broch
