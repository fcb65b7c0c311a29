// summaries.hpp: turns the summaries of a tower into values for monitors.
#pragma once
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "broch/role/monitor.h"
#include "summary/image.hpp"
#include "tower/tower.hpp"

namespace broch::summary {

// Summary values, together with the memory they point to.
class SummaryBatch {
 public:
  void add_scalar(std::string tag, double value);
  // Adds all kinds of values that the summary asks for (BROCH_SHOW_…).
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
  // Deques, because addresses of elements must stay valid.
  std::deque<std::string> tags_;
  std::deque<Numbers> numbers_;
  std::deque<Image> images_;
  std::deque<broch_dl_tensor> tensors_;
  std::vector<broch_summary_value> values_;
};

}  // namespace broch::summary
