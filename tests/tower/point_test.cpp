// point_test.cpp: data points: filled, moved, checked against a signature; cancel.
#include <doctest/doctest.h>
#include <poll.h>

#include <chrono>
#include <thread>

#include "runtime/cancel.hpp"
#include "runtime/dlpack.hpp"
#include "world.hpp"

using namespace broch;
using namespace broch::test;
using runtime::Point;

namespace {

struct Plain {
  std::vector<float> values;
  std::vector<int64_t> shape;
  broch_dl_tensor tensor;

  explicit Plain(std::vector<int64_t> sizes) : shape(std::move(sizes)) {
    int64_t count = 1;
    for (const int64_t size : shape) count *= size;
    values.assign(static_cast<size_t>(count), 1);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    tensor = {values.data(),
              {BROCH_DL_CPU, 0},
              static_cast<int32_t>(shape.size()),
              runtime::to_dl(BROCH_FLOAT32),
              shape.data(),
              nullptr,
              0};
  }
};

std::string refusal(const Point& point, const std::vector<abi::InputSpec>& signature) {
  const auto backend = runtime::make_null_backend();
  return error_of([&] { runtime::point_tensors(*backend, point, signature, {}); });
}

}  // namespace

TEST_CASE("point: components keep their order, or are found by name") {
  const auto backend = runtime::make_null_backend();
  const std::vector<abi::InputSpec> signature = {input("image", {-1, 3}, {"B", ""}),
                                                 input("weight", {-1}, {"B"})};
  Plain image({2, 3}), weight({2});
  image.values[0] = 7;
  Point ordered;
  ordered.add_copy(nullptr, image.tensor);
  ordered.add_copy(nullptr, weight.tensor);
  CHECK_FALSE(ordered.named());
  CHECK(backend->item(runtime::point_tensors(*backend, ordered, signature, {})[0]) == 7);
  Point named;
  named.add_copy("weight", weight.tensor);
  named.add_copy("image", image.tensor);
  CHECK(named.named());
  std::vector<runtime::Tensor> tensors;
  runtime::take_tensors(*backend, named, signature, {}, tensors);
  CHECK(backend->info(tensors[0]).shape.rank == 2);
  CHECK(backend->info(tensors[1]).shape.rank == 1);
}

TEST_CASE(
    "point: every difference from the signature names the input, what was found and expected") {
  const std::vector<abi::InputSpec> signature = {input("image", {-1, 3}, {"B", ""}),
                                                 input("label", {-1}, {"B"})};
  Plain image({2, 3}), label({2}), five({5}), wide({2, 4});
  const auto with = [&](const char* a, const broch_dl_tensor& first, const char* b,
                        const broch_dl_tensor& second) {
    Point point;
    point.add_copy(a, first);
    point.add_copy(b, second);
    return refusal(point, signature);
  };
  CHECK(with(nullptr, image.tensor, nullptr, label.tensor).empty());
  CHECK(has(with(nullptr, image.tensor, nullptr, five.tensor),
            "5: input 'label': shape (5,), expected (B,) with B = 2 as in input 'image'"));
  CHECK(has(with(nullptr, wide.tensor, nullptr, label.tensor),
            "5: input 'image': shape (2, 4), expected (B, 3)"));
  CHECK(has(with(nullptr, label.tensor, nullptr, label.tensor),
            "input 'image': shape (2,), expected (B, 3)"));
  CHECK(has(with("image", image.tensor, "labels", label.tensor),
            "input 'label': a data point with components image, labels, expected a component of "
            "that name, did you mean 'labels'?"));
  // Both could be either by their shapes.
  const std::vector<abi::InputSpec> pair = {input("left", {-1}), input("right", {-1})};
  Point mixed;
  mixed.add_copy("right", label.tensor);
  mixed.add_copy(nullptr, label.tensor);
  CHECK(has(refusal(mixed, pair),
            "5: input 'left': component 'right' in its place, expected the "
            "order of the inputs (left, right)"));
  Point placed;
  placed.add_copy("left", label.tensor);
  placed.add_copy(nullptr, label.tensor);
  CHECK(refusal(placed, pair).empty());
  Point one;
  one.add_copy(nullptr, image.tensor);
  CHECK(has(refusal(one, signature), "data point: 1 component, expected 2 (image, label)"));
  const std::vector<abi::InputSpec> integers = {input("image", {-1, 3}, {}, BROCH_INT64)};
  CHECK(has(refusal(one, integers), "input 'image': float32, expected int64"));
  CHECK(has(refusal(one, integers), "hint: convert the component in the dataflow"));
  runtime::dl_delete(one.take(0));
  CHECK(has(refusal(one, {signature[0]}), "a component whose memory was given away"));
}

TEST_CASE("dlpack: what is no tensor is refused with the reason") {
  Plain good({2, 3});
  const auto text = [](broch_dl_tensor data) {
    return error_of([&] { runtime::describe_dl(data); });
  };
  CHECK(text(good.tensor).empty());
  auto bad = good.tensor;
  bad.ndim = 9;
  CHECK(has(text(bad), "5: DLPack tensor: 9 dimensions, expected 0 to 8"));
  bad = good.tensor;
  bad.dtype.lanes = 4;
  CHECK(has(text(bad), "element type code 2, 32 bits, 4 lanes"));
  bad = good.tensor;
  bad.data = nullptr;
  CHECK(has(text(bad), "no memory for 6 elements"));
  bad = good.tensor;
  bad.shape = nullptr;
  CHECK(has(text(bad), "no shape"));
  int64_t huge[3] = {int64_t{1} << 40, int64_t{1} << 40, 1};
  bad = good.tensor;
  bad.shape = huge;
  CHECK(has(text(bad), "more elements than memory can hold"));
  int64_t negative[2] = {2, -3};
  bad.shape = negative;
  CHECK(has(text(bad), "dimension 1 = -3, expected 0 or more"));
  bad = good.tensor;
  bad.device.device_type = 9;
  CHECK(has(text(bad), "device type 9"));
}

TEST_CASE("dlpack: memory of sizes that are no longer asked for makes room for others") {
  // Larger than what malloc itself keeps, so that new memory has no marks.
  const auto allocated = [](int64_t mebibytes) {
    runtime::Shape shape;
    shape.rank = 1;
    shape.dims[0] = mebibytes << 20;
    return runtime::dl_allocate(BROCH_UINT8, shape);
  };
  const auto mark = [](broch_dl_managed* data) {
    return static_cast<volatile uint8_t*>(data->dl_tensor.data);
  };
  const auto used_again = [&](int64_t mebibytes, broch_dl_managed* first) {
    *mark(first) = 77;
    runtime::dl_delete(first);
    broch_dl_managed* const second = allocated(mebibytes);
    const bool is = *mark(second) == 77;
    runtime::dl_delete(second);
    return is;
  };
  broch_dl_managed* const old = allocated(60);
  for (const int64_t mebibytes : {40, 41, 42}) {
    std::vector<broch_dl_managed*> all;
    for (int i = 0; i < 4; ++i) all.push_back(allocated(mebibytes));
    for (broch_dl_managed* const one : all) runtime::dl_delete(one);
  }
  CHECK_FALSE(used_again(60, old));  // the others were asked for later
  for (const int64_t mebibytes : {50, 51, 52, 53}) {
    CAPTURE(mebibytes);
    CHECK(used_again(mebibytes, allocated(mebibytes)));
  }
}

TEST_CASE("dlpack: strides and offsets are followed when copying") {
  Plain data({2, 3});  // 0 1 2 / 3 4 5
  int64_t shape[2] = {3, 2}, strides[2] = {1, 3};
  auto transposed = data.tensor;
  transposed.shape = shape;
  transposed.strides = strides;
  float copy[6];
  runtime::dl_copy(transposed, copy);
  CHECK(std::vector<float>(copy, copy + 6) == std::vector<float>{0, 3, 1, 4, 2, 5});
  shape[0] = 2;
  transposed.byte_offset = 4;
  runtime::dl_copy(transposed, copy);
  CHECK(std::vector<float>(copy, copy + 4) == std::vector<float>{1, 4, 2, 5});
}

TEST_CASE("dlpack: what lies together is copied so, whatever the strides of single elements") {
  Plain data({2, 3, 4});
  const auto copied = [&](std::vector<int64_t> shape, std::vector<int64_t> strides) {
    auto view = data.tensor;
    view.ndim = int32_t(shape.size());
    view.shape = shape.data();
    view.strides = strides.data();
    std::vector<float> copy(runtime::dl_bytes(view) / sizeof(float));
    runtime::dl_copy(view, copy.data());
    return copy;
  };
  CHECK(copied({2, 3, 4}, {12, 4, 1}) == data.values);
  CHECK(copied({1, 2, 3, 1, 4, 1}, {7, 12, 4, INT64_MAX, 1, -5}) == data.values);
  CHECK(copied({}, {}) == std::vector<float>{0});
  CHECK(copied({1}, {0}) == std::vector<float>{0});
  CHECK(copied({2, 2, 2}, {12, 4, 1}) == std::vector<float>{0, 1, 4, 5, 12, 13, 16, 17});
  CHECK(copied({2, 1, 4}, {12, 9, 1}) == std::vector<float>{0, 1, 2, 3, 12, 13, 14, 15});
  CHECK(copied({1, 3}, {INT64_MAX, 2}) == std::vector<float>{0, 2, 4});
  CHECK(copied({2, 3}, {0, 2}) == std::vector<float>{0, 2, 4, 0, 2, 4});
  CHECK(copied({2, 2}, {0, 1}) == std::vector<float>{0, 1, 0, 1});
}

TEST_CASE("data: a plugin fills the host's point and its own, and neither outlives its time") {
  World world;
  Probe& p = world.probe;
  Plain data({2});
  Point point;
  broch_point owned = 0, lent_before = 0;
  const auto next = [&](const std::function<void(broch_point)>& body) {
    const runtime::LentPoint lent(point);
    abi::invoke(*world.instance, "next", abi::Role::data, abi::kOnlyOk, [&] {
      body(lent.handle());
      return BROCH_OK;
    });
    lent_before = lent.handle();
  };
  next([&](broch_point lent) {
    CHECK(p.data->point_new(p.host, &owned) == BROCH_OK);
    CHECK(p.data->add_copy(p.host, owned, "x", &data.tensor) == BROCH_OK);
    CHECK(p.data->set_cursor(p.host, owned, "after 3", 7) == BROCH_OK);
    CHECK(p.data->point_move(p.host, owned, lent) == BROCH_OK);
    uint32_t count = 9;
    CHECK(p.data->count(p.host, owned, &count) == BROCH_OK);
    CHECK(count == 0);
  });
  CHECK(point.size() == 1);
  CHECK(std::string(point.name(0)) == "x");
  CHECK(point.has_cursor);
  CHECK(point.cursor == "after 3");
  next([&](broch_point lent) {
    uint32_t count = 0;
    CHECK(p.data->count(p.host, lent_before, &count) == BROCH_E_INVALID_ARGUMENT);
    CHECK(has(p.error(), "broch.data_point/1 count: data point handle 0x"));
    const std::string big(BROCH_CURSOR_SIZE_MAX + 1, 'c');
    CHECK(p.data->set_cursor(p.host, lent, big.data(), big.size()) == BROCH_E_INVALID_ARGUMENT);
    CHECK(has(p.error(), "a cursor of 65537 bytes, expected at most 65536"));
    CHECK(p.data->set_cursor(p.host, lent, big.data(), big.size() - 1) == BROCH_OK);
    broch_dl_tensor view{};
    CHECK(p.data->view(p.host, lent, 0, &view) == BROCH_OK);
    CHECK(view.shape[0] == 2);
    CHECK(p.data->view(p.host, lent, 1, &view) == BROCH_E_OUT_OF_RANGE);
    CHECK(p.data->point_free(p.host, lent) == BROCH_E_INVALID_ARGUMENT);
    CHECK(p.data->point_clear(p.host, lent) == BROCH_OK);
    CHECK(p.data->point_free(p.host, owned) == BROCH_OK);
    CHECK(p.data->point_free(p.host, owned) == BROCH_E_INVALID_ARGUMENT);
    static int deleted = 0;
    deleted = 0;
    broch_dl_managed managed{};
    managed.deleter = [](broch_dl_managed*) { ++deleted; };
    managed.dl_tensor = data.tensor;
    CHECK(p.data->add(p.host, owned, nullptr, &managed) == BROCH_E_INVALID_ARGUMENT);
    CHECK(deleted == 1);
    managed.version = {2, 0};  // nothing but the deleter may be read
    CHECK(p.data->add(p.host, lent, nullptr, &managed) < 0);
    CHECK(has(p.error(), "DLPack tensor: version 2.0, expected version 1"));
    CHECK(deleted == 2);
    managed.version = {1, 3};
    CHECK(p.data->add(p.host, lent, nullptr, &managed) == BROCH_OK);
    CHECK(p.data->point_clear(p.host, lent) == BROCH_OK);
    CHECK(deleted == 3);
  });
  CHECK(point.size() == 0);
  CHECK_FALSE(point.has_cursor);
}

TEST_CASE("data: tensors are checked against the model's signature") {
  World world;
  Probe& p = world.probe;
  const std::vector<abi::InputSpec> signature = {input("x", {-1})};
  Plain data({2}), matrix({2, 2});
  world.main([&] {
    broch_point point = 0;
    broch_tensor tensors[2] = {};
    p.need(p.data->point_new(p.host, &point));
    p.need(p.data->add_copy(p.host, point, nullptr, &data.tensor));
    world.signature.signature = &signature;
    CHECK(p.data->tensors(p.host, point, tensors, 2) == BROCH_E_INVALID_ARGUMENT);
    CHECK(p.data->tensors(p.host, point, tensors, 1) == BROCH_OK);
    p.need(p.data->point_clear(p.host, point));
    p.need(p.data->add_copy(p.host, point, nullptr, &matrix.tensor));
    CHECK(p.data->tensors(p.host, point, tensors, 1) < 0);
    CHECK(has(p.error(), "input 'x': shape (2, 2), expected (?,)"));
    // Without a run there is nothing that could be cancelled, and no descriptor is needed.
    const broch_cancel* const never = p.data->cancel(p.host);
    CHECK(never->cancelled(never->context) == 0);
    CHECK(never->wait(never->context, 1000) == 0);
    pollfd nothing{never->event_fd(never->context), POLLIN, 0};
    CHECK(nothing.fd == -1);
    CHECK(poll(&nothing, 1, 0) == 0);
    return BROCH_OK;
  });
}

TEST_CASE("cancel: wakes who waits, stays readable, and tells who asks") {
  runtime::Cancel cancel;
  const broch_cancel* c = cancel.c();
  CHECK(c->cancelled(c->context) == 0);
  CHECK(c->wait(c->context, 1000) == 0);
  pollfd poll_fd{c->event_fd(c->context), POLLIN, 0};
  CHECK(poll(&poll_fd, 1, 0) == 0);
  int32_t woken = 0;
  std::thread waiting([&] { woken = c->wait(c->context, 60'000'000'000); });
  cancel.cancel();
  waiting.join();
  CHECK(woken == 1);
  CHECK(c->cancelled(c->context) == 1);
  CHECK(poll(&poll_fd, 1, 0) == 1);
  cancel.cancel();
  CHECK(c->wait(c->context, -1) == 1);
}

TEST_CASE("cancel: the longest time is waited for, too") {
  runtime::Cancel cancel;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cancel.cancel();
  });
  CHECK(cancel.c()->wait(cancel.c()->context, INT64_MAX) == 1);
  later.join();
}
