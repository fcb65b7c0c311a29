// made_points.cpp: data points with random content, always the same.
#include "made_points.hpp"

#include <cstring>
#include <limits>
#include <random>

#include "base/text.hpp"
#include "runtime/dlpack.hpp"

namespace broch::check {
namespace {

using Sizes = std::vector<int64_t>;

// Owns what a tensor of a point refers to.
struct Shared {
  broch_dl_managed managed{};
  Sizes shape, strides;
  std::shared_ptr<std::vector<std::byte>> memory;
};

broch_dl_managed* share(const MadeTensor& made) {
  auto* const shared = new Shared{
      .managed = {}, .shape = made.shape, .strides = made.strides, .memory = made.memory};
  broch_dl_managed& managed = shared->managed;
  managed.version = {1, 0};
  managed.manager_ctx = shared;
  managed.deleter = [](broch_dl_managed* self) { delete static_cast<Shared*>(self->manager_ctx); };
  broch_dl_tensor& tensor = managed.dl_tensor;
  tensor.data = shared->memory->data();
  tensor.device = {BROCH_DL_CPU, 0};
  tensor.ndim = int32_t(shared->shape.size());
  tensor.dtype = runtime::to_dl(made.dtype);
  tensor.shape = shared->shape.data();
  tensor.strides = shared->strides.empty() ? nullptr : shared->strides.data();
  tensor.byte_offset = made.offset;
  return &managed;
}

// Random numbers: integers of few bits as labels have them, floating point in [0, 1), any bytes.
std::shared_ptr<std::vector<std::byte>> content(broch_dtype dtype, size_t elements) {
  std::mt19937 random{1};
  auto memory = std::make_shared<std::vector<std::byte>>(elements * runtime::dtype_size(dtype));
  const auto fill = [&](auto make) {
    for (size_t i = 0; i < elements; ++i) {
      const auto value = make();
      std::memcpy(memory->data() + i * sizeof value, &value, sizeof value);
    }
  };
  if (dtype == BROCH_FLOAT32)
    fill([&] { return float(random() % 1000) / 1000; });
  else if (dtype == BROCH_FLOAT64)
    fill([&] { return double(random() % 1000) / 1000; });
  else if (dtype == BROCH_INT64)
    fill([&] { return int64_t(random() % 10); });
  else if (dtype == BROCH_INT32)
    fill([&] { return int32_t(random() % 10); });
  else if (dtype == BROCH_BOOL)
    fill([&] { return uint8_t(random() % 2); });
  else
    for (std::byte& byte : *memory) byte = std::byte(random());
  return memory;
}

MadeTensor tensor(broch_dtype dtype, Sizes shape, const char* name = nullptr) {
  size_t elements = 1;
  for (const int64_t size : shape) elements *= size_t(size);
  return {name, dtype, std::move(shape), {}, content(dtype, elements)};
}

// The same few bytes again and again.
MadeTensor repeated(broch_dtype dtype, Sizes shape) {
  return {nullptr, dtype, shape, Sizes(shape.size(), 0), content(dtype, 1)};
}

template <class T>
MadeTensor numbers(broch_dtype dtype, const std::vector<T>& values) {
  MadeTensor made = tensor(dtype, {int64_t(values.size())});
  std::memcpy(made.memory->data(), values.data(), values.size() * sizeof(T));
  return made;
}

std::string words(broch_dtype dtype, const Sizes& shape) {
  return std::string(runtime::dtype_name(dtype)) + " " + base::shape_text(shape);
}

MadePoint single(const MadeTensor& made, const std::string& remark = "") {
  return {words(made.dtype, made.shape) + remark, {made}};
}

constexpr broch_dtype kDtypes[] = {BROCH_FLOAT32, BROCH_FLOAT64, BROCH_FLOAT16,   BROCH_BFLOAT16,
                                   BROCH_INT8,    BROCH_INT16,   BROCH_INT32,     BROCH_INT64,
                                   BROCH_UINT8,   BROCH_BOOL,    BROCH_COMPLEX64, BROCH_COMPLEX128};

void add_strange_memory(std::vector<MadePoint>& points) {
  MadeTensor transposed = tensor(BROCH_UINT8, {12, 10, 3});
  transposed.strides = {1, 12, 120};
  points.push_back(single(transposed, " with the strides (1, 12, 120)"));
  MadeTensor backwards = tensor(BROCH_FLOAT32, {6});
  backwards.strides = {-1};
  backwards.offset = 5 * sizeof(float);
  points.push_back(single(backwards, " with the stride -1"));
  // More than an address space holds.
  points.push_back(single(repeated(BROCH_UINT8, {int64_t{1} << 48}), ", one byte repeated"));
  points.push_back(single(repeated(BROCH_FLOAT32, {int64_t{1} << 24, int64_t{1} << 24}),
                          ", one number repeated"));
  points.push_back(single(repeated(BROCH_UINT8, {int64_t{1} << 24, int64_t{1} << 24, 3}),
                          ", one byte repeated"));
}

void add_strange_numbers(std::vector<MadePoint>& points) {
  using Float = std::numeric_limits<float>;
  using Integer = std::numeric_limits<int64_t>;
  points.push_back(single(
      numbers<float>(BROCH_FLOAT32, {Float::quiet_NaN(), Float::infinity(), -Float::infinity(),
                                     Float::max(), Float::denorm_min(), -0.0F}),
      " of NaN, infinity and the like"));
  points.push_back(single(numbers<int64_t>(BROCH_INT64, {Integer::min(), Integer::max(), -1}),
                          " of the largest and smallest numbers"));
}

}  // namespace

MadePoint::MadePoint(std::string what, std::vector<MadeTensor> tensors)
    : what_(std::move(what)), tensors_(std::move(tensors)) {
  for (const MadeTensor& made : tensors_) originals_.push_back(*made.memory);
}

runtime::Point MadePoint::make(uint64_t key) const {
  runtime::Point point;
  for (const MadeTensor& made : tensors_) point.add(made.name, share(made));
  point.key = key;
  return point;
}

int MadePoint::changed() const {
  for (size_t i = 0; i < tensors_.size(); ++i)
    if (*tensors_[i].memory != originals_[i]) return int(i);
  return -1;
}

std::vector<MadePoint> usual_points() {
  const Sizes image = {12, 10, 3};
  std::vector<MadePoint> points;
  for (const Sizes& shape : {Sizes{}, Sizes{6}, Sizes{4, 3}, image})
    points.push_back(single(tensor(BROCH_FLOAT32, shape)));
  for (const Sizes& shape : {image, Sizes{12, 10}, Sizes{64}})
    points.push_back(single(tensor(BROCH_UINT8, shape)));
  points.emplace_back("an image and a label",
                      std::vector{tensor(BROCH_UINT8, image), tensor(BROCH_INT64, {})});
  points.emplace_back(
      "an image and a label with names",
      std::vector{tensor(BROCH_UINT8, image, "image"), tensor(BROCH_INT64, {}, "label")});
  points.emplace_back("numbers and a label with names",
                      std::vector{tensor(BROCH_FLOAT32, {4}, "x"), tensor(BROCH_INT64, {}, "y")});
  return points;
}

std::vector<MadePoint> odd_points() {
  std::vector<MadePoint> points;
  points.emplace_back("no components", std::vector<MadeTensor>{});
  points.emplace_back("100 components", std::vector<MadeTensor>(100, tensor(BROCH_FLOAT32, {2})));
  points.emplace_back("two components with one name",
                      std::vector<MadeTensor>(2, tensor(BROCH_FLOAT32, {2}, "x")));
  for (const broch_dtype dtype : kDtypes)
    for (const Sizes& shape : {Sizes{}, Sizes{2, 3}, Sizes{0}, Sizes{4, 0, 3}})
      points.push_back(single(tensor(dtype, shape)));
  for (const Sizes& shape : {Sizes{1, 1, 1}, Sizes{1, 5000, 3}, Sizes{3, 2, 1, 1, 1, 1, 2, 2}})
    for (const broch_dtype dtype : {BROCH_UINT8, BROCH_FLOAT32})
      points.push_back(single(tensor(dtype, shape)));
  add_strange_memory(points);
  add_strange_numbers(points);
  return points;
}

}  // namespace broch::check
