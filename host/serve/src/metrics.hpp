// metrics.hpp: what Prometheus reads: counters and histograms of each model.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace broch::serve {

class Histogram {
 public:
  explicit Histogram(std::span<const double> bounds)
      : bounds_(bounds), counts_(bounds.size() + 1) {}
  void add(double value);
  // Lines such as name_bucket{model="digits",le="0.1"} 3
  void print(std::string& text, const std::string& name, const std::string& labels) const;

 private:
  const std::span<const double> bounds_;  // ascending
  std::vector<uint64_t> counts_;          // by bound, and above all
  double sum_ = 0;
};

// Of one model. Any thread.
class ModelMetrics {
 public:
  ModelMetrics();
  // A request was answered with this status, so long after it had been read.
  void answered(int status, double seconds);
  // Inputs were made of the files of a request in so long.
  void preprocessed(double seconds);
  // Requests waited so long, and were computed together in so long.
  void computed(std::span<const double> waited, double seconds, int64_t rows);

 private:
  friend class MetricsText;
  mutable std::mutex mutex_;
  std::map<int, uint64_t> answers_;  // by status
  uint64_t rows_ = 0;
  Histogram request_seconds_, preprocess_seconds_, queue_seconds_, compute_seconds_, batch_rows_;
};

// The text, one metric after the other.
class MetricsText {
 public:
  void gauge(const std::string& name, const std::string& help, double value);
  void models(const std::vector<std::pair<std::string, const ModelMetrics*>>& models);
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace broch::serve
