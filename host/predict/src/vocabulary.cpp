// vocabulary.cpp: bytes, or the words of a file.
#include "vocabulary.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "base/text.hpp"

namespace broch::predict {
namespace {

constexpr const char* kUnknown = "<unk>";

}  // namespace

Vocabulary::Vocabulary(const std::string& file) : file_(file) {
  if (file.empty()) return;
  std::ifstream stream(file);
  if (!stream || std::filesystem::is_directory(file))
    base::fail(base::Exit::data, "--vocabulary " + file, "no file that can be read",
               "a file with one word per line", "");
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    numbers_.emplace(line, int64_t(words_.size()));
    words_.push_back(line);
  }
}

std::vector<int64_t> Vocabulary::tokens(const std::string& text) const {
  std::vector<int64_t> tokens;
  if (file_.empty()) {
    for (const char byte : text) tokens.push_back(uint8_t(byte));
    return tokens;
  }
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    auto found = numbers_.find(word);
    if (found == numbers_.end()) found = numbers_.find(kUnknown);
    if (found == numbers_.end())
      base::fail(base::Exit::data, "--generate",
                 base::quoted(word) + ", which is no word of " + file_, "words of this file",
                 "write it as the training's text has it");
    tokens.push_back(found->second);
  }
  return tokens;
}

std::string Vocabulary::text(int64_t token) const {
  if (file_.empty()) return {char(uint8_t(token))};
  return " " + words_[size_t(token)];
}

}  // namespace broch::predict
