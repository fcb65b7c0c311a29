// summaries.cpp: scalar, histogram, sparsity, mean, root mean square and images of a tensor.
#include "summary/summaries.hpp"

#include <algorithm>
#include <cmath>

#include "broch/ext/summary.h"

namespace broch::summary {

namespace {

std::vector<double> numbers_of(runtime::Backend& backend, const runtime::Tensor& tensor) {
  std::vector<double> numbers(static_cast<size_t>(backend.info(tensor).shape.elements()));
  backend.copy_out(tensor, BROCH_FLOAT64, numbers.data(), numbers.size() * sizeof(double));
  return numbers;
}

double mean(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum / static_cast<double>(numbers.size());
}

double rms(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number * number;
  return std::sqrt(sum / static_cast<double>(numbers.size()));
}

double sparsity(const std::vector<double>& numbers) {
  return static_cast<double>(std::ranges::count(numbers, 0.0)) /
         static_cast<double>(numbers.size());
}

}  // namespace

void SummaryBatch::clear() {
  if (tags_.empty()) return;
  values_.clear();
  tags_.clear();
  numbers_.clear();
  images_.clear();
  tensors_.clear();
}

void SummaryBatch::add_scalar(std::string tag, double value) {
  values_.push_back({keep(std::move(tag)), BROCH_SUMMARY_SCALAR, 0, value, nullptr, nullptr, 0});
}

void SummaryBatch::add_histogram(std::string tag, std::vector<double> numbers) {
  Numbers& kept = numbers_.emplace_back(Numbers{std::move(numbers), 0});
  kept.size = static_cast<int64_t>(kept.data.size());
  const broch_dl_tensor& tensor = tensors_.emplace_back(broch_dl_tensor{
      kept.data.data(), {BROCH_DL_CPU, 0}, 1, {BROCH_DL_FLOAT, 64, 1}, &kept.size, nullptr, 0});
  values_.push_back({keep(std::move(tag)), BROCH_SUMMARY_HISTOGRAM, 0, 0, &tensor, nullptr, 0});
}

void SummaryBatch::add_images(const std::string& name, std::vector<double> numbers,
                              const runtime::Shape& shape) {
  runtime::Shape copy = shape;
  const broch_dl_tensor data{numbers.data(),
                             {BROCH_DL_CPU, 0},
                             static_cast<int32_t>(copy.rank),
                             {BROCH_DL_FLOAT, 64, 1},
                             copy.dims.data(),
                             nullptr,
                             0};
  Image& image = images_.emplace_back(name.c_str(), data);
  for (int64_t k = 0; k < image.count(); ++k) {
    const broch_dl_tensor& picture = tensors_.emplace_back(image.picture(k));
    const std::string tag = image.count() == 1 ? name : name + "/" + std::to_string(k);
    values_.push_back({keep(tag), BROCH_SUMMARY_IMAGE, 0, 0, &picture, nullptr, 0});
  }
}

void SummaryBatch::add_histogram(runtime::Backend& backend, std::string tag,
                                 const runtime::Tensor& tensor) {
  std::vector<double> numbers = numbers_of(backend, tensor);
  if (!numbers.empty()) add_histogram(std::move(tag), std::move(numbers));
}

void SummaryBatch::add(runtime::Backend& backend, const tower::Summary& summary) {
  const std::string name(summary.name);
  if (summary.kinds & BROCH_SHOW_SCALAR) add_scalar(name, backend.item(summary.tensor));
  if ((summary.kinds & ~uint32_t{BROCH_SHOW_SCALAR}) == 0) return;
  std::vector<double> numbers = numbers_of(backend, summary.tensor);
  if (numbers.empty()) return;
  if (summary.kinds & BROCH_SHOW_SPARSITY) add_scalar(name + "-sparsity", sparsity(numbers));
  if (summary.kinds & BROCH_SHOW_MEAN) add_scalar(name + "-mean", mean(numbers));
  if (summary.kinds & BROCH_SHOW_RMS) add_scalar(name + "-rms", rms(numbers));
  if (summary.kinds & BROCH_SHOW_IMAGE)
    add_images(name, numbers, backend.info(summary.tensor).shape);
  if (summary.kinds & BROCH_SHOW_HISTOGRAM) add_histogram(name + "-histogram", std::move(numbers));
}

}  // namespace broch::summary
