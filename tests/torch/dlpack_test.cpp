// dlpack_test.cpp: tensors in plain memory, in and out.
#include <cstdint>
#include <cstdlib>

#include "fixture.hpp"

using namespace broch::runtime;

namespace {

// A float32 view that tests bend.
struct View {
  std::vector<int64_t> shape, strides;
  broch_dl_tensor data{};
  View(const void* memory, std::vector<int64_t> dims, std::vector<int64_t> steps = {})
      : shape(std::move(dims)), strides(std::move(steps)) {
    data.data = const_cast<void*>(memory);
    data.device = {BROCH_DL_CPU, 0};
    data.ndim = static_cast<int32_t>(shape.size());
    data.dtype = {BROCH_DL_FLOAT, 32, 1};
    data.shape = shape.data();
    data.strides = strides.empty() ? nullptr : strides.data();
  }
};

std::string refusal(const broch_dl_tensor& data) {
  return error_of([&] { backend().copy_in(data, {}); });
}

// Memory that counts how often it was given back.
struct Given {
  alignas(64) float values[24] = {1, 2, 3, 4, 5, 6};
  int64_t shape[1] = {6};
  int deleted = 0;
  broch_dl_managed managed{};
  explicit Given(size_t misplaced = 0) {
    managed.version = {1, 0};
    managed.manager_ctx = this;
    managed.deleter = [](broch_dl_managed* self) {
      ++static_cast<Given*>(self->manager_ctx)->deleted;
    };
    managed.dl_tensor = View(values, {}).data;
    managed.dl_tensor.ndim = 1;
    managed.dl_tensor.shape = shape;
    managed.dl_tensor.byte_offset = misplaced;
  }
};

const float kValues[] = {1, 2, 3, 4, 5, 6};

}  // namespace

TEST_CASE("dlpack: compact, strided and shifted memory is copied in order") {
  CHECK(numbers(backend().copy_in(View(kValues, {2, 3}).data, {})) ==
        std::vector<double>{1, 2, 3, 4, 5, 6});
  const Tensor turned = backend().copy_in(View(kValues, {3, 2}, {1, 3}).data, {});
  CHECK(numbers(turned) == std::vector<double>{1, 4, 2, 5, 3, 6});
  View shifted(kValues, {2}, {2});
  shifted.data.byte_offset = 4;
  CHECK(numbers(backend().copy_in(shifted.data, {})) == std::vector<double>{2, 4});
  CHECK(numbers(backend().copy_in(View(kValues, {3}, {0}).data, {})) ==
        std::vector<double>{1, 1, 1});
}

TEST_CASE("dlpack: no dimensions, no elements, eight dimensions") {
  CHECK(shape_of(backend().copy_in(View(kValues, {}).data, {})).empty());
  CHECK(shape_of(backend().copy_in(View(nullptr, {2, 0, 3}).data, {})) ==
        std::vector<int64_t>{2, 0, 3});
  CHECK(shape_of(backend().copy_in(View(kValues, std::vector<int64_t>(8, 1)).data, {})).size() ==
        8);
}

TEST_CASE("dlpack: what is no tensor of ours is refused") {
  CHECK(has(refusal(View(kValues, std::vector<int64_t>(9, 1)).data), "9"));
  CHECK(has(refusal(View(kValues, {-1}).data), "-1"));
  CHECK(has(refusal(View(nullptr, {1}).data), "no memory for 1 elements"));
  CHECK(has(refusal(View(kValues, {1LL << 40, 1LL << 40}).data), "more elements"));
  CHECK(has(refusal(View(kValues, {2}, {-1}).data), "found stride -1"));
  View lanes(kValues, {1});
  lanes.data.dtype.lanes = 4;
  CHECK(has(refusal(lanes.data), "4 lanes"));
  View strange(kValues, {1});
  strange.data.dtype = {17, 4, 1};
  CHECK(has(refusal(strange.data), "type code 17"));
  View elsewhere(kValues, {1});
  elsewhere.data.device = {BROCH_DL_CUDA, 99};
  CHECK(has(refusal(elsewhere.data), "memory of cuda:99"));
  View odd(kValues, {1});
  odd.data.byte_offset = 1;
  CHECK(has(refusal(odd.data), "an address that is no multiple of 4"));
}

TEST_CASE("dlpack: aligned compact memory is taken as it is, and given back with its last tensor") {
  Given given;
  Tensor tensor = backend().take(&given.managed, {});
  given.values[0] = 10;
  CHECK(numbers(tensor)[0] == 10);
  Tensor alias = backend().detach(tensor);
  tensor = {};
  CHECK(given.deleted == 0);
  alias = {};
  CHECK(given.deleted == 1);
}

TEST_CASE("dlpack: other memory is copied and given back at once") {
  Given shifted(4), read_only, old, refused;
  const Tensor copy = backend().take(&shifted.managed, {});
  CHECK(shifted.deleted == 1);
  CHECK(numbers(copy) == std::vector<double>{2, 3, 4, 5, 6, 0});
  read_only.managed.flags = BROCH_DL_READ_ONLY;
  backend().take(&read_only.managed, {});
  CHECK(read_only.deleted == 1);
  old.managed.version.major = 2;
  CHECK(
      has(error_of([&] { backend().take(&old.managed, {}); }), "version 2.0, expected version 1"));
  CHECK(old.deleted == 1);
  refused.managed.dl_tensor.dtype.lanes = 2;
  CHECK(has(error_of([&] { backend().take(&refused.managed, {}); }), "2 lanes"));
  CHECK(refused.deleted == 1);
  Given silent;
  silent.managed.deleter = nullptr;
  CHECK(numbers(backend().take(&silent.managed, {})).size() == 6);
}

TEST_CASE("dlpack: an export keeps its tensor alive and comes back in") {
  broch_dl_managed* out = nullptr;
  {
    const Tensor x = floats({1, 2, 3, 4, 5, 6}, {2, 3});
    out = backend().share_out(call1("aten::t(Tensor(a) self) -> Tensor(a)", {of(x)}));
  }
  CHECK(out->dl_tensor.ndim == 2);
  CHECK(out->dl_tensor.shape[0] == 3);
  CHECK(out->dl_tensor.strides[0] == 1);
  CHECK(numbers(backend().take(out, {})) == std::vector<double>{1, 4, 2, 5, 3, 6});
}

TEST_CASE("dlpack: every dtype goes round") {
  for (broch_dtype dtype = BROCH_FLOAT32; dtype <= BROCH_COMPLEX128; ++dtype) {
    CAPTURE(dtype_name(dtype));
    Shape shape;
    shape.rank = 1;
    shape.dims[0] = 3;
    const Tensor x = backend().zeros(dtype, shape, {});
    const broch_dl_tensor view = backend().view(x);
    CHECK(from_dl(view.dtype) == dtype);
    CHECK(backend().info(backend().copy_in(view, {})).dtype == dtype);
  }
}

TEST_CASE("dlpack: a tensor that requires a gradient is not exported") {
  const auto guard = backend().enter(true, nullptr);
  const Tensor x = backend().leaf(floats({1}, {1}));
  CHECK(has(error_of([&] { backend().share_out(x); }), "requires a gradient"));
  CHECK(backend().view(x).ndim == 1);
}
