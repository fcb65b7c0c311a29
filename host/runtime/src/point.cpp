// point.cpp: the components of a data point, and the ownership of their memory.
#include "runtime/point.hpp"

#include <algorithm>
#include <utility>

#include "abi/thread.hpp"
#include "base/error.hpp"
#include "rows.hpp"
#include "runtime/backend.hpp"
#include "runtime/dlpack.hpp"

namespace broch::runtime {

Point::Point(Point&& other) noexcept { take_all(other); }

Point& Point::operator=(Point&& other) noexcept {
  if (this == &other) return *this;
  take_all(other);
  return *this;
}

// REQUIRES: this point is no row, or the components fit into it.
void Point::take_all(Point& other) {
  if (this == &other) return;
  clear();
  other.drop_taken();
  cursor = std::move(other.cursor);
  has_cursor = std::exchange(other.has_cursor, false);
  any_rank = std::exchange(other.any_rank, false);
  key = std::exchange(other.key, 0);
  origin = std::move(other.origin);
  origin_of = std::exchange(other.origin_of, nullptr);
  if (row_of_ || other.row_of_) {
    for (size_t i = 0; i < other.size(); ++i) move_component(other, i);
  } else {
    components_.swap(other.components_);  // whose memory is used again
  }
  other.clear();
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
  if (row_of_)
    dl_copy(data, allocate(name, info.dtype, info.shape));
  else
    push(name, dl_clone(data));
}

void Point::add(const char* name, broch_dl_managed* data) {
  DlpackOwner owner(data);
  check_dl_version(*data);
  describe_dl(data->dl_tensor);
  if (row_of_)
    add_copy(name, data->dl_tensor);
  else
    push(name, owner.release());
}

namespace {

// A tensor in the memory of a batch, which is not its own.
struct RowView {
  broch_dl_managed managed{};
  Shape shape;
};

broch_dl_managed* view_of_row(broch_dtype dtype, const Shape& shape, void* memory) {
  auto* const view = new RowView{.managed = {}, .shape = shape};
  view->managed.version = {1, 0};
  view->managed.manager_ctx = view;
  view->managed.deleter = [](broch_dl_managed* self) {
    delete static_cast<RowView*>(self->manager_ctx);
  };
  broch_dl_tensor& tensor = view->managed.dl_tensor;
  tensor.data = memory;
  tensor.device = {BROCH_DL_CPU, 0};
  tensor.ndim = int32_t(shape.rank);
  tensor.dtype = to_dl(dtype);
  tensor.shape = view->shape.dims.data();
  return &view->managed;
}

}  // namespace

void* Point::allocate(const char* name, broch_dtype dtype, const Shape& shape) {
  if (row_of_) {
    void* const memory = row_of_->slot(row_index_, size(), name, dtype, shape);
    push(name, view_of_row(dtype, shape, memory));
    return memory;
  }
  broch_dl_managed* const data = dl_allocate(dtype, shape);
  push(name, data);
  return data->dl_tensor.data;
}

void Point::move_component(Point& from, size_t index) {
  const char* const its_name = from.name(index);
  if (row_of_ || from.row_of_) {  // its memory belongs to a batch
    add_copy(its_name, from.tensor(index));
    dl_delete(from.take(index));
  } else {
    push(its_name, from.take(index));
  }
}

void Point::stage(Backend& backend, Device device) {
  for (Component& component : components_)
    if (component.data)
      component.data = backend.stage(std::exchange(component.data, nullptr), device);
}

void Point::begin_row(size_t index, size_t n, Point& row) {
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw base::Error(base::Exit::training,
                      {.where = "row " + std::to_string(index) + " of a batch",
                       .found = found,
                       .expected = expected,
                       .hint = "this is a mistake in the component that makes the batch"});
  };
  if (rows_ && rows_->count() != n)
    refuse(std::to_string(n) + " rows", std::to_string(rows_->count()) + " as in the first row");
  if (index >= n) refuse("no room", "an index below " + std::to_string(n));
  if (&row == this || row.rows_) refuse("a batch as a row", "another point");
  if (!rows_) rows_ = std::make_shared<Rows>(n);
  row.clear_all();
  row.row_of_ = rows_;
  row.row_index_ = index;
  rows_->begin(index, row);
}

void Point::end_rows(size_t count) {
  const std::shared_ptr<Rows> rows = std::exchange(rows_, nullptr);
  clear();
  if (rows && count <= rows->count()) return rows->finish(count, *this);
  if (rows || count)
    throw base::Error(base::Exit::training,
                      {.where = "a batch of " + std::to_string(count) + " rows",
                       .found = rows ? "room for " + std::to_string(rows->count()) : "no row",
                       .expected = rows ? "at most as many rows" : "row_begin before rows_end",
                       .hint = "this is a mistake in the component that makes the batch"});
}

void Point::drop_taken() {
  std::erase_if(components_, [](const Component& component) { return !component.data; });
}

void Point::clear() {
  for (Component& component : components_) dl_delete(component.data);
  components_.clear();
  cursor.clear();
  has_cursor = false;
  any_rank = false;
  key = 0;
  origin.clear();
  origin_of = nullptr;
}

void Point::clear_all() {
  if (const std::shared_ptr<Rows> rows = std::exchange(row_of_, nullptr)) rows->leave(*this);
  rows_.reset();
  emitted.clear();
  emitted_taken = 0;
  clear();
}

Point::~Point() { clear_all(); }

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
    : point_(point),
      mark_(abi::Arena::of_this_thread().mark()),
      handle_(abi::Arena::of_this_thread().add(abi::Kind::point, {&point, nullptr}, 0)) {}

LentPoint::~LentPoint() {
  abi::Arena::of_this_thread().cut(mark_);
  point_.drop_taken();
}

}  // namespace broch::runtime
