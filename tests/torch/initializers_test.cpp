// initializers_test.cpp: first values by key, shape and dtype.
#include <algorithm>
#include <cmath>
#include <thread>

#include "fixture.hpp"

using namespace broch::runtime;

namespace {

struct Spec {
  std::vector<int64_t> shape;
  broch_variable_spec spec{};
  Spec(int32_t initializer, std::vector<int64_t> dims, double a, double b = 0,
       broch_dtype type = BROCH_FLOAT32)
      : shape(std::move(dims)) {
    spec.struct_size = sizeof(spec);
    spec.dtype = type;
    spec.rank = static_cast<uint32_t>(shape.size());
    spec.shape = shape.data();
    spec.initializer = initializer;
    spec.a = a;
    spec.b = b;
  }
};

std::vector<double> drawn(const Spec& spec, uint64_t key = 1) {
  return numbers(backend().initial(spec.spec, key, {}));
}
std::string refusal(const Spec& spec) {
  return error_of([&] { backend().initial(spec.spec, 1, {}); });
}
double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double x : values) sum += x;
  return sum / static_cast<double>(values.size());
}
double deviation(const std::vector<double>& values) {
  double sum = 0;
  for (const double x : values) sum += x * x;
  return std::sqrt(sum / static_cast<double>(values.size()));
}
double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double x : values) result = std::max(result, std::abs(x));
  return result;
}

}  // namespace

TEST_CASE("initial: constants in every dtype") {
  CHECK(drawn(Spec(BROCH_INIT_CONSTANT, {2}, 3, 0, BROCH_INT64)) == std::vector<double>{3, 3});
  CHECK(drawn(Spec(BROCH_INIT_CONSTANT, {}, 0.25, 0, BROCH_BFLOAT16)) == std::vector<double>{0.25});
  CHECK(drawn(Spec(BROCH_INIT_CONSTANT, {0}, 1)).empty());
}

TEST_CASE("initial: the draw depends on the key and not on threads or order") {
  const Spec spec(BROCH_INIT_NORMAL, {33, 7}, 0, 1);
  const std::vector<double> first = drawn(spec, 5);
  CHECK(drawn(spec, 6) != first);
  CHECK(drawn(spec, 5 + (uint64_t{1} << 32)) != first);
  std::vector<double> elsewhere;
  std::thread([&] { elsewhere = drawn(spec, 5); }).join();
  CHECK(elsewhere == first);
}

// Recorded once: checkpoints and seeds rely on them. The first word of Philox(1, 0) is independent.
TEST_CASE("initial: draws stay what they are") {
  const std::vector<double> uniform = drawn(Spec(BROCH_INIT_UNIFORM, {4}, 0, 1), 0);
  CHECK(uniform[0] == (0x6627e8d5 >> 8) * 0x1p-24);
  CHECK(uniform[1] == (0xe169c58d >> 8) * 0x1p-24);
  CHECK(uniform[2] == (0xbc57ac4c >> 8) * 0x1p-24);
  CHECK(uniform[3] == (0x9b00dbd8 >> 8) * 0x1p-24);
  // Box and Muller of the same four words, computed apart with 53 bits each.
  const double u1 = ((0x6627e8d5 >> 5) * 0x1p26 + (0xe169c58d >> 6)) * 0x1p-53;
  const double u2 = ((0xbc57ac4c >> 5) * 0x1p26 + (0x9b00dbd8 >> 6)) * 0x1p-53;
  const std::vector<double> normal = drawn(Spec(BROCH_INIT_NORMAL, {2}, 0, 1, BROCH_FLOAT64), 0);
  CHECK(normal[0] == doctest::Approx(std::sqrt(-2 * std::log1p(-u1)) * std::cos(2 * M_PI * u2)));
  CHECK(normal[1] == doctest::Approx(std::sqrt(-2 * std::log1p(-u1)) * std::sin(2 * M_PI * u2)));
}

TEST_CASE("initial: ranges, moments and fans") {
  const std::vector<double> uniform = drawn(Spec(BROCH_INIT_UNIFORM, {10000}, -1, 3));
  CHECK(mean(uniform) == doctest::Approx(1).epsilon(0.05));
  CHECK(*std::min_element(uniform.begin(), uniform.end()) >= -1);
  CHECK(*std::max_element(uniform.begin(), uniform.end()) <= 3);

  const std::vector<double> normal = drawn(Spec(BROCH_INIT_NORMAL, {10000}, 0, 2));
  CHECK(deviation(normal) == doctest::Approx(2).epsilon(0.05));
  CHECK(largest(normal) > 6);

  // Standard normal cut at 2: deviation 0.8796.
  const std::vector<double> cut = drawn(Spec(BROCH_INIT_TRUNCATED_NORMAL, {10000}, 0, 2));
  CHECK(largest(cut) <= 4);
  CHECK(deviation(cut) == doctest::Approx(2 * 0.8796).epsilon(0.05));

  // (out 40, in 25, 3, 3): fan_in 225, fan_out 360.
  CHECK(deviation(drawn(Spec(BROCH_INIT_HE_NORMAL, {40, 25, 3, 3}, 1))) ==
        doctest::Approx(std::sqrt(2.0 / 225)).epsilon(0.05));
  const double glorot = std::sqrt(6.0 / (225 + 360));
  const double glorot_largest = largest(drawn(Spec(BROCH_INIT_GLOROT_UNIFORM, {40, 25, 3, 3}, 1)));
  CHECK(glorot_largest <= glorot * (1 + 1e-6));
  CHECK(glorot_largest > glorot * 0.99);
  const double lecun_largest = largest(drawn(Spec(BROCH_INIT_LECUN_UNIFORM, {40, 225}, 2)));
  CHECK(lecun_largest <= 2.0 / 15 * (1 + 1e-6));
  CHECK(lecun_largest > 2.0 / 15 * 0.99);
}

TEST_CASE("initial: orthogonal rows or columns, whichever are fewer") {
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{5, 17}, {17, 5}, {6, 2, 3}, {3, 3}}) {
    CAPTURE(shape[0]);
    const auto q = drawn(Spec(BROCH_INIT_ORTHOGONAL, shape, 1.5, 0, BROCH_FLOAT64));
    const auto rows = static_cast<size_t>(shape[0]), columns = q.size() / rows;
    const bool tall = rows > columns;
    const size_t count = tall ? columns : rows, length = tall ? rows : columns;
    const auto at = [&](size_t i, size_t k) {
      return tall ? q[k * columns + i] : q[i * columns + k];
    };
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = 0; j <= i; ++j) {
        double product = 0;
        for (size_t k = 0; k < length; ++k) product += at(i, k) * at(j, k);
        CHECK(product == doctest::Approx(i == j ? 2.25 : 0).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("initial: given values, of the right shape and dtype only") {
  Spec spec(BROCH_INIT_VALUES, {2}, 0);
  float values[] = {1.5, 2.5};
  int64_t shape[] = {2};
  broch_dl_tensor data{};
  data.data = values;
  data.device = {BROCH_DL_CPU, 0};
  data.ndim = 1;
  data.dtype = {BROCH_DL_FLOAT, 32, 1};
  data.shape = shape;
  spec.spec.values = &data;
  const Tensor variable = backend().initial(spec.spec, 1, {});
  values[0] = 9;
  CHECK(numbers(variable) == std::vector<double>{1.5, 2.5});
  shape[0] = 1;
  CHECK(has(refusal(spec), "found values float32 [1], expected float32 [2]"));
}

TEST_CASE("initial: what an initializer cannot serve is refused") {
  CHECK(
      has(refusal(Spec(BROCH_INIT_HE_NORMAL, {8}, 1)), "found a shape of rank 1, expected rank 2"));
  CHECK(has(refusal(Spec(BROCH_INIT_HE_NORMAL, {8, 8}, 0)), "found scale a = 0"));
  CHECK(has(refusal(Spec(BROCH_INIT_ORTHOGONAL, {8}, 1)), "found a shape of rank 1"));
  CHECK(has(refusal(Spec(BROCH_INIT_UNIFORM, {8}, 1, 0)), "found upper end b = 0"));
  CHECK(has(refusal(Spec(BROCH_INIT_NORMAL, {8}, 0, NAN)), "found standard deviation b = nan"));
  CHECK(has(refusal(Spec(BROCH_INIT_NORMAL, {8}, 0, 1, BROCH_INT32)), "found dtype int32"));
  CHECK(has(refusal(Spec(99, {8}, 0, 1)), "found code 99"));
  CHECK(has(refusal(Spec(BROCH_INIT_CONSTANT, {-1}, 0)), "found dimension -1"));
}
