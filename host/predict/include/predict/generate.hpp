// generate.hpp: text that a language model continues.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "predict/model.hpp"

namespace broch::predict {

// The words of tokens.
struct WordList {
  std::string place;              // where they are, for errors
  std::string text;               // one word per line
  std::string unknown = "<unk>";  // stands for words that are not there
};

struct GenerateOptions {
  std::string text;        // the beginning
  int64_t length = 200;    // tokens to add
  double temperature = 1;  // 0: always the likeliest token
  int64_t top_k = 0;       // only the likeliest so many; 0: all
  double top_p = 1;        // only the likeliest that have this probability together
  uint64_t seed = 1;
  int64_t context = 0;              // tokens that the model sees; 0: as many as the model says
  std::string vocabulary;           // file with one word per line; "": those of the model
  std::optional<WordList> words{};  // of the model; no value: tokens are bytes
};

// Calls found with the text of each token, the beginning not included. Returns the number of
// tokens. Stops when enough() is true. Throws base::Error if the model is no language model: one
// input (N, T) of tokens, and one output (N, T, V) with the scores of the tokens that follow.
int64_t generate(Model& model, const GenerateOptions& options,
                 const std::function<void(const std::string&)>& found,
                 const std::function<bool()>& enough);

}  // namespace broch::predict
