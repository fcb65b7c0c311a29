#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "monitors/history_bytes.hpp"
#include "rig.hpp"

using namespace broch;
using Heard = std::vector<std::string>;

namespace {

struct Dispatch {
  test::Rig rig;
  Heard heard;
  test::Monitor first, second;
  broch_progress progress{};
  monitors::Monitors monitors{progress};
  Dispatch() {
    first.name = "M1";
    second.name = "M2";
    first.heard = second.heard = &heard;
    monitors.add(rig.make(first, "M1", "monitor"));
    monitors.add(rig.make(second, "M2", "monitor"));
  }
};

broch_summary_value scalar(const char* tag, double value) {
  return {tag, BROCH_SUMMARY_SCALAR, 0, value, nullptr, nullptr, 0};
}

std::string image_shape(std::vector<int64_t> shape) {
  size_t size = 1;
  for (const int64_t dim : shape) size *= static_cast<size_t>(dim);
  std::vector<uint8_t> pixels(size, 7);
  const broch_dl_tensor data = {pixels.data(),
                                {BROCH_DL_CPU, 0},
                                static_cast<int32_t>(shape.size()),
                                {BROCH_DL_UINT, 8, 1},
                                shape.data(),
                                nullptr,
                                0};
  summary::Image image("picture", data);
  const broch_dl_tensor tensor = image.tensor();
  std::string text;
  for (int i = 0; i < 4; ++i) text += (i ? "," : "") + std::to_string(tensor.shape[i]);
  return text;
}

}  // namespace

TEST_CASE("monitors: a scalar reaches all as scalar, then all as summary") {
  Dispatch dispatch;
  dispatch.monitors.put_scalar("a", 1.5);
  CHECK(dispatch.heard == Heard{"M1.scalar(a)", "M2.scalar(a)", "M1.summary(a)", "M2.summary(a)"});
  CHECK(dispatch.monitors.latest("a")->value == 1.5);
}

TEST_CASE("monitors: a summary is cleaned, its scalars come first") {
  Dispatch dispatch;
  const broch_summary_value values[] = {scalar("tower0/x-summary", 1), scalar("EMA/tower12/y", 2)};
  dispatch.monitors.put_summary(values);
  CHECK(dispatch.heard == Heard{"M1.scalar(x)", "M2.scalar(x)", "M1.scalar(EMA/y)",
                                "M2.scalar(EMA/y)", "M1.summary(x,EMA/y)", "M2.summary(x,EMA/y)"});
}

TEST_CASE("monitors: tags lose tower prefixes and the suffix, and nothing else") {
  CHECK(monitors::clean_tag("tower0/tower1/x") == "x");
  CHECK(monitors::clean_tag("tower/x") == "tower/x");
  CHECK(monitors::clean_tag("tower1x/y") == "tower1x/y");
  CHECK(monitors::clean_tag("x-summary/y") == "x-summary/y");
  CHECK(monitors::clean_tag("x-summary-summary") == "x-summary");
}

TEST_CASE("monitors: pictures become NHWC") {
  CHECK(image_shape({4, 5}) == "1,4,5,1");
  CHECK(image_shape({4, 5, 3}) == "1,4,5,3");
  CHECK(image_shape({4, 5, 6}) == "4,5,6,1");
  CHECK(image_shape({2, 4, 5, 3}) == "2,4,5,3");
  CHECK_THROWS_AS(image_shape({4}), base::Error);
  CHECK_THROWS_AS(image_shape({1, 2, 3, 4, 5}), base::Error);
  CHECK_THROWS_AS(image_shape({2, 4, 5, 2}), base::Error);
}

TEST_CASE("monitors: numbers of a picture are clipped and follow its strides") {
  float pixels[] = {-3, 10.9F, 300, 20};
  int64_t shape[] = {2, 2};
  int64_t strides[] = {1, 2};  // transposed
  const broch_dl_tensor data = {pixels, {BROCH_DL_CPU, 0}, 2, {BROCH_DL_FLOAT, 32, 1},
                                shape,  strides,           0};
  summary::Image image("picture", data);
  const auto* bytes = static_cast<const uint8_t*>(image.tensor().data);
  CHECK(std::vector<int>(bytes, bytes + 4) == std::vector<int>{0, 255, 10, 20});
}

TEST_CASE("monitors: several pictures are summaries with numbers") {
  Dispatch dispatch;
  std::vector<uint8_t> pixels(2 * 4 * 5 * 3);
  int64_t shape[] = {2, 4, 5, 3};
  dispatch.monitors.put_image(
      "p", {pixels.data(), {BROCH_DL_CPU, 0}, 4, {BROCH_DL_UINT, 8, 1}, shape, nullptr, 0});
  CHECK(dispatch.heard == Heard{"M1.image(p 2,4,5,3)", "M2.image(p 2,4,5,3)", "M1.summary(p/0,p/1)",
                                "M2.summary(p/0,p/1)"});
}

TEST_CASE("monitors: the history keeps every value with its step") {
  Dispatch dispatch;
  for (const int64_t step : {1, 2}) {
    dispatch.progress.global_step = step;
    dispatch.monitors.put_scalar("loss", static_cast<double>(step) * 10);
  }
  const auto history = dispatch.monitors.history("loss");
  REQUIRE(history.size() == 2);
  CHECK(history[1].global_step == 2);
  CHECK(history[1].value == 20);
  CHECK(dispatch.monitors.history("other").empty());
  CHECK(dispatch.monitors.latest("other") == nullptr);
}

TEST_CASE("monitors: a saved history without points of a metric is refused") {
  const std::vector<broch_metric_point> one{{3, 0.5}};
  const auto whole = monitors::history_from_bytes(monitors::history_to_bytes({{"loss", one}}));
  REQUIRE(whole.at("loss").size() == 1);
  CHECK(whole.at("loss")[0].value == 0.5);
  const std::string empty = monitors::history_to_bytes({{"loss", one}, {"none", {}}});
  std::string failure;
  try {
    monitors::history_from_bytes(empty);
  } catch (const base::Error& error) {
    failure = error.what();
  }
  CHECK(failure.find("the metric 'none' without a point, expected one or more") !=
        std::string::npos);
}

TEST_CASE("monitors: the first value that is not finite is told once") {
  const double nan = std::nan("");
  const std::string told = "loss is nan at step 2, after 0.5 at step 1; if the training diverges";
  const test::LogCapture log;
  Dispatch dispatch;
  const auto put = [&](int64_t step, double value) {
    dispatch.progress.global_step = step;
    dispatch.monitors.put_scalar("loss", value);
  };
  put(1, 0.5);
  CHECK(!log.has("loss is"));
  put(2, nan);
  CHECK(log.has(told));
  CHECK(log.has("if not, look for numbers in the data that are not finite"));
  put(3, 0.25);
  put(4, -INFINITY);
  CHECK(!log.has("loss is -inf"));
  SUBCASE("a resumed run does not tell it again") {
    const test::LogCapture later;
    Dispatch resumed;
    resumed.monitors.restore(dispatch.monitors.all());
    resumed.monitors.put_scalar("loss", nan);
    CHECK(!later.has("loss is"));
  }
}

namespace {

// Takes so long for each scalar.
struct SlowMonitor : test::Component {
  std::chrono::milliseconds time{};
  broch_monitor table{};

  const void* interface(const char* id) override {
    if (std::strcmp(id, BROCH_ROLE_MONITOR) != 0) return nullptr;
    table.struct_size = sizeof table;
    table.process_scalar = [](void* self, const char*, double) {
      std::this_thread::sleep_for(static_cast<SlowMonitor*>(self)->time);
      return broch_status{BROCH_OK};
    };
    return &table;
  }
};

// What is logged of four epochs with two monitors, one of which takes so long for each scalar.
std::string logged_with(int milliseconds) {
  const test::LogCapture log;
  SlowMonitor slow, quick;
  slow.time = std::chrono::milliseconds(milliseconds);
  test::Rig rig;
  rig.parts.monitors = {&rig.make(slow, "slow", "monitor"), &rig.make(quick, "quick", "monitor")};
  rig.train(1, 4);
  return log.text();
}

}  // namespace

TEST_CASE("monitors: one that the training waits for is named once, and at the end") {
  const std::string text = logged_with(350), told = "the training waits for monitor 'slow': ";
  const size_t first = text.find(told);
  REQUIRE(first != text.npos);
  CHECK(text.find(told, first + 1) == text.npos);
  CHECK(first < text.find("Start Epoch 4"));
  const size_t finished = text.find("Training has finished");
  CHECK(text.find("monitor 'slow' has taken ", finished) != text.npos);
  CHECK(text.find("'quick'") == text.npos);
  CHECK(logged_with(10).find("'slow'") == std::string::npos);
}

TEST_CASE("metrics: an unknown name has no latest value and an empty history") {
  test::Rig rig;
  test::Callback callback;
  const broch_metric_point* points = nullptr;
  uint64_t count = 9;
  broch_status latest = 0, history = 0;
  callback.before_train = [&] {
    const auto* metrics = test::extension<broch_host_metrics>(callback.host, BROCH_EXT_METRICS);
    metrics->put_scalar(callback.host, "loss", 1);
    broch_metric_point point{};
    latest = metrics->latest(callback.host, "losss", &point);
    history = metrics->history(callback.host, "losss", &points, &count);
    return broch_status{BROCH_OK};
  };
  rig.add(callback, "putter");
  rig.train(0, 1);
  CHECK(latest == BROCH_NONE);
  CHECK(history == BROCH_OK);
  CHECK(count == 0);
}

TEST_CASE("metrics: scalars put in before_train of a resumed run are dropped") {
  test::Rig rig;
  test::Callback callback;
  const auto put = [&] {
    return test::extension<broch_host_metrics>(callback.host, BROCH_EXT_METRICS)
        ->put_scalar(callback.host, "loss", 1);
  };
  callback.before_train = put;
  callback.trigger_step = put;
  rig.add(callback, "putter");
  rig.prepare();
  train::MainLoop main;
  main.config = {2, 1, 1};
  main.resume_at = train::Position{1, 1};
  rig.run->main_loop(main);
  CHECK(rig.run->monitors().history("loss").size() == 1);
}
