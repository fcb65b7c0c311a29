// options.hpp: the options of the model.
#pragma once
#include <broch/broch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/objective/input_option.hpp"
#include "models/objective/losses.hpp"
#include "models/objective/metrics.hpp"

namespace exported {

struct Options {
  std::string file;
  broch::JsonText loss, metrics;
  std::optional<std::string> loss_output;
  std::vector<broch::models::InputOption> targets;
  std::vector<std::string> inputs, freeze;

  static constexpr auto schema = broch::options(
      broch::option("file", &Options::file,
                    "A .pt2 file, written by torch.export.save of PyTorch 2.6 or newer.")
          .min_length(1)
          .is_path(),
      broch::option("loss", &Options::loss,
                    "What is minimized, of an output and a target: {\"loss\": \"cross_entropy\", "
                    "...}, or its name alone. null: the program computes it, see loss_output.")
          .schema(broch::models::kLossSchema.chars)
          .by_default(nullptr),
      broch::option("loss_output", &Options::loss_output,
                    "Name of the output that is minimized, unless there is a loss; null: the one "
                    "called loss, or the first one if it is a single number."),
      broch::option("targets", &Options::targets,
                    "Inputs for the loss and the metrics, after those of the program. []: if the "
                    "target of the loss is no input of the program, one that fits the output; it "
                    "is called label if it names classes, and otherwise target, unless the loss "
                    "names it.")
          .by_default(),
      broch::option("metrics", &Options::metrics,
                    "Numbers that are published for inferencers and shown in training.")
          .schema(broch::models::kMetricsSchema.chars)
          .may_be_absent(),
      broch::option("inputs", &Options::inputs,
                    "Names of the inputs, in their order; []: those of the arguments of forward.")
          .min_length(1)
          .by_default(),
      broch::option("freeze", &Options::freeze,
                    "Parameters that are not trained: regular expressions (ECMAScript), each of "
                    "which has to match a whole name.")
          .by_default());
};

}  // namespace exported
