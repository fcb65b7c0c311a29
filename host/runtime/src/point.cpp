// point.cpp: the components of a data point, and the ownership of their memory.
#include "runtime/point.hpp"

#include <algorithm>
#include <utility>

#include "abi/thread.hpp"
#include "base/error.hpp"
#include "runtime/dlpack.hpp"

namespace broch::runtime {

Point::Point(Point&& other) noexcept
    : cursor(std::move(other.cursor)),
      has_cursor(std::exchange(other.has_cursor, false)),
      origin(std::move(other.origin)),
      origin_of(std::exchange(other.origin_of, nullptr)),
      components_(std::move(other.components_)) {
  other.clear();
}

Point& Point::operator=(Point&& other) noexcept {
  if (this == &other) return *this;
  clear();
  cursor = std::move(other.cursor);
  has_cursor = std::exchange(other.has_cursor, false);
  origin = std::move(other.origin);
  origin_of = std::exchange(other.origin_of, nullptr);
  components_ = std::move(other.components_);
  other.clear();
  return *this;
}

void Point::push(const char* name, broch_dl_managed* data) {
  try {
    components_.push_back({name ? name : "", name != nullptr, data});
  } catch (...) {
    dl_delete(data);
    throw;
  }
}

void Point::add_copy(const char* name, const broch_dl_tensor& data) {
  const TensorInfo info = describe_dl(data);
  if (info.device.type != BROCH_DL_CPU)
    throw base::Error(base::Exit::data,
                      {.where = "component " + std::to_string(size()) + " of a data point",
                       .found = "memory on " + to_string(info.device),
                       .expected = "memory of the CPU",
                       .hint = "copy it to the CPU, or hand the memory over with add"});
  push(name, dl_clone(data));
}

void Point::add(const char* name, broch_dl_managed* data) {
  try {
    describe_dl(data->dl_tensor);
  } catch (...) {
    dl_delete(data);
    throw;
  }
  push(name, data);
}

void Point::clear() {
  for (Component& component : components_) dl_delete(component.data);
  components_.clear();
  cursor.clear();
  has_cursor = false;
  origin.clear();
  origin_of = nullptr;
}

broch_dl_managed* Point::take(size_t index) {
  return std::exchange(components_[index].data, nullptr);
}

const char* Point::name(size_t index) const {
  const Component& component = components_[index];
  return component.has_name ? component.name.c_str() : nullptr;
}

bool Point::named() const {
  return !components_.empty() &&
         std::ranges::all_of(components_, [](const Component& c) { return c.has_name; });
}

LentPoint::LentPoint(Point& point)
    : mark_(abi::Arena::of_this_thread().mark()),
      handle_(abi::Arena::of_this_thread().add(abi::Kind::point, {&point, nullptr}, 0)) {}

LentPoint::~LentPoint() { abi::Arena::of_this_thread().cut(mark_); }

}  // namespace broch::runtime
