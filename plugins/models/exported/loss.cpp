// loss.cpp: losses over an output of the program.
#include "models/exported/loss.hpp"

#include <nlohmann/json.hpp>

namespace exported {

std::optional<LossOptions> loss_options(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text);
  if (!json.is_object()) return std::nullopt;
  static const char* const kNames[] = {"cross-entropy", "mse", "l1", "huber", "bce", "nll"};
  LossOptions options{};
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (json.at("use") == kNames[i]) options.use = LossKind(i);
  options.output = json.value("output", "");
  options.target = json.value("target", "label");
  options.label_smoothing = json.value("label_smoothing", 0.0);
  options.ignore_index = json.value("ignore_index", int64_t{-100});
  options.dimension = json.value("dimension", int64_t{1});
  options.delta = json.value("delta", 1.0);
  return options;
}

bool has_classes(const LossOptions& options) {
  return options.use == LossKind::cross_entropy || options.use == LossKind::nll;
}

broch::Tensor loss_of(broch::Tower& t, const LossOptions& options,
                      const broch::Tensor& whole_output, const broch::Tensor& whole_target) {
  broch::Ops& ops = t.ops();
  broch::Tensor output = whole_output, target = whole_target;
  if (has_classes(options) && options.dimension == -1) {
    output = ops.reshape(output, {-1, t.size(output, -1)});
    target = ops.reshape(target, {-1});
  }
  switch (options.use) {
    case LossKind::cross_entropy:
      return ops.cross_entropy_loss(output, target, {}, BROCH_REDUCTION_MEAN, options.ignore_index,
                                    options.label_smoothing);
    case LossKind::mse:
      return ops.mse_loss(output, target);
    case LossKind::l1:
      return ops.l1_loss(output, target);
    case LossKind::huber:
      return ops.huber_loss(output, target, BROCH_REDUCTION_MEAN, options.delta);
    case LossKind::bce:
      return ops.binary_cross_entropy_with_logits(output, target);
    case LossKind::nll:
      return ops.nll_loss(output, target, {}, BROCH_REDUCTION_MEAN, options.ignore_index);
  }
  return {};
}

}  // namespace exported
