// tensors_test.cpp: tensors as data, the device question, the version.
#include "fixture.hpp"

using namespace broch::runtime;

TEST_CASE("tensors: item wants one real element") {
  CHECK(backend().item(scalar(2.5)) == 2.5);
  CHECK(backend().item(floats({3}, {1, 1})) == 3);
  CHECK(has(error_of([] {
              backend().item(floats({1, 2}, {2}));
            }),
            "item: found float32 [2], expected one real element"));
}

TEST_CASE("tensors: copy_out converts, and wants exactly the room") {
  const Tensor x = floats({1.5, -2.5}, {2});
  int64_t whole[2] = {};
  backend().copy_out(x, BROCH_INT64, whole, sizeof(whole));
  CHECK(whole[0] == 1);
  CHECK(whole[1] == -2);
  float same[2] = {};
  backend().copy_out(x, 0, same, sizeof(same));
  CHECK(same[1] == -2.5f);
  CHECK(has(error_of([&] { backend().copy_out(x, 0, same, 4); }),
            "copy_out: found room for 4 bytes, expected 8 for float32 [2]"));
}

TEST_CASE("tensors: copy is apart, detach is the same memory, assign writes through") {
  const Tensor x = floats({1, 2}, {2}), alias = backend().detach(x), copy = backend().copy(x, {});
  backend().assign(x, floats({7, 8}, {2}));
  CHECK(numbers(alias) == std::vector<double>{7, 8});
  CHECK(numbers(copy) == std::vector<double>{1, 2});
  CHECK(has(error_of([&] {
              backend().assign(x, floats({1, 2, 3}, {3}));
            }),
            "assign: found float32 [3], expected float32 [2] like the variable"));
  CHECK(has(error_of([&] {
              backend().assign(x, backend().zeros(BROCH_INT64, {1, {2}}, {}));
            }),
            "assign: found int64 [2]"));
}

TEST_CASE("tensors: assign does not count as a change for graphs that hold the variable") {
  const auto guard = backend().enter(true, nullptr);
  const Tensor variable = floats({1, 2}, {2}), x = backend().leaf(variable);
  const Tensor cost =
      call1("aten::sum(Tensor self) -> Tensor",
            {of(call1("aten::mul.Tensor(Tensor self, Tensor other) -> Tensor", {of(x), of(x)}))});
  backend().assign(variable, floats({5, 6}, {2}));
  CHECK(numbers(backend().grad(std::span(&cost, 1), std::span(&x, 1), {}, false, false)[0]) ==
        std::vector<double>{10, 12});
}

TEST_CASE("tensors: info says dtype, shape and whether a gradient is wanted") {
  const Tensor x = backend().leaf(floats({1, 2}, {1, 2}));
  const TensorInfo info = backend().info(x);
  CHECK(info.dtype == BROCH_FLOAT32);
  CHECK(info.shape == Shape{2, {1, 2}});
  CHECK(info.device == Device{});
  CHECK(info.requires_grad);
}

TEST_CASE("tensors: references are counted") {
  Tensor a = floats({1}, {1});
  const Tensor b = a;
  a = Tensor();
  CHECK(backend().item(b) == 1);
}

TEST_CASE("backend: cpu devices are there, a missing cuda device says why") {
  CHECK(backend().has_device({BROCH_DL_CPU, 3}));
  const Device cuda{BROCH_DL_CUDA, 99};
  CHECK(!backend().has_device(cuda));
  MESSAGE("cuda:99: " << backend().why_not(cuda));
  CHECK(has(backend().why_not(cuda), "CUDA"));
  CHECK(has(backend().why_not({77, 0}), "no device of type 77"));
}

TEST_CASE("backend: lists on GPUs are added by NCCL, others are not") {
  CHECK(backend().sum_over_devices({}, 0).empty());
  const std::vector<Tensor> here{floats({1, 2}, {2}), floats({3, 4}, {2})};
  CHECK(backend().sum_over_devices(here, 1).empty());
  const Device gpu{BROCH_DL_CUDA, 0}, other{BROCH_DL_CUDA, 1};
  if (!backend().has_device(gpu)) {
    MESSAGE("skipped: " << backend().why_not(gpu));
    return;
  }
  std::vector<Tensor> there{backend().copy(here[0], gpu)};
  CHECK(numbers(backend().sum_over_devices(there, 1)[0]) == std::vector<double>{1, 2});
  there.push_back(backend().copy(here[1], gpu));
  CHECK(backend().sum_over_devices(there, 1).empty());  // one GPU
  if (!backend().has_device(other)) return;
  there[1] = backend().copy(here[1], other);
  CHECK(numbers(backend().sum_over_devices(there, 1)[0]) == std::vector<double>{4, 6});
}

TEST_CASE("backend: the version names LibTorch and the instruction set") {
  MESSAGE(backend().version());
  CHECK(has(backend().version(), "LibTorch 2."));
  CHECK(has(backend().version(), "("));
}
