// update_rule.hpp: the update rules of the host: what they compute with, and a descriptor for each.
//
// The descriptor is what options, schemas, hyper-parameters and slots are made from. The arithmetic
// is a backend's.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/tensor.hpp"

namespace broch::runtime {

enum class Rule : uint8_t { sgd, momentum, adam, adamw, rmsprop, adagrad };

// What stays the same in all steps of a rule.
struct UpdateSettings {
  Rule rule = Rule::sgd;
  bool tf1 = false;  // adam, rmsprop: epsilon where TensorFlow 1 adds it
  bool nesterov = false;
  bool with_buffer = false, centered = false;  // rmsprop
  double initial_accumulator = 0;              // adagrad

  bool operator==(const UpdateSettings&) const = default;
};

// One update of a flat list: all tensors of one shape, dtype and device; gradients may be rows (see
// CompileOptions). Rounds like torch::optim's operator sequence. Numbers are read when the step
// runs.
struct UpdateStep : UpdateSettings {
  Tensor parameters;
  Tensor gradients;
  std::vector<Tensor> slots;  // those of the descriptor, in its order
  int64_t step = 0;           // number of this update, from 1
  double learning_rate = 0;
  double momentum = 0, dampening = 0;
  double beta1 = 0, beta2 = 0, eps = 0;
  double alpha = 0;     // rmsprop: decay of the mean of squares
  double lr_decay = 0;  // adagrad
  double weight_decay = 0;
};

// A number of a rule: a hyper-parameter, or a setting that is read once.
struct RuleNumber {
  const char* name;
  double UpdateStep::*member;         // nullptr: it is the setting
  double UpdateSettings::*setting;    // nullptr: it is a hyper-parameter
  std::optional<double> initial;      // none: required
  std::optional<double> initial_tf1;  // with "rule": "tf1", where that is another
  double below;                       // exclusive upper bound; the lower one is 0, inclusive
  const char* description;
};

struct RuleFlag {
  const char* name;
  bool UpdateSettings::*member;
  const char* description;
};

// A tensor beside each parameter.
struct RuleSlot {
  const char* name;                                    // of the variable {variable}/{name}
  bool UpdateSettings::*only_if = nullptr;             // nullptr: always
  double (*initial)(const UpdateSettings&) = nullptr;  // of each element; nullptr: 0

  bool is_there(const UpdateSettings& settings) const { return !only_if || settings.*only_if; }
};

struct UpdateRule {
  Rule rule;
  const char* name;  // in ids: "broch.optimizer.adam"
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

// How many slots there are with these settings.
size_t slot_count(const UpdateSettings& settings);

}  // namespace broch::runtime
