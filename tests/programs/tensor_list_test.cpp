// tensor_list_test.cpp: points of tensorpack as lists of tensors for ZMQInput.
#include "zmq/tensor_list.hpp"

#include <doctest/doctest.h>

#include <broch/cpp/error.hpp>

namespace {

template <class T>
std::string number(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
std::string tensor(int32_t dtype, const std::vector<int32_t>& shape, int64_t size,
                   const std::string& elements) {
  std::string text = number(dtype) + number(int32_t(shape.size()));
  for (const int32_t dimension : shape) text += number(dimension);
  return text + number(size) + elements;
}

}  // namespace

TEST_CASE("zmq_ops: lists of tensors, and what is none") {
  const std::string message = number(int32_t(2)) + tensor(1, {2}, 8, number(1.5f) + number(2.5f)) +
                              tensor(9, {}, 8, number(int64_t(7)));
  const auto point = zmq_ops::parse_point(message, "m");
  REQUIRE(point.size() == 2);
  CHECK(containers::same_type(point[0].component.type, containers::kFloat32));
  CHECK(point[0].component.shape == std::vector<int64_t>{2});
  CHECK(point[0].component.bytes() == number(1.5f) + number(2.5f));
  CHECK(containers::same_type(point[1].component.type, containers::kInt64));
  CHECK(point[1].component.shape.empty());
  for (size_t size = 0; size < message.size(); ++size)
    CHECK_THROWS_AS(zmq_ops::parse_point(message.substr(0, size), "m"), broch::Error);
  const std::string one = number(int32_t(1));
  for (const std::string& wrong :
       {message + "x", number(int32_t(-1)), number(int32_t(0)), one + tensor(7, {}, 4, "abcd"),
        one + tensor(1, {-1}, 4, "abcd"), one + tensor(1, {2}, 4, "abcd"),
        one + tensor(1, {1}, -4, "abcd"), one + number(int32_t(1)) + number(int32_t(99)),
        one + tensor(1, {1 << 30, 1 << 30, 1 << 30}, 0, "")})
    CHECK_THROWS_AS(zmq_ops::parse_point(wrong, "m"), broch::Error);
}
