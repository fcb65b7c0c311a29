// vocabulary.cpp: bytes, or the words of a file.
#include "vocabulary.hpp"

#include <sstream>
#include <utility>

#include "archive/lines.hpp"
#include "base/content.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace broch::predict {

WordList words_in(const std::string& file, const std::string& option) {
  std::optional<std::string> text = base::content_of(file);
  if (!text)
    base::fail(base::Exit::data, option + " " + file, "no file that can be read",
               "a file with one word per line", "name another one as --vocabulary FILE");
  return {file, std::move(*text)};
}

Vocabulary::Vocabulary(const std::optional<WordList>& words) : has_words_(words.has_value()) {
  if (!words) return;
  place_ = words->place;
  unknown_ = words->unknown;
  words_ = archive::lines_in(words->text);
  for (size_t i = 0; i < words_.size(); ++i) numbers_.emplace(words_[i], int64_t(i));
}

std::vector<int64_t> Vocabulary::tokens(const std::string& text) const {
  std::vector<int64_t> tokens;
  if (!has_words_) {
    for (const char byte : text) tokens.push_back(uint8_t(byte));
    return tokens;
  }
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    auto found = numbers_.find(word);
    if (found == numbers_.end()) found = numbers_.find(unknown_);
    if (found == numbers_.end())
      base::fail(base::Exit::data, "--generate",
                 base::quoted(word) + ", which is no word of " + place_, "words of this file",
                 "write it as the training's text has it");
    tokens.push_back(found->second);
  }
  return tokens;
}

std::string Vocabulary::text(int64_t token) const {
  if (!has_words_) return {char(uint8_t(token))};
  return " " + words_[size_t(token)];
}

}  // namespace broch::predict
