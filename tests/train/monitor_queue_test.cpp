// monitor_queue_test.cpp: monitors with queues, as the training and their threads use them.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "rig.hpp"

using namespace broch;

namespace {

// Counts without a lock, because its calls must not overlap.
struct Counter : test::Component {
  int64_t scalars = 0, values = 0, pixels = 0, events = 0;
  double sum = 0;
  int64_t fails_each = 0;  // 0: never
  broch_status failure = BROCH_E_UNAVAILABLE;
  std::atomic<bool> held{false};

  broch_status count_scalar(double value) {
    while (held) std::this_thread::yield();
    sum += value;
    ++scalars;
    if (fails_each == 0 || scalars % fails_each != 0) return BROCH_OK;
    return host->fail(host, failure, "no answer");
  }

  broch_monitor table{};
  const void* interface(const char* id) override {
    if (std::strcmp(id, BROCH_ROLE_MONITOR) != 0) return nullptr;
    table.struct_size = sizeof table;
    table.queued = 1;
    table.process_scalar = [](void* self, const char*, double value) {
      return static_cast<Counter*>(self)->count_scalar(value);
    };
    table.process_summary = [](void* self, const broch_summary_value*, uint32_t n) {
      static_cast<Counter*>(self)->values += n;
      return broch_status{BROCH_OK};
    };
    table.process_image = [](void* self, const char*, const broch_dl_tensor* image) {
      auto* const counter = static_cast<Counter*>(self);
      for (int64_t i = 0; i < image->shape[1] * image->shape[2]; ++i)
        counter->pixels += static_cast<const uint8_t*>(image->data)[i];
      return broch_status{BROCH_OK};
    };
    table.process_event = [](void* self, const char*, const void*, uint64_t) {
      ++static_cast<Counter*>(self)->events;
      return broch_status{BROCH_OK};
    };
    return &table;
  }
};

struct Queues {
  test::Rig rig;
  Counter first, second;
  broch_progress progress{};
  monitors::Monitors monitors{progress};
  abi::Instance& one = rig.make(first, "first", "monitor");
  abi::Instance& other = rig.make(second, "second", "monitor");
  Queues() {
    monitors.add(one);
    monitors.add(other);
  }
};

}  // namespace

TEST_CASE("monitor queues: all arrives at all of them, and what fails is counted") {
  const test::LogCapture log;
  Queues queues;
  queues.second.fails_each = 10;
  uint8_t pixels[] = {1, 2, 3, 4};
  int64_t shape[] = {2, 2};
  for (int i = 1; i <= 1000; ++i) {
    queues.progress.global_step = i;
    queues.monitors.put_scalar("number", i);
    pixels[0] = 1;
    queues.monitors.put_image(
        "picture", {pixels, {BROCH_DL_CPU, 0}, 2, {BROCH_DL_UINT, 8, 1}, shape, nullptr, 0});
    pixels[0] = 255;  // the queues have copies
    queues.monitors.put_event("org.example.news", "text", 4);
    if (i % 100 != 0) continue;
    REQUIRE(queues.monitors.settle(queues.one));
    CHECK(queues.first.scalars == i);
    ++queues.first.events;  // as a call of the training would
  }
  queues.monitors.finish();
  queues.monitors.report();
  for (const Counter* counter : {&queues.first, &queues.second}) {
    CHECK(counter->scalars == 1000);
    CHECK(counter->sum == 500500);
    CHECK(counter->pixels == 10000);
    CHECK(counter->values == 2000);
  }
  CHECK(queues.first.events == 1010);
  CHECK(log.has("monitor 'second' has failed 100 times"));
  CHECK(!log.has("dropped"));
}

TEST_CASE("monitor queues: a call that does not return stays alone") {
  const test::LogCapture log;
  Queues queues;
  queues.first.held = true;
  for (int i = 0; i < 10; ++i) queues.monitors.put_scalar("number", i);
  CHECK(queues.monitors.settle(queues.other));
  CHECK_FALSE(queues.monitors.settle(queues.one));  // waits 5 seconds, and 5 for the call
  CHECK(queues.monitors.has_stuck());
  CHECK_FALSE(queues.monitors.settle(queues.one));
  CHECK(queues.second.scalars == 10);
  queues.first.held = false;
  while (queues.monitors.has_stuck()) std::this_thread::yield();
  queues.monitors.finish();
  queues.monitors.report();
  CHECK(queues.first.scalars == 1);
  CHECK(log.has("monitor 'first' does not return from a call"));
  CHECK(log.has("monitor 'first' was too slow: 19 values were dropped"));
}

TEST_CASE("monitor queues: numbers that are not finite end the training with the next value") {
  Queues queues;
  queues.first.fails_each = 1;
  queues.first.failure = BROCH_E_NUMBERS;
  queues.monitors.put_scalar("number", 1);
  CHECK_THROWS_AS(queues.monitors.settle(queues.one), base::Error);
  queues.first.fails_each = 0;
  queues.monitors.put_scalar("number", 2);
  CHECK(queues.monitors.settle(queues.one));
}
