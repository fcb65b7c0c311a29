// fixture.cpp: opening, making and reading.
#include "fixture.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace broch::runtime {

Backend& backend() {
  static Backend* const opened = [] {
    void* file = dlopen(BROCH_TORCH_FILE, RTLD_NOW | RTLD_LOCAL);
    if (!file) throw std::runtime_error(dlerror());
    using Open = Backend* (*)();
    Backend* made = reinterpret_cast<Open>(dlsym(file, "broch_torch_open"))();
    made->configure({.threads = 1, .deterministic = true});
    return made;
  }();
  return *opened;
}

static Tensor copied(const void* values, broch_dl_type dtype, std::vector<int64_t> shape) {
  broch_dl_tensor data{};
  data.data = const_cast<void*>(values);
  data.device = {BROCH_DL_CPU, 0};
  data.ndim = static_cast<int32_t>(shape.size());
  data.dtype = dtype;
  data.shape = shape.data();
  return backend().copy_in(data, {});
}

Tensor floats(const std::vector<float>& values, std::vector<int64_t> shape) {
  return copied(values.data(), {BROCH_DL_FLOAT, 32, 1}, std::move(shape));
}

Tensor bytes(const std::vector<uint8_t>& values, std::vector<int64_t> shape) {
  return copied(values.data(), {BROCH_DL_UINT, 8, 1}, std::move(shape));
}

Tensor scalar(float value) { return floats({value}, {}); }

std::vector<double> numbers(const Tensor& tensor) {
  std::vector<double> result(static_cast<size_t>(backend().info(tensor).shape.elements()));
  backend().copy_out(tensor, BROCH_FLOAT64, result.data(), result.size() * sizeof(double));
  return result;
}

std::vector<int64_t> shape_of(const Tensor& tensor) {
  const TensorInfo info = backend().info(tensor);
  return {info.shape.span().begin(), info.shape.span().end()};
}

namespace {
RawValue made(uint32_t tag, size_t length = 0) {
  RawValue value{};
  value.tag = tag;
  value.len = static_cast<uint32_t>(length);
  return value;
}
}  // namespace

RawValue none() { return made(BROCH_TAG_NONE); }
RawValue of(const Tensor& tensor) {
  RawValue value = made(BROCH_TAG_TENSOR);
  value.u.tensor = reinterpret_cast<broch_tensor>(tensor.impl());
  return value;
}
RawValue of(double number) {
  RawValue value = made(BROCH_TAG_DOUBLE);
  value.u.f64 = number;
  return value;
}
RawValue of(int64_t number) {
  RawValue value = made(BROCH_TAG_INT);
  value.u.i64 = number;
  return value;
}
RawValue of(bool flag) {
  RawValue value = made(BROCH_TAG_BOOL);
  value.u.i64 = flag;
  return value;
}
RawValue of(const char* text) {
  RawValue value = made(BROCH_TAG_STR, std::string(text).size());
  value.u.str = text;
  return value;
}
RawValue dtype(broch_dtype code) {
  RawValue value = made(BROCH_TAG_DTYPE);
  value.u.i64 = code;
  return value;
}
RawValue list(const std::vector<int64_t>& values) {
  RawValue value = made(BROCH_TAG_INTS, values.size());
  value.u.i64s = values.data();
  return value;
}
RawValue list(const std::vector<double>& values) {
  RawValue value = made(BROCH_TAG_DOUBLES, values.size());
  value.u.f64s = values.data();
  return value;
}
RawValue list(const std::vector<broch_tensor>& tensors) {
  RawValue value = made(BROCH_TAG_TENSORS, tensors.size());
  value.u.tensors = tensors.data();
  return value;
}
RawValue list(const std::vector<uint8_t>& booleans) {
  RawValue value = made(BROCH_TAG_BOOLS, booleans.size());
  value.u.bools = booleans.data();
  return value;
}

std::vector<Tensor> call(const std::string& schema, const std::vector<RawValue>& args) {
  RawValue results[8];
  const uint32_t count = backend().call(backend().resolve(schema), args.data(),
                                        static_cast<uint32_t>(args.size()), results, 8);
  std::vector<Tensor> tensors;
  for (uint32_t i = 0; i < count; ++i) {
    REQUIRE(results[i].tag == BROCH_TAG_TENSOR);
    tensors.emplace_back(reinterpret_cast<void*>(results[i].u.tensor), &backend().counting());
  }
  return tensors;
}

Tensor call1(const std::string& schema, const std::vector<RawValue>& args) {
  std::vector<Tensor> tensors = call(schema, args);
  REQUIRE(tensors.size() == 1);
  return tensors[0];
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace broch::runtime
