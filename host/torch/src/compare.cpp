// compare.cpp: makes recorders, and compares replayed values with eager ones.
#include <ATen/ops/abs.h>
#include <ATen/ops/view_as_real.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/text.hpp"
#include "compiler/aten.hpp"
#include "passes/passes.hpp"
#include "record/recorder.hpp"
#include "rows.hpp"
#include "torch_backend.hpp"

namespace broch::libtorch {
namespace {

std::string element_text(const at::Tensor& tensor, int64_t index) {
  const at::Tensor element = tensor.flatten()[index];
  if (element.is_complex()) return c10::str(element.item().toComplexDouble());
  return base::shortest(element.item().toDouble());
}

std::string in_words(const at::Tensor& a, const at::Tensor& b, int64_t index) {
  return "element " + std::to_string(index) + " of " + c10::str(a.sizes()) + " is " +
         element_text(b, index) + " and not " + element_text(a, index);
}

std::string different_bits(const at::Tensor& a, const at::Tensor& b) {
  const size_t size = a.element_size();
  const auto* left = static_cast<const char*>(a.const_data_ptr());
  const auto* right = static_cast<const char*>(b.const_data_ptr());
  for (int64_t i = 0; i < a.numel(); ++i)
    if (std::memcmp(left + i * size, right + i * size, size) != 0) return in_words(a, b, i);
  return "";
}

// All elements, on the CPU: a result may lie in a buffer of an optimizer on a GPU.
at::Tensor elements_of(const Tensor& tensor) { return whole(to_aten(tensor)).detach().cpu(); }

at::Tensor as_doubles(const at::Tensor& tensor) {
  return (tensor.is_complex() ? at::view_as_real(tensor) : tensor).to(at::kDouble).contiguous();
}

std::string too_far(const at::Tensor& a, const at::Tensor& b, double tolerance) {
  const at::Tensor left = as_doubles(a), right = as_doubles(b);
  const auto* x = left.const_data_ptr<double>();
  const auto* y = right.const_data_ptr<double>();
  double largest = 0;
  for (int64_t i = 0; i < left.numel(); ++i)
    if (std::isfinite(x[i])) largest = std::max(largest, std::fabs(x[i]));
  const double limit = tolerance * largest + std::numeric_limits<float>::epsilon();
  for (int64_t i = 0; i < left.numel(); ++i) {
    const bool alike = x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]));
    if (!alike && !(std::fabs(x[i] - y[i]) <= limit)) return in_words(left, right, i);
  }
  return "";
}

}  // namespace

std::string TorchBackend::recording_problem() { return libtorch::recording_problem(); }

std::unique_ptr<Recorder> TorchBackend::record() { return std::make_unique<TorchRecorder>(); }

std::vector<std::string> TorchBackend::passes() const {
  std::vector<std::string> names;
  for (const Pass& pass : all_passes()) names.emplace_back(pass.name);
  return names;
}

std::string TorchBackend::difference(const Tensor& a, const Tensor& b, double tolerance) {
  return at_place("comparison", [&]() -> std::string {
    const c10::NoGradGuard no_grad;
    const at::Tensor left = elements_of(a).resolve_conj().resolve_neg().contiguous();
    const at::Tensor right = elements_of(b).resolve_conj().resolve_neg().contiguous();
    if (left.sizes() != right.sizes() || left.scalar_type() != right.scalar_type())
      return c10::str(right.sizes(), " ", right.scalar_type(), " and not ", left.sizes(), " ",
                      left.scalar_type());
    const bool exact = tolerance == 0 || !(left.is_floating_point() || left.is_complex());
    return exact ? different_bits(left, right) : too_far(left, right, tolerance);
  });
}

Backend::Distance TorchBackend::distance(const Tensor& a, const Tensor& b) {
  return at_place("comparison", [&]() -> Distance {
    const c10::NoGradGuard no_grad;
    const at::Tensor left = as_doubles(elements_of(a)), right = as_doubles(elements_of(b));
    const auto* x = left.const_data_ptr<double>();
    const auto* y = right.const_data_ptr<double>();
    Distance found;
    for (int64_t i = 0; i < left.numel(); ++i) {
      found.apart += (x[i] - y[i]) * (x[i] - y[i]);
      found.length += x[i] * x[i];
    }
    return found;
  });
}

}  // namespace broch::libtorch
