// job.hpp: what broch ckpt convert, strip, average and merge do.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "weights/edit.hpp"

namespace broch::weights {

struct Job {
  std::vector<std::string> inputs;  // see weights::open
  std::string output;
  bool replace = false;            // an existing output
  std::optional<Format> format{};  // none: by the ending of output
  std::optional<store::Dtype> dtype{};
  std::string key{};
  RuleTexts rules{};  // errors name them as options of a command line
  // Called for each input that has entries that are left out; may be empty.
  std::function<void(const std::string& input, const Weights& weights)> others{};
};

struct Written {
  size_t tensors = 0;
  uint64_t elements = 0, bytes = 0;
};

// All of them check what can be checked before they read, and replace the output atomically. They
// throw base::Error: usage for a wrong job, checkpoint for an input, data for the output.
Written convert(const Job& job, bool weights_only);
Written average(const Job& job);  // of the weights
Written merge(const Job& job);

}  // namespace broch::weights
