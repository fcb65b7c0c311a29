// point.hpp: one data point: tensors in plain memory, optional names, optional cursor.
#pragma once
#include <string>
#include <vector>

#include "abi/handle.hpp"
#include "abi/roles.hpp"
#include "broch/dlpack.h"
#include "runtime/tensor.hpp"

namespace broch::runtime {

class Backend;

class Point {
 public:
  Point() = default;
  ~Point() { clear(); }
  Point(Point&& other) noexcept;
  Point& operator=(Point&& other) noexcept;
  Point(const Point&) = delete;
  Point& operator=(const Point&) = delete;

  // Both throw base::Error (Exit::data) for what describe_dl refuses.
  void add_copy(const char* name, const broch_dl_tensor& data);  // CPU memory only
  void add(const char* name, broch_dl_managed* data);            // taken, deleted on failure too
  void clear();                                                  // components and cursor

  size_t size() const { return components_.size(); }
  const broch_dl_tensor& tensor(size_t index) const { return components_[index].data->dl_tensor; }
  // Gives the memory away; the component is then empty.
  broch_dl_managed* take(size_t index);
  bool taken(size_t index) const { return components_[index].data == nullptr; }
  const char* name(size_t index) const;  // nullptr: none
  bool named() const;                    // there are components and all have names

  std::string cursor;
  bool has_cursor = false;
  // For messages: the cursors of the points that it was made of, "17, 3, 42", and who gave them.
  // "": its own; nullptr: several, or nobody.
  std::string origin;
  const abi::Instance* origin_of = nullptr;

 private:
  struct Component {
    std::string name;
    bool has_name = false;
    broch_dl_managed* data = nullptr;
  };
  void push(const char* name, broch_dl_managed* data);
  std::vector<Component> components_;
};

// The point of a handle that the instance passed: lent to the call it is in, or its own. Throws
// abi::CallError naming the function.
Point& point_at(abi::Instance& instance, broch_point handle, const char* function);

// A handle to a point of the host for the plugin call that follows on this thread.
class LentPoint {
 public:
  explicit LentPoint(Point& point);
  ~LentPoint();
  LentPoint(const LentPoint&) = delete;
  LentPoint& operator=(const LentPoint&) = delete;
  broch_point handle() const { return handle_; }

 private:
  size_t mark_;
  broch_point handle_;
};

// What ext/data.h's tensors() checks points against; provided in the context by whoever knows the
// model.
struct SignatureHolder {
  const std::vector<abi::InputSpec>* signature = nullptr;
  Device device;
};

// Checks a data point against a signature (count, names, dtypes, known and named dimensions) and
// gives copies of its components in the order of the signature. Throws base::Error (Exit::data)
// naming the input.
std::vector<Tensor> point_tensors(Backend& backend, const Point& point,
                                  const std::vector<abi::InputSpec>& signature, Device device);
// The same, but memory on the CPU is taken over, not copied: the point keeps its cursor only.
void take_tensors(Backend& backend, Point& point, const std::vector<abi::InputSpec>& signature,
                  Device device, std::vector<Tensor>& tensors);

}  // namespace broch::runtime
