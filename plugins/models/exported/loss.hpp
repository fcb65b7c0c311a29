// loss.hpp: a loss over an output of the program, for programs that do not return one.
#pragma once
#include <broch/broch.hpp>
#include <optional>
#include <string>

namespace exported {

enum class LossKind { cross_entropy, mse, l1, huber, bce, nll };

struct LossOptions {
  LossKind use;
  std::string output, target;
  double label_smoothing = 0, delta = 1;
  int64_t ignore_index = -100, dimension = 1;

  static constexpr const char* kSchema = R"("anyOf": [
    {"type": "null"},
    {"type": "string", "minLength": 1},
    {"type": "object", "required": ["use"], "additionalProperties": false, "properties": {
      "use": {"enum": ["cross-entropy", "mse", "l1", "huber", "bce", "nll"],
              "description": "The function. cross-entropy: of scores for classes; bce: binary cross entropy of logits; nll: of logarithms of probabilities."},
      "output": {"type": "string", "default": "",
                 "description": "The output that it is a function of; empty: the first one."},
      "target": {"type": "string", "default": "label", "minLength": 1,
                 "description": "Name of a further input of the model, with the true values."},
      "label_smoothing": {"type": "number", "minimum": 0, "maximum": 1, "default": 0,
                          "description": "Of cross-entropy: the part that is spread over all classes."},
      "ignore_index": {"type": "integer", "default": -100,
                       "description": "Of cross-entropy and nll: the class that does not count."},
      "dimension": {"enum": [1, -1], "default": 1,
                    "description": "Of cross-entropy and nll: the dimension of the output that has an element for each class."},
      "delta": {"type": "number", "exclusiveMinimum": 0, "default": 1,
                "description": "Of huber: where it becomes linear."}}}])";
};

// text: of the option.
std::optional<LossOptions> loss_options(const std::string& text);

// Whether the target is the number of a class for each place, instead of numbers of the same shape
// as the output.
bool has_classes(const LossOptions& options);

broch::Tensor loss_of(broch::Tower& t, const LossOptions& options, const broch::Tensor& output,
                      const broch::Tensor& target);

}  // namespace exported
