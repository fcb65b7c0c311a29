// point.hpp: one data point: tensors in plain memory, with optional names and an optional cursor.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "abi/handle.hpp"
#include "abi/roles.hpp"
#include "broch/dlpack.h"
#include "runtime/tensor.hpp"

namespace broch::runtime {

class Backend;
class Rows;

class Point {
 public:
  Point() = default;
  ~Point();
  Point(Point&& other) noexcept;
  Point& operator=(Point&& other) noexcept;
  Point(const Point&) = delete;
  Point& operator=(const Point&) = delete;

  // Both throw base::Error (Exit::data) if describe_dl refuses the tensor.
  void add_copy(const char* name, const broch_dl_tensor& data);  // for CPU memory only
  void add(const char* name, broch_dl_managed* data);            // takes over; deletes on failure
  // Memory of the host for a tensor of this dtype and shape, not initialized.
  void* allocate(const char* name, broch_dtype dtype, const Shape& shape);
  // Adds a component of another point, where it counts as taken.
  void move_component(Point& from, size_t index);
  // Begins to copy the components to that device. REQUIRES: not is_row().
  void stage(Backend& backend, Device device);
  // Takes over the components, cursor, key and origin of another point.
  void take_all(Point& from);
  // Forgets the components that were moved elsewhere.
  void drop_taken();
  void clear();  // everything but what a row belongs to, and what was emitted

  size_t size() const { return components_.size(); }
  const broch_dl_managed& data(size_t index) const { return *components_[index].data; }
  const broch_dl_tensor& tensor(size_t index) const { return data(index).dl_tensor; }
  // Passes on the memory of a component, which is empty afterwards.
  broch_dl_managed* take(size_t index);
  bool taken(size_t index) const { return components_[index].data == nullptr; }
  const char* name(size_t index) const;  // nullptr: no name
  bool named() const;                    // there are components, and all have names

  std::string cursor;
  bool has_cursor = false;
  bool any_rank = false;  // the cursor means the same on every rank (locate of role/indexed.h)
  uint64_t key = 0;       // of the sample, see ext/data_point.h; 0: none
  // For messages: the cursors of the points that this one was made of, such as "17, 3, 42", and the
  // instance that set them. `origin` is "" if there is only its own cursor; `origin_of` is nullptr
  // if it was several instances or none.
  std::string origin;
  const abi::Instance* origin_of = nullptr;

  // As `out` of a transform that makes many points: those that it has made since it was called, the
  // oldest first, and how many of them were taken.
  std::vector<Point> emitted;
  size_t emitted_taken = 0;
  bool may_emit = false;  // during such a call

  // Makes `row` row `index` of this point, a batch of n rows. Throws base::Error (data).
  void begin_row(size_t index, size_t n, Point& row);
  // Completes the batch with its first `count` rows. Throws base::Error (data).
  void end_rows(size_t count);
  void clear_all();  // afterwards it is an ordinary, empty point
  bool is_row() const { return row_of_ != nullptr; }

 private:
  friend class Rows;
  struct Component {
    std::string name;
    bool has_name = false;
    broch_dl_managed* data = nullptr;
  };
  void push(const char* name, broch_dl_managed* data);
  std::vector<Component> components_;
  std::shared_ptr<Rows> rows_;    // of a batch that is being made
  std::shared_ptr<Rows> row_of_;  // the batch that this point is a row of, and
  size_t row_index_ = 0;          // which row
};

// The point of a handle that the instance passed: lent to its current call, or its own. Throws
// abi::CallError, which names `function`.
Point& point_at(abi::Instance& instance, broch_point handle, const char* function);

// Lends a point of the host to the next plugin call on this thread.
class LentPoint {
 public:
  explicit LentPoint(Point& point);
  ~LentPoint();
  LentPoint(const LentPoint&) = delete;
  LentPoint& operator=(const LentPoint&) = delete;
  broch_point handle() const { return handle_; }

 private:
  Point& point_;
  size_t mark_;
  broch_point handle_;
};

// The inputs that `tensors` of ext/data_point.h checks points against. Whoever knows the model
// provides this in the context.
struct SignatureHolder {
  const std::vector<abi::InputSpec>* signature = nullptr;
  Device device;
};

// Answers on which device a training tower computes, for `stage` of ext/data_point.h. Whoever has
// towers provides this in the context.
struct TowerDevices {
  std::function<Device(uint32_t tower)> of;
};

// The shape that an input has to have, for messages: "(B, 4)"; "?" for an unknown size.
std::string shape_text(const abi::InputSpec& input);

// Checks a data point against a signature (count, names, dtypes, known and named dimensions) and
// copies its components in the order of the signature. Throws base::Error (Exit::data), which names
// the input.
std::vector<Tensor> point_tensors(Backend& backend, const Point& point,
                                  const std::vector<abi::InputSpec>& signature, Device device);
// The same, but CPU memory is taken over instead of copied. The point keeps only its cursor.
void take_tensors(Backend& backend, Point& point, const std::vector<abi::InputSpec>& signature,
                  Device device, std::vector<Tensor>& tensors);

}  // namespace broch::runtime
