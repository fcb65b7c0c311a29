// summaries.hpp: turns what a tower shows into values for the monitors.
#pragma once
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "broch/role/monitor.h"
#include "summary/image.hpp"
#include "tower/tower.hpp"

namespace broch::summary {

// Values of a summary together with the memory they point to.
class SummaryBatch {
 public:
  void add_scalar(std::string tag, double value);
  // Everything that a summary of a tower asks for: BROCH_SHOW_….
  void add(runtime::Backend& backend, const tower::Summary& summary);
  void add_histogram(runtime::Backend& backend, std::string tag, const runtime::Tensor& tensor);
  void clear();

  bool empty() const { return values_.empty(); }
  std::span<const broch_summary_value> values() const { return values_; }

 private:
  void add_histogram(std::string tag, std::vector<double> numbers);
  void add_images(const std::string& name, std::vector<double> numbers,
                  const runtime::Shape& shape);
  const char* keep(std::string tag) { return tags_.emplace_back(std::move(tag)).c_str(); }

  struct Numbers {
    std::vector<double> data;
    int64_t size;
  };
  // Deques, so that addresses stay.
  std::deque<std::string> tags_;
  std::deque<Numbers> numbers_;
  std::deque<Image> images_;
  std::deque<broch_dl_tensor> tensors_;
  std::vector<broch_summary_value> values_;
};

}  // namespace broch::summary
