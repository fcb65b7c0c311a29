// update_rule.cpp: the table of rules. The defaults are those of torch.optim, or of TensorFlow 1.
#include "runtime/update_rule.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace broch::runtime {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

RuleNumber rate(std::optional<double> initial) {
  return {"learning_rate", &UpdateStep::learning_rate, nullptr, initial, {}, kInfinity,
          "step size"};
}

RuleNumber decay(double initial) {
  return {"weight_decay",
          &UpdateStep::weight_decay,
          nullptr,
          initial,
          {},
          kInfinity,
          "L2 penalty; decoupled from the gradient in adamw"};
}

RuleNumber beta1() {
  return {"beta1", &UpdateStep::beta1, nullptr, 0.9, {}, 1, "decay of the mean of gradients"};
}

RuleNumber beta2() {
  return {
      "beta2", &UpdateStep::beta2, nullptr, 0.999, {}, 1, "decay of the mean of squared gradients"};
}

RuleNumber eps(double initial, std::optional<double> tf1, const char* description) {
  return {"eps", &UpdateStep::eps, nullptr, initial, tf1, kInfinity, description};
}

UpdateRule sgd() {
  return {Rule::sgd, "sgd", "Gradient descent: w -= learning_rate * g.", {rate({}), decay(0)}, {},
          {},        false};
}

UpdateRule momentum() {
  return {
      Rule::momentum,
      "momentum",
      "Gradient descent with momentum (torch.optim.SGD): m = momentum * m + (1 - dampening) * g.",
      {rate({}),
       {"momentum",
        &UpdateStep::momentum,
        nullptr,
        0.9,
        {},
        kInfinity,
        "decay of the accumulated gradient"},
       {"dampening",
        &UpdateStep::dampening,
        nullptr,
        0.0,
        {},
        kInfinity,
        "part of each gradient that is not accumulated"},
       decay(0)},
      {{"nesterov", &UpdateSettings::nesterov, "Nesterov's momentum"}},
      {{"momentum_buffer"}},
      false};
}

RuleFlag amsgrad() {
  return {"amsgrad", &UpdateSettings::amsgrad,
          "divide by the root of the largest mean of squared gradients so far (Reddi et al. 2018)"};
}

std::vector<RuleSlot> adam_slots() {
  return {{"exp_avg"}, {"exp_avg_sq"}, {"max_exp_avg_sq", &UpdateSettings::amsgrad}};
}

UpdateRule adam() {
  return {Rule::adam,
          "adam",
          "Adam (Kingma & Ba 2015), as torch.optim.Adam.",
          {rate(1e-3), beta1(), beta2(),
           eps(1e-8, {}, "added to the root, which is bias-corrected unless the rule is tf1"),
           decay(0)},
          {amsgrad()},
          adam_slots(),
          true};
}

UpdateRule adamw() {
  return {Rule::adamw,
          "adamw",
          "AdamW (Loshchilov & Hutter 2019), as torch.optim.AdamW.",
          {rate(1e-3), beta1(), beta2(), eps(1e-8, {}, "added to the bias-corrected root"),
           decay(1e-2)},
          {amsgrad()},
          adam_slots(),
          false};
}

UpdateRule rmsprop() {
  const auto square = [](const UpdateSettings& settings) { return settings.tf1 ? 1.0 : 0.0; };
  return {Rule::rmsprop,
          "rmsprop",
          "RMSprop (Hinton), as torch.optim.RMSprop.",
          {rate(1e-2),
           {"alpha", &UpdateStep::alpha, nullptr, 0.99, 0.9, 1,
            "decay of the mean of squared gradients"},
           eps(1e-8, 1e-10, "added to the root; inside the root if the rule is tf1"),
           {"momentum",
            &UpdateStep::momentum,
            nullptr,
            0.0,
            {},
            kInfinity,
            "decay of the accumulated change; if it is 0 at the start, none is accumulated"},
           decay(0)},
          {{"centered", &UpdateSettings::centered, "divide by the estimated variance"}},
          {{"square_avg", nullptr, square},
           {"momentum_buffer", &UpdateSettings::with_buffer},
           {"grad_avg", &UpdateSettings::centered}},
          true};
}

UpdateRule adagrad() {
  const auto sum = [](const UpdateSettings& settings) { return settings.initial_accumulator; };
  return {Rule::adagrad,
          "adagrad",
          "Adagrad (Duchi et al. 2011), as torch.optim.Adagrad.",
          {rate(1e-2),
           {"lr_decay",
            &UpdateStep::lr_decay,
            nullptr,
            0.0,
            {},
            kInfinity,
            "the rate of update k is divided by 1 + (k - 1) * lr_decay"},
           eps(1e-10, 0.0, "added to the root"),
           {"initial_accumulator_value", nullptr, &UpdateSettings::initial_accumulator, 0.0, 0.1,
            kInfinity, "initial value of the sum of squared gradients"},
           decay(0)},
          {},
          {{"sum", nullptr, sum}},
          true};
}

constexpr std::array<const char*, 5> kOwnState{"step",  // the number of updates
                                               "accum_grad", "accum_step", "lookahead",
                                               "lookahead_step"};

bool is_named(std::string_view variable, std::string_view name) {
  if (!variable.ends_with(name)) return false;
  variable.remove_suffix(name.size());
  return variable.ends_with('/');
}

}  // namespace

std::span<const UpdateRule> update_rules() {
  static const std::vector<UpdateRule> rules{sgd(),   momentum(), adam(),
                                             adamw(), rmsprop(),  adagrad()};
  return rules;
}

size_t slot_count(const UpdateSettings& settings) {
  const std::vector<RuleSlot>& slots = update_rule(settings.rule).slots;
  return static_cast<size_t>(
      std::ranges::count_if(slots, [&](const RuleSlot& slot) { return slot.is_there(settings); }));
}

std::span<const char* const> own_state() { return kOwnState; }

bool is_update_count(std::string_view variable) { return is_named(variable, kOwnState.front()); }

bool has_own_count(std::string_view variable) {
  return std::ranges::any_of(own_state().subspan(1),
                             [&](const char* name) { return is_named(variable, name); });
}

}  // namespace broch::runtime
