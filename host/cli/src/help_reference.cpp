// help_reference.cpp: formats references in lines of at most 80 characters, like all topics.
#include "help_reference.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "manifest/expression.hpp"
#include "manifest/reference.hpp"
#include "output.hpp"

namespace broch::cli {
namespace {

constexpr size_t kWidth = 80;

std::string indented(const std::string& text, const std::string& indent) {
  std::string lines;
  for (const std::string& line : wrapped(text, kWidth - indent.size()))
    lines += indent + line + "\n";
  return lines;
}

std::string keys_in_words(const std::vector<manifest::KeyReference>& keys) {
  std::string text;
  for (const manifest::KeyReference& one : keys) {
    std::string kind = one.kind;
    if (one.initial == "required")
      kind += "; required";
    else if (!one.initial.empty())
      kind += "; default " + one.initial;
    text += "  " + one.key + "\n" + indented(one.description, "      ") +
            indented("(" + kind + ")", "      ");
  }
  return text;
}

std::string words_in_columns(const std::vector<manifest::ExpressionWord>& words) {
  constexpr size_t kColumn = 16;
  std::string text;
  for (const manifest::ExpressionWord& word : words) {
    std::string line = "  " + word.form;
    line.append(kColumn - std::min(kColumn, base::characters_in(line)), ' ');
    text += line + word.meaning + "\n";
  }
  return text;
}

}  // namespace

std::string manifest_reference() {
  return "All keys:\n\n" + keys_in_words(manifest::manifest_keys()) +
         "\nKeys in the entry of a component:\n\n" + keys_in_words(manifest::entry_keys());
}

std::string expression_reference() {
  const manifest::ExpressionWords words = manifest::expression_words();
  return "\nVariables:\n\n" + words_in_columns(words.variables) + "\nFunctions:\n\n" +
         words_in_columns(words.functions) + "\nOperators, the lowest precedence first:\n\n" +
         words_in_columns(words.operators);
}

}  // namespace broch::cli
