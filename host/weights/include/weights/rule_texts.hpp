// rule_texts.hpp: what Rules are made of.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace broch::weights {

// As options and command lines have them.
struct RuleTexts {
  // Regular expression and replacement, in which $1 is the first group. Every place that matches
  // is replaced; each rule sees what the rule before made.
  std::vector<std::pair<std::string, std::string>> rename{};
  std::vector<std::string> include{}, exclude{};  // regular expressions for whole names
  // The same; kTensorflow stands for the names that dense layers and convolutions have there.
  std::vector<std::string> transpose{};
  std::vector<std::string> ignore{};  // names
};
inline constexpr const char* kTensorflow = "tensorflow";

}  // namespace broch::weights
