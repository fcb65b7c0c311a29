// rows_test.cpp: components in memory of the host, keys, rows of a batch, points that are emitted.
#include <doctest/doctest.h>

#include <cstring>
#include <thread>

#include "world.hpp"

using namespace broch;
using namespace broch::test;
using runtime::Point;

namespace {

// Calls of the data points of one plugin. `lent` is the point of its call.
struct Calls {
  Probe& p;
  broch_point lent;

  broch_point make() {
    broch_point point = 0;
    p.need(p.data->point_new(p.host, &point));
    return point;
  }
  // A component of floats, all of this value. The status of allocate.
  broch_status fill(broch_point point, std::vector<int64_t> shape, float value,
                    const char* name = nullptr, broch_dl_type type = {BROCH_DL_FLOAT, 32, 1}) {
    broch_dl_tensor like{};
    like.ndim = int32_t(shape.size());
    like.shape = shape.data();
    like.dtype = type;
    void* memory = nullptr;
    const broch_status status = p.data->allocate(p.host, point, name, &like, &memory);
    if (status < 0) return status;
    size_t count = 1;
    for (const int64_t size : shape) count *= size_t(size);
    for (size_t i = 0; i < count; ++i) static_cast<float*>(memory)[i] = value;
    return status;
  }
  std::vector<float> values(broch_point point, uint32_t index) {
    broch_dl_tensor view{};
    p.need(p.data->view(p.host, point, index, &view));
    size_t count = 1;
    for (int32_t d = 0; d < view.ndim; ++d) count *= size_t(view.shape[d]);
    const auto* start = static_cast<const float*>(view.data);
    return {start, start + count};
  }
  std::vector<int64_t> shape(broch_point point, uint32_t index) {
    broch_dl_tensor view{};
    p.need(p.data->view(p.host, point, index, &view));
    return {view.shape, view.shape + view.ndim};
  }
  uint32_t size(broch_point point) {
    uint32_t count = 0;
    p.need(p.data->count(p.host, point, &count));
    return count;
  }
  uint64_t key(broch_point point) {
    uint64_t key = 0;
    p.need(p.data->key(p.host, point, &key));
    return key;
  }
  broch_status begin(broch_point batch, uint64_t index, uint64_t n, broch_point row) {
    return p.data->row_begin(p.host, batch, index, n, row);
  }
  broch_status end(broch_point batch, uint64_t count) {
    return p.data->rows_end(p.host, batch, count);
  }
  bool said(const char* words) const { return p.error().find(words) != std::string::npos; }
};

// Runs body in a call of the plugin that fills a point. What is left in the point.
Point in_call(const std::function<void(Calls&)>& body) {
  World world;
  Point point;
  const runtime::LentPoint lent(point);
  abi::invoke(*world.instance, "next", abi::Role::data, abi::kOnlyOk, [&] {
    Calls calls{world.probe, lent.handle()};
    body(calls);
    return BROCH_OK;
  });
  return point;
}

std::vector<float> floats(const Point& point, size_t index) {
  const broch_dl_tensor& tensor = point.tensor(index);
  size_t count = 1;
  for (int32_t d = 0; d < tensor.ndim; ++d) count *= size_t(tensor.shape[d]);
  const auto* start = static_cast<const float*>(tensor.data);
  return {start, start + count};
}

}  // namespace

TEST_CASE("data: the host provides memory for a component") {
  const Point point = in_call([](Calls& c) {
    CHECK(c.fill(c.lent, {2, 3}, 5, "x") == BROCH_OK);
    CHECK(c.fill(c.lent, {}, 7, "y") == BROCH_OK);
    CHECK(c.fill(c.lent, {0, 4}, 0, "z") == BROCH_OK);
    broch_dl_tensor view{};
    CHECK(c.p.data->view(c.p.host, c.lent, 0, &view) == BROCH_OK);
    CHECK(reinterpret_cast<uintptr_t>(view.data) % 64 == 0);
    CHECK(c.shape(c.lent, 2) == std::vector<int64_t>{0, 4});
    // What is no tensor, or none that fits.
    CHECK(c.fill(c.lent, {-1}, 0) < 0);
    CHECK(c.fill(c.lent, {INT64_MAX, 8}, 0) < 0);
    CHECK(c.fill(c.lent, {int64_t{1} << 46}, 0) == BROCH_E_RESOURCE_EXHAUSTED);
    CHECK(c.fill(c.lent, {1}, 0, nullptr, {BROCH_DL_FLOAT, 7, 1}) < 0);
    CHECK(c.fill(c.lent, std::vector<int64_t>(9, 1), 0) < 0);
    CHECK(c.p.data->allocate(c.p.host, c.lent, nullptr, nullptr, nullptr) ==
          BROCH_E_INVALID_ARGUMENT);
    CHECK(c.size(c.lent) == 3);
  });
  CHECK(floats(point, 0) == std::vector<float>(6, 5));
  CHECK(floats(point, 1) == std::vector<float>{7});
  CHECK(std::string(point.name(0)) == "x");
}

TEST_CASE("data: a component is moved once, and its place stays") {
  const Point point = in_call([](Calls& c) {
    const broch_point own = c.make();
    for (const float value : {1.0F, 2.0F, 3.0F}) CHECK(c.fill(own, {2}, value) == BROCH_OK);
    const auto move = [&](broch_point from, uint32_t index, broch_point to) {
      return c.p.data->move_component(c.p.host, from, index, to);
    };
    CHECK(move(own, 1, c.lent) == BROCH_OK);
    CHECK(c.size(own) == 3);
    CHECK(c.values(own, 2) == std::vector<float>{3, 3});
    broch_dl_tensor view{};
    CHECK(c.p.data->view(c.p.host, own, 1, &view) == BROCH_E_OUT_OF_RANGE);
    CHECK(move(own, 1, c.lent) == BROCH_E_OUT_OF_RANGE);
    CHECK(move(own, 3, c.lent) == BROCH_E_OUT_OF_RANGE);
    CHECK(move(own, 0, own) == BROCH_E_INVALID_ARGUMENT);
    // The rest can be moved as a point, although a component is gone.
    const broch_point other = c.make();
    CHECK(c.p.data->point_move(c.p.host, own, other) == BROCH_OK);
    CHECK(c.size(other) == 2);
    CHECK(c.values(other, 0) == std::vector<float>{1, 1});
    // And so can the point of the call be handed back with a hole.
    CHECK(move(other, 0, c.lent) == BROCH_OK);
    CHECK(move(c.lent, 0, other) == BROCH_OK);
  });
  REQUIRE(point.size() == 1);
  CHECK(floats(point, 0) == std::vector<float>{1, 1});
}

TEST_CASE("data: a key stays with what is moved, and ends with what is cleared") {
  const Point point = in_call([](Calls& c) {
    const broch_point own = c.make();
    CHECK(c.key(own) == 0);
    CHECK(c.p.data->set_key(c.p.host, own, 17) == BROCH_OK);
    CHECK(c.fill(own, {}, 1) == BROCH_OK);
    CHECK(c.p.data->point_move(c.p.host, own, c.lent) == BROCH_OK);
    CHECK(c.key(own) == 0);
    CHECK(c.key(c.lent) == 17);
    CHECK(c.p.data->set_key(c.p.host, own, 18) == BROCH_OK);
    CHECK(c.p.data->point_clear(c.p.host, own) == BROCH_OK);
    CHECK(c.key(own) == 0);
  });
  CHECK(point.key == 17);
}

TEST_CASE("rows: a row is not staged; for a tower on the CPU nothing is copied") {
  const Point batch = in_call([](Calls& c) {
    const broch_point row = c.make();
    CHECK(c.begin(c.lent, 0, 1, row) == BROCH_OK);
    CHECK(c.fill(row, {2}, 5) == BROCH_OK);
    CHECK(c.p.data->stage(c.p.host, row, 0) == BROCH_E_FAILED_PRECONDITION);
    CHECK(c.said("stage the batch when it is complete"));
    CHECK(c.end(c.lent, 1) == BROCH_OK);
    broch_dl_tensor before{}, after{};
    CHECK(c.p.data->view(c.p.host, c.lent, 0, &before) == BROCH_OK);
    for (const uint32_t tower : {0u, 7u})
      CHECK(c.p.data->stage(c.p.host, c.lent, tower) == BROCH_OK);
    CHECK(c.p.data->view(c.p.host, c.lent, 0, &after) == BROCH_OK);
    CHECK(after.data == before.data);
  });
  CHECK(floats(batch, 0) == std::vector<float>{5, 5});
}

TEST_CASE("rows: what a row gets lies in the batch") {
  const Point batch = in_call([](Calls& c) {
    const broch_point row = c.make();
    for (uint64_t i = 0; i < 3; ++i) {
      CHECK(c.begin(c.lent, i, 4, row) == BROCH_OK);
      CHECK(c.size(row) == 0);
      CHECK(c.fill(row, {2}, float(i), "x") == BROCH_OK);
      // Copied, moved and taken over: all of it goes to the same place.
      const broch_point source = c.make();
      CHECK(c.fill(source, {}, float(10 + i), "y") == BROCH_OK);
      if (i == 0) CHECK(c.p.data->move_component(c.p.host, source, 0, row) == BROCH_OK);
      if (i > 0) {
        broch_dl_tensor view{};
        CHECK(c.p.data->view(c.p.host, source, 0, &view) == BROCH_OK);
        CHECK(c.p.data->add_copy(c.p.host, row, "y", &view) == BROCH_OK);
      }
      CHECK(c.p.data->set_key(c.p.host, row, 100 + i) == BROCH_OK);
      const std::string cursor = "after " + std::to_string(i);
      CHECK(c.p.data->set_cursor(c.p.host, row, cursor.data(), cursor.size()) == BROCH_OK);
      CHECK(c.values(row, 0) == std::vector<float>(2, float(i)));
    }
    CHECK(c.end(c.lent, 3) == BROCH_OK);
    CHECK(c.size(row) == 0);
    CHECK(c.fill(row, {5, 5}, 1) == BROCH_OK);  // an ordinary point again
  });
  REQUIRE(batch.size() == 2);
  CHECK(batch.tensor(0).ndim == 2);
  CHECK(batch.tensor(0).shape[0] == 3);
  CHECK(floats(batch, 0) == std::vector<float>{0, 0, 1, 1, 2, 2});
  CHECK(floats(batch, 1) == std::vector<float>{10, 11, 12});
  CHECK(std::string(batch.name(1)) == "y");
  CHECK(batch.key == 100);
  CHECK(batch.cursor == "after 2");
}

TEST_CASE("rows: a whole point is moved into a row, and a batch into a row of a larger one") {
  const Point outer = in_call([](Calls& c) {
    const broch_point inner = c.make(), row = c.make(), source = c.make();
    for (uint64_t k = 0; k < 2; ++k) {
      CHECK(c.begin(c.lent, k, 2, inner) == BROCH_OK);
      for (uint64_t i = 0; i < 3; ++i) {
        CHECK(c.fill(source, {}, float(10 * k + i)) == BROCH_OK);
        CHECK(c.begin(inner, i, 3, row) == BROCH_OK);
        CHECK(c.p.data->point_move(c.p.host, source, row) == BROCH_OK);
      }
      CHECK(c.end(inner, 3) == BROCH_OK);
      CHECK(c.shape(inner, 0) == std::vector<int64_t>{3});
    }
    CHECK(c.end(c.lent, 2) == BROCH_OK);
  });
  REQUIRE(outer.size() == 1);
  CHECK(outer.tensor(0).ndim == 2);
  CHECK(floats(outer, 0) == std::vector<float>{0, 1, 2, 10, 11, 12});
}

TEST_CASE("rows: are filled on several threads") {
  World world;
  Point batch;
  constexpr uint64_t kRows = 64, kThreads = 4;
  std::vector<Point> rows(kThreads);
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < kThreads; ++t) batch.begin_row(t, kRows, rows[t]);
  std::mutex mutex;
  for (uint64_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (uint64_t i = t; i < kRows; i += kThreads) {
        if (i != t) {
          const std::lock_guard lock(mutex);
          batch.begin_row(i, kRows, rows[t]);
        }
        runtime::Shape shape;
        shape.rank = 1;
        shape.dims[0] = 8;
        auto* const to = static_cast<float*>(rows[t].allocate(nullptr, BROCH_FLOAT32, shape));
        for (int k = 0; k < 8; ++k) to[k] = float(i);
      }
    });
  for (std::thread& thread : threads) thread.join();
  batch.end_rows(kRows);
  REQUIRE(batch.size() == 1);
  const std::vector<float> found = floats(batch, 0);
  REQUIRE(found.size() == 8 * kRows);
  for (uint64_t i = 0; i < found.size(); ++i) CHECK(found[i] == float(i / 8));
}

TEST_CASE("rows: a batch that no memory can hold is refused, and then rows that fit are taken") {
  const Point batch = in_call([](Calls& c) {
    const broch_point row = c.make();
    CHECK(c.begin(c.lent, 0, 16, row) == BROCH_OK);
    CHECK(c.fill(row, {int64_t{1} << 58}, 0) == BROCH_E_DATA_LOSS);  // 2^64 bytes
    CHECK(c.said("16 rows of float32 (288230376151711744,)"));
    CHECK(c.said("use a smaller batch_size"));
    CHECK(c.fill(row, {int64_t{1} << 42}, 0) == BROCH_E_RESOURCE_EXHAUSTED);  // 2^48 bytes
    CHECK(c.fill(row, {2}, 5) == BROCH_OK);
    CHECK(c.end(c.lent, 1) == BROCH_OK);
  });
  CHECK(floats(batch, 0) == std::vector<float>{5, 5});
}

TEST_CASE("rows: mistakes are refused, and leave no half of a batch") {
  const Point point = in_call([](Calls& c) {
    const broch_point batch = c.make(), row = c.make();
    // Before there is a row.
    CHECK(c.end(batch, 1) < 0);
    CHECK(c.said("row_begin before rows_end"));
    CHECK(c.end(batch, 0) == BROCH_OK);
    // Which points.
    CHECK(c.begin(batch, 0, 2, batch) < 0);
    CHECK(c.said("a batch as a row"));
    CHECK(c.begin(batch, 0, 2, c.lent) == BROCH_E_INVALID_ARGUMENT);
    CHECK(c.said("a borrowed point as row"));
    CHECK(c.begin(batch, 0, 2, broch_point{12345}) == BROCH_E_INVALID_ARGUMENT);
    // Which places.
    CHECK(c.begin(batch, 2, 2, row) < 0);
    CHECK(c.said("an index below 2"));
    CHECK(c.begin(batch, 0, 0, row) < 0);
    CHECK(c.begin(batch, 0, UINT64_MAX, row) < 0);
    CHECK(c.begin(batch, 0, 2, row) == BROCH_OK);
    CHECK(c.begin(batch, 1, 3, row) < 0);
    CHECK(c.said("2 as in the first row"));
    // Rows that differ.
    CHECK(c.fill(row, {2}, 1, "x") == BROCH_OK);
    CHECK(c.begin(batch, 1, 2, row) == BROCH_OK);
    CHECK(c.fill(row, {3}, 1, "x") < 0);
    CHECK(c.said("component 0: 'x', float32 (3,), expected 'x', float32 (2,) as in another row"));
    CHECK(c.said("crop or pad them"));
    CHECK(c.fill(row, {2}, 1, "y") < 0);
    CHECK(c.fill(row, {2}, 1) < 0);
    CHECK(c.fill(row, {2}, 1, "x", {BROCH_DL_INT, 32, 1}) < 0);
    CHECK(c.end(batch, 2) < 0);  // the second row has no component
    CHECK(c.said("0 components, expected 1 as in row 0"));
    CHECK(c.size(batch) == 0);
    CHECK(c.size(row) == 0);
    // A row that nobody began, and more rows than there is room for.
    CHECK(c.begin(batch, 1, 3, row) == BROCH_OK);
    CHECK(c.fill(row, {2}, 1) == BROCH_OK);
    CHECK(c.end(batch, 2) < 0);
    CHECK(c.said("row 0"));
    CHECK(c.begin(batch, 0, 1, row) == BROCH_OK);
    CHECK(c.fill(row, {2}, 1) == BROCH_OK);
    CHECK(c.end(batch, 2) < 0);
    CHECK(c.said("room for 1"));
    // After mistakes, a batch is made as ever.
    CHECK(c.begin(batch, 0, 1, row) == BROCH_OK);
    CHECK(c.fill(row, {2}, 1) == BROCH_OK);
    CHECK(c.end(batch, 1) == BROCH_OK);
    CHECK(c.shape(batch, 0) == std::vector<int64_t>{1, 2});
    // Rows and batches that are freed in between.
    CHECK(c.begin(batch, 0, 2, row) == BROCH_OK);
    CHECK(c.fill(row, {2}, 1) == BROCH_OK);
    CHECK(c.p.data->point_free(c.p.host, row) == BROCH_OK);
    CHECK(c.end(batch, 1) == BROCH_OK);
    const broch_point again = c.make();
    CHECK(c.begin(batch, 0, 2, again) == BROCH_OK);
    CHECK(c.p.data->point_free(c.p.host, batch) == BROCH_OK);
    CHECK(c.fill(again, {2}, 1) == BROCH_OK);
    CHECK(c.p.data->point_free(c.p.host, again) == BROCH_OK);
  });
  CHECK(point.size() == 0);
}

TEST_CASE("emit: only within a transform that makes many points") {
  in_call([](Calls& c) {
    CHECK(c.fill(c.lent, {}, 1) == BROCH_OK);
    CHECK(c.p.data->emit(c.p.host, c.lent) == BROCH_E_FAILED_PRECONDITION);
    CHECK(c.said("derive from ManyTransform"));
    CHECK(c.size(c.lent) == 1);
    const broch_point own = c.make();
    CHECK(c.p.data->emit(c.p.host, own) == BROCH_E_FAILED_PRECONDITION);
    CHECK(c.p.data->emitted(c.p.host, own, c.lent) == BROCH_NONE);
    CHECK(c.p.data->emitted(c.p.host, own, broch_point{9}) == BROCH_E_INVALID_ARGUMENT);
  });
}
