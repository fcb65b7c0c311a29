// metrics.cpp: Prometheus' text format, version 0.0.4.
#include "metrics.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace broch::serve {
namespace {

constexpr std::array kSeconds = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                 0.05,   0.1,     0.25,   0.5,   1.0,    2.5,   5.0,  10.0};
constexpr std::array kRows = {1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0};

void begin(std::string& text, const std::string& name, const char* type, const std::string& help) {
  text += "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
}

}  // namespace

void Histogram::add(double value) {
  ++counts_[size_t(std::ranges::lower_bound(bounds_, value) - bounds_.begin())];
  sum_ += value;
}

void Histogram::print(std::string& text, const std::string& name, const std::string& labels) const {
  uint64_t total = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    total += counts_[i];
    const std::string bound = i < bounds_.size() ? base::shortest(bounds_[i]) : "+Inf";
    text += name + "_bucket{" + labels + ",le=\"" + bound + "\"} " + std::to_string(total) + "\n";
  }
  text += name + "_sum{" + labels + "} " + base::shortest(sum_) + "\n";
  text += name + "_count{" + labels + "} " + std::to_string(total) + "\n";
}

ModelMetrics::ModelMetrics()
    : request_seconds_(kSeconds),
      preprocess_seconds_(kSeconds),
      queue_seconds_(kSeconds),
      compute_seconds_(kSeconds),
      batch_rows_(kRows) {}

void ModelMetrics::answered(int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++answers_[status];
  request_seconds_.add(seconds);
}

void ModelMetrics::preprocessed(double seconds) {
  const std::lock_guard lock(mutex_);
  preprocess_seconds_.add(seconds);
}

void ModelMetrics::computed(std::span<const double> waited, double seconds, int64_t rows) {
  const std::lock_guard lock(mutex_);
  for (const double one : waited) queue_seconds_.add(one);
  compute_seconds_.add(seconds);
  batch_rows_.add(double(rows));
  rows_ += uint64_t(rows);
}

void MetricsText::gauge(const std::string& name, const std::string& help, double value) {
  begin(text_, name, "gauge", help);
  text_ += name + " " + base::shortest(value) + "\n";
}

void MetricsText::models(const std::vector<std::pair<std::string, const ModelMetrics*>>& models) {
  const auto each = [&](const std::string& name, const char* type, const std::string& help,
                        const auto& print) {
    begin(text_, name, type, help);
    for (const auto& [model, metrics] : models) {
      const std::lock_guard lock(metrics->mutex_);
      print(name, "model=\"" + model + "\"", *metrics);
    }
  };
  const auto histogram = [&](const std::string& name, const std::string& help,
                             Histogram ModelMetrics::*member) {
    each(name, "histogram", help,
         [&](const std::string& full, const std::string& labels, const ModelMetrics& metrics) {
           (metrics.*member).print(text_, full, labels);
         });
  };
  each("broch_serve_requests_total", "counter", "Answered requests to infer, by status.",
       [&](const std::string& name, const std::string& labels, const ModelMetrics& metrics) {
         for (const auto& [status, count] : metrics.answers_)
           text_ += name + "{" + labels + ",status=\"" + std::to_string(status) + "\"} " +
                    std::to_string(count) + "\n";
       });
  each("broch_serve_rows_total", "counter", "Computed rows: samples of all requests.",
       [&](const std::string& name, const std::string& labels, const ModelMetrics& metrics) {
         text_ += name + "{" + labels + "} " + std::to_string(metrics.rows_) + "\n";
       });
  histogram("broch_serve_request_seconds", "From a request to its answer.",
            &ModelMetrics::request_seconds_);
  histogram("broch_serve_preprocess_seconds", "Making inputs of the files of a request.",
            &ModelMetrics::preprocess_seconds_);
  histogram("broch_serve_queue_seconds", "From a request to the start of its computation.",
            &ModelMetrics::queue_seconds_);
  histogram("broch_serve_compute_seconds", "Computations, of one or several requests.",
            &ModelMetrics::compute_seconds_);
  histogram("broch_serve_batch_rows", "Rows that were computed together.",
            &ModelMetrics::batch_rows_);
}

}  // namespace broch::serve
