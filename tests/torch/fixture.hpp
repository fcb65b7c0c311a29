// fixture.hpp: the backend as the program opens it, and short words for tests.
#pragma once
#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "runtime/backend.hpp"

namespace broch::runtime {

Backend& backend();  // one thread, deterministic

Tensor floats(const std::vector<float>& values, std::vector<int64_t> shape);
Tensor bytes(const std::vector<uint8_t>& values, std::vector<int64_t> shape);
Tensor scalar(float value);
std::vector<double> numbers(const Tensor& tensor);  // all elements, row-major
std::vector<int64_t> shape_of(const Tensor& tensor);

RawValue none();
RawValue of(const Tensor& tensor);
RawValue of(double value);
RawValue of(int64_t value);
RawValue of(bool value);
RawValue of(const char* text);
RawValue dtype(broch_dtype value);
RawValue list(const std::vector<int64_t>& values);  // borrowed
RawValue list(const std::vector<double>& values);
RawValue list(const std::vector<broch_tensor>& tensors);
RawValue list(const std::vector<uint8_t>& booleans);

// All results, up to 8, tensors as tensors; numbers are not expected.
std::vector<Tensor> call(const std::string& schema, const std::vector<RawValue>& args);
Tensor call1(const std::string& schema, const std::vector<RawValue>& args);

// What body throws, or "".
template <class Body>
std::string error_of(Body&& body) {
  try {
    body();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}
bool has(const std::string& text, const std::string& part);

// One key for all operators; the counter counts calls.
struct CountingDraws final : Draws {
  explicit CountingDraws(uint64_t key, uint64_t counter = 0) : key(key), counter(counter) {}
  Device device() const override { return {}; }
  DrawKey next(std::string_view name) override {
    last = name;
    return {key, counter++};
  }
  uint64_t key, counter;
  std::string last;
};

}  // namespace broch::runtime
