// command_line.cpp: the words that Linux keeps of this process.
#include "base/command_line.hpp"

#include <cctype>
#include <cstring>
#include <fstream>

namespace broch::base {
namespace {

bool is_plain(const std::string& word) {
  for (const char c : word)
    if (!std::isalnum(static_cast<unsigned char>(c)) && !std::strchr("_-+=.,:/@%", c)) return false;
  return !word.empty();
}

}  // namespace

std::string quoted_for_shell(const std::string& word) {
  if (is_plain(word)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::vector<std::string> command_words() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

std::string command_line() {
  std::string line;
  for (const std::string& word : command_words())
    line += (line.empty() ? "" : " ") + quoted_for_shell(word);
  return line;
}

}  // namespace broch::base
