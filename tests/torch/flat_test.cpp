// flat_test.cpp: the layout of flat lists, and updates that are refused.
#include <cstdint>

#include "fixture.hpp"

using namespace broch::runtime;

TEST_CASE("flat: every view starts at 64 bytes, keeps shape and values, padding is zero") {
  const std::vector<Tensor> tensors{floats({1, 2, 3, 4, 5, 6, 7}, {7}), floats({8, 9}, {2, 1}),
                                    scalar(10), floats({}, {0})};
  const Backend::Flat flat = backend().flatten(tensors);
  REQUIRE(flat.views.size() == 4);
  for (size_t i = 0; i < tensors.size(); ++i) {
    CHECK(numbers(flat.views[i]) == numbers(tensors[i]));
    CHECK(shape_of(flat.views[i]) == shape_of(tensors[i]));
    CHECK(reinterpret_cast<uintptr_t>(backend().view(flat.views[i]).data) % 64 == 0);
  }
  CHECK(shape_of(flat.buffer) == std::vector<int64_t>{48});
  double sum = 0;
  for (const double x : numbers(flat.buffer)) sum += x;
  CHECK(sum == 55);
  backend().assign(flat.views[1], floats({80, 90}, {2, 1}));
  CHECK(numbers(flat.buffer)[16] == 80);
}

TEST_CASE("flat: zeros in the layout of a list") {
  const std::vector<Tensor> tensors{floats({1, 2, 3}, {3}), floats({8}, {1})};
  const Backend::Flat zeros = backend().flat_zeros_like(tensors);
  CHECK(numbers(zeros.buffer) == std::vector<double>(32, 0));
  CHECK(shape_of(zeros.views[0]) == std::vector<int64_t>{3});
}

TEST_CASE("flat: mixed dtypes and empty lists are refused") {
  const std::vector<Tensor> mixed{scalar(1), backend().zeros(BROCH_INT64, {0, {}}, {})};
  CHECK(has(error_of([&] { backend().flatten(mixed); }),
            "found int64 on cpu, expected float32 on cpu like the first"));
  CHECK(has(error_of([] { backend().flatten({}); }), "found no tensors"));
}

TEST_CASE("update: lists that do not belong together are refused") {
  UpdateStep step;
  step.rule = Rule::momentum;
  step.parameters = floats({1, 2}, {2});
  step.gradients = floats({1, 2}, {2});
  step.step = 1;
  CHECK(
      has(error_of([&] { backend().update(step); }), "found 0 slots at step 1, expected 1 slots"));
  step.slots = {floats({0}, {1})};
  CHECK(has(error_of([&] { backend().update(step); }), "found shape [1], expected the shape of"));
}
