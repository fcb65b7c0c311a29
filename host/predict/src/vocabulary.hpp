// vocabulary.hpp: text as tokens, and back.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace broch::predict {

class Vocabulary {
 public:
  // file: words, one per line, as the dataflow that made the tokens has it; "": bytes. Throws
  // base::Error (data).
  explicit Vocabulary(const std::string& file);

  int64_t size() const { return file_.empty() ? 256 : int64_t(words_.size()); }
  // Throws base::Error (data) for a word that is not there, unless there is <unk>.
  std::vector<int64_t> tokens(const std::string& text) const;
  // With a blank before a word.
  std::string text(int64_t token) const;

 private:
  std::string file_;
  std::vector<std::string> words_;
  std::map<std::string, int64_t, std::less<>> numbers_;
};

}  // namespace broch::predict
