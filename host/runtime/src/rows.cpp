// rows.cpp: a batch whose rows are filled in place.
#include "rows.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "runtime/dlpack.hpp"

namespace broch::runtime {
namespace {

constexpr size_t kShown = 1024;  // how many origins of one batch are kept

[[noreturn]] void refuse(size_t row, const std::string& found, const std::string& expected) {
  throw base::Error(base::Exit::data,
                    {.where = "row " + std::to_string(row) + " of a batch",
                     .found = found,
                     .expected = expected,
                     .hint = "points of one batch must agree in the number, names, dtypes and "
                             "shapes of their components; crop or pad them, or batch by shape"});
}

// The bytes of a row. Throws if those of n rows are more than memory can hold.
size_t bytes_of_row(size_t row, size_t n, broch_dtype dtype, const Shape& shape) {
  int64_t bytes = 0, all = 0;
  if (!__builtin_mul_overflow(shape.elements(), dtype_size(dtype), &bytes) &&
      !__builtin_mul_overflow(bytes, n, &all) && all <= INT64_MAX / 16)
    return size_t(bytes);
  throw base::Error(base::Exit::data, {.where = "row " + std::to_string(row) + " of a batch",
                                       .found = std::to_string(n) + " rows of " +
                                                dtype_name(dtype) + " " + to_string(shape),
                                       .expected = "a batch that memory can hold",
                                       .hint = "use a smaller batch_size, or check the shape"});
}

std::string words(const char* name, broch_dtype dtype, const Shape& shape) {
  return (name ? "'" + std::string(name) + "', " : "") + dtype_name(dtype) + " " + to_string(shape);
}

}  // namespace

Rows::~Rows() {
  for (Component& component : components_) dl_delete(component.data);
}

void Rows::begin(size_t index, Point& point) {
  const std::lock_guard lock(mutex_);
  filling_.push_back(&point);
  records_[index] = {};
}

void Rows::leave(Point& point) {
  const std::lock_guard lock(mutex_);
  complete(point);
  std::erase(filling_, &point);
}

void Rows::add_component(size_t row, const char* name, broch_dtype dtype, const Shape& shape) {
  if (shape.rank == BROCH_RANK_MAX)
    refuse(row, to_string(shape), "at most 7 dimensions, since a batch has one more");
  Shape of_batch;
  of_batch.rank = shape.rank + 1;
  of_batch.dims[0] = int64_t(records_.size());
  std::copy_n(shape.dims.begin(), shape.rank, of_batch.dims.begin() + 1);
  const size_t row_bytes = bytes_of_row(row, records_.size(), dtype, shape);
  // No component without memory is left behind if there is too little of it.
  Component made{name ? name : "", name != nullptr, dtype, shape, nullptr, row_bytes};
  components_.reserve(components_.size() + 1);
  made.data = dl_allocate(dtype, of_batch);
  components_.push_back(std::move(made));
}

void* Rows::slot(size_t row, size_t index, const char* name, broch_dtype dtype,
                 const Shape& shape) {
  const std::lock_guard lock(mutex_);
  if (index > components_.size())
    refuse(row, "component " + std::to_string(index) + " before those in front of it",
           "components one after the other");
  if (index == components_.size()) add_component(row, name, dtype, shape);
  const Component& own = components_[index];
  const bool same_name = own.has_name ? name && own.name == name : !name;
  if (!same_name || own.dtype != dtype || !(own.shape == shape))
    refuse(row, "component " + std::to_string(index) + ": " + words(name, dtype, shape),
           words(own.has_name ? own.name.c_str() : nullptr, own.dtype, own.shape) +
               " as in another row");
  return static_cast<std::byte*>(own.data->dl_tensor.data) + row * own.row_bytes;
}

// Keeps what is known about the row that the point has filled.
void Rows::complete(Point& point) {
  Record& record = records_[point.row_index_];
  record.complete = true;
  record.components = point.size();
  record.cursor = std::move(point.cursor);
  record.origin = point.origin.empty() ? record.cursor : std::move(point.origin);
  record.origin_of = point.origin_of;
  record.key = point.key;
}

void Rows::check(size_t count) const {
  for (size_t row = 0; row < count; ++row) {
    if (!records_[row].complete)
      refuse(row, "nothing", "a point, since the batch is to have " + std::to_string(count));
    if (records_[row].components != records_[0].components)
      refuse(row, std::to_string(records_[row].components) + " components",
             std::to_string(records_[0].components) + " as in row 0");
  }
}

// Key, cursor and origin of the batch.
void Rows::describe(size_t count, Point& batch) const {
  batch.key = records_[0].key;
  const Record& last = records_[count - 1];
  batch.cursor = last.cursor;
  batch.has_cursor = !last.cursor.empty();
  batch.origin.clear();
  batch.origin_of = records_[0].origin_of;
  for (size_t row = 0; row < std::min(count, kShown); ++row) {
    if (row) batch.origin += ", ";
    batch.origin += records_[row].origin;
    if (records_[row].origin_of != batch.origin_of) batch.origin_of = nullptr;
  }
}

void Rows::finish(size_t count, Point& batch) {
  const std::lock_guard lock(mutex_);
  for (Point* point : std::exchange(filling_, {})) {
    complete(*point);
    point->row_of_.reset();
    point->clear();
  }
  if (count == 0) return;
  check(count);
  const size_t used = records_[0].components;
  for (size_t i = 0; i < used; ++i) {
    Component& component = components_[i];
    component.data->dl_tensor.shape[0] = int64_t(count);
    // Not push: the batch may be a row of another one.
    batch.add(component.has_name ? component.name.c_str() : nullptr,
              std::exchange(component.data, nullptr));
  }
  describe(count, batch);
}

}  // namespace broch::runtime
