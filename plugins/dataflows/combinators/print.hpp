// print.hpp: writes shapes, dtypes and value ranges of the first points to the log. tensorpack:
// `PrintData`.
#pragma once
#include <algorithm>
#include <atomic>
#include <broch/broch.hpp>
#include <cmath>
#include <cstdio>

#include "../../points/numbers.hpp"

namespace broch::dataflows {

struct PrintOptions {
  ChildDataFlow dataflow;
  uint64_t points;
  std::string label;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &PrintOptions::dataflow,
                    "The dataflow, whose points are passed on unchanged."),
      broch::option("points", &PrintOptions::points, "Number of points to describe.")
          .minimum(0)
          .by_default(1),
      broch::option("label", &PrintOptions::label, "The text at the start of each line.")
          .by_default("point"));
};

class Print final : public DataFlow, public Indexed {
 public:
  Print(const Host& host, const PrintOptions& options)
      : host_(host), child_(options.dataflow), wanted_(options.points), label_(options.label) {}

  bool indexed() const override { return child_.indexed(); }
  bool has_locate() const override { return child_.has_locate(); }
  Position locate(const std::string& cursor) override { return child_.locate(cursor); }
  void reset_state() override { child_.reset_state(); }
  std::optional<int64_t> size() override { return child_.size(); }

  bool read(const Position& position, const Cancel& cancel, PointWriter& point) override {
    if (!child_.read(position, cancel, point)) return false;
    if (is_wanted())
      print("round " + std::to_string(position.round) + ", index " + std::to_string(position.index),
            point.reader());
    return true;
  }

  void open(const std::string& cursor) override { child_.open(cursor); }
  std::optional<std::string> start_cursor() override { return child_.start_cursor(); }
  bool next(const Cancel& cancel, PointWriter& point) override {
    if (!child_.next(cancel, point)) return false;
    if (is_wanted()) print("number " + std::to_string(printed_), point.reader());
    return true;
  }

 private:
  bool is_wanted() {
    if (printed_.load() >= wanted_) return false;
    return printed_.fetch_add(1) < wanted_;
  }

  void print(const std::string& which, const PointReader& point) const {
    host_.info(label_ + ", " + which + ": " + std::to_string(point.size()) + " components");
    for (uint32_t i = 0, n = point.size(); i < n; ++i) {
      const char* const name = point.name(i);
      host_.info("  " + (name ? std::string(name) : std::to_string(i)) + ": " +
                 description(point.view(i), "component " + std::to_string(i)));
    }
  }

  static std::string description(const broch_dl_tensor& view, const std::string& what) {
    const broch_dtype dtype = dtype_of(view.dtype);
    std::string text = dtype_name(dtype) + " " + points::shape_text(view);
    const size_t n = points::element_count(view);
    if (n == 0 || dtype == BROCH_FLOAT16 || dtype == BROCH_BFLOAT16 || dtype == BROCH_COMPLEX64 ||
        dtype == BROCH_COMPLEX128)
      return text;
    double low = INFINITY, high = -INFINITY, sum = 0;
    size_t odd = 0;  // neither finite nor part of the range
    points::with_type(dtype, what, [&](auto one) {
      const char* const bytes = points::bytes_of(view, what);
      for (size_t i = 0; i < n; ++i) {
        std::memcpy(&one, bytes + i * sizeof one, sizeof one);
        const double value = double(one);
        if (!std::isfinite(value)) {
          ++odd;
          continue;
        }
        low = std::min(low, value);
        high = std::max(high, value);
        sum += value;
      }
    });
    char numbers[128];
    if (n > odd) {
      std::snprintf(numbers, sizeof numbers, ", from %.6g to %.6g, mean %.6g", low, high,
                    sum / double(n - odd));
      text += numbers;
    }
    if (odd) text += ", " + std::to_string(odd) + " not finite";
    return text;
  }

  Host host_;
  ChildDataFlow child_;
  uint64_t wanted_;
  std::string label_;
  std::atomic<uint64_t> printed_{0};
};

}  // namespace broch::dataflows
