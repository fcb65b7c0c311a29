// update_rule.hpp: the update rules of the host: a descriptor for each, and the arguments of a
// step.
//
// Options, schemas, hyper-parameters and slots are made from the descriptor. The backend computes
// the steps.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/tensor.hpp"

namespace broch::runtime {

enum class Rule : uint8_t { sgd, momentum, adam, adamw, rmsprop, adagrad };

// The settings of a rule that are the same in all steps.
struct UpdateSettings {
  Rule rule = Rule::sgd;
  bool tf1 = false;  // adam, rmsprop: add epsilon where TensorFlow 1 does
  bool nesterov = false;
  bool amsgrad = false;                        // adam, adamw
  bool with_buffer = false, centered = false;  // rmsprop
  double initial_accumulator = 0;              // adagrad

  bool operator==(const UpdateSettings&) const = default;
};

// One update of flat lists. All tensors have the same shape, dtype and device; gradients may be
// rows (see CompileOptions). Results are rounded like those of torch::optim's operators. Members
// are read when the step runs.
struct UpdateStep : UpdateSettings {
  Tensor parameters;
  Tensor gradients;
  std::vector<Tensor> slots;  // those that the descriptor lists, in that order
  int64_t step = 0;           // the number of this update, from 1
  double learning_rate = 0;
  double momentum = 0, dampening = 0;
  double beta1 = 0, beta2 = 0, eps = 0;
  double alpha = 0;     // rmsprop: decay of the mean of squared gradients
  double lr_decay = 0;  // adagrad
  double weight_decay = 0;
};

// A number that a rule has: a hyper-parameter, or a setting that is read once.
struct RuleNumber {
  const char* name;
  double UpdateStep::*member;         // nullptr: it is a setting
  double UpdateSettings::*setting;    // nullptr: it is a hyper-parameter
  std::optional<double> initial;      // no value: the option is required
  std::optional<double> initial_tf1;  // with "rule": "tf1", if different
  double below;                       // upper bound, exclusive; the lower bound is 0, inclusive
  const char* description;
};

struct RuleFlag {
  const char* name;
  bool UpdateSettings::*member;
  const char* description;
};

// A tensor that is kept for each parameter.
struct RuleSlot {
  const char* name;                                    // the variable is {variable}/{name}
  bool UpdateSettings::*only_if = nullptr;             // nullptr: always
  double (*initial)(const UpdateSettings&) = nullptr;  // the value of each element; nullptr: 0

  bool is_there(const UpdateSettings& settings) const { return !only_if || settings.*only_if; }
};

struct UpdateRule {
  Rule rule;
  const char* name;  // in IDs such as "broch.optimizer.adam"
  const char* summary;
  std::vector<RuleNumber> numbers;
  std::vector<RuleFlag> flags;
  std::vector<RuleSlot> slots;
  bool has_tf1;
};

// In the order of Rule.
std::span<const UpdateRule> update_rules();
inline const UpdateRule& update_rule(Rule rule) {
  return update_rules()[static_cast<size_t>(rule)];
}

// The number of slots with these settings.
size_t slot_count(const UpdateSettings& settings);

// Names, as those of slots, of what the optimizer itself keeps: the number of updates, and the
// state of accum-grad and lookahead.
std::span<const char* const> own_state();
// Whether a variable of this name is the number of updates.
bool is_update_count(std::string_view variable);
// Whether it is state of accum-grad or lookahead, which have counts of their own.
bool has_own_count(std::string_view variable);

}  // namespace broch::runtime
