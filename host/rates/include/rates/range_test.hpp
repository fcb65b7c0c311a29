// range_test.hpp: the learning rate range test: trains some steps with a rate that grows from step
// to step, and looks where the loss falls fastest.
//
// Source: L. Smith, "Cyclical Learning Rates for Training Neural Networks", 2015. Smoothing, the
// end and the suggestion are those of fastai and Lightning.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plot/picture.hpp"
#include "session/setup.hpp"

namespace broch::rates {

struct RangeOptions {
  std::string param = "learning_rate";
  double from = 1e-8, to = 1;  // above 0
  int64_t steps = 100;         // at least 2
};

struct RangeTest {
  std::string param;
  // One element per step. smooth: moving averages of the losses with decay 0.98, bias-corrected.
  std::vector<double> rates, losses, smooth;
  // The smooth loss became four times the smallest one, or not finite, and the test ended.
  bool diverged = false;
  // The step at which the smooth loss falls fastest by the logarithm of the rate. The first 10
  // steps and the last one do not count. None: it does not fall, or there are too few steps.
  std::optional<size_t> suggestion;
};

// Trains without a log folder, and without the callbacks of the manifest: those of extra_callbacks
// alone. Throws base::Error.
RangeTest test_range(const session::Setup& setup, const RangeOptions& options);

// title: that of the picture.
plot::Picture picture_of(const RangeTest& test, const std::string& title);

}  // namespace broch::rates
