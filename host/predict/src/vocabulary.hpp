// vocabulary.hpp: text as tokens, and back.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "predict/generate.hpp"

namespace broch::predict {

// The words in a file. Throws base::Error (data); option: what names it.
WordList words_in(const std::string& file, const std::string& option);

class Vocabulary {
 public:
  // No words: tokens are bytes.
  explicit Vocabulary(const std::optional<WordList>& words);

  bool has_words() const { return has_words_; }
  const std::string& place() const { return place_; }  // of the words
  int64_t size() const { return has_words_ ? int64_t(words_.size()) : 256; }
  // Throws base::Error (data) for a word that is not there, unless another one stands for it.
  std::vector<int64_t> tokens(const std::string& text) const;
  // With a blank before a word.
  std::string text(int64_t token) const;

 private:
  bool has_words_;
  std::string place_, unknown_;
  std::vector<std::string> words_;
  std::map<std::string, int64_t, std::less<>> numbers_;
};

}  // namespace broch::predict
