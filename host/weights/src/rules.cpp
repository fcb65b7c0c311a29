// rules.cpp: regular expressions, and errors for those that cannot be meant.
#include "weights/rules.hpp"

#include <algorithm>
#include <regex>

#include "base/text.hpp"

namespace broch::weights {

struct Expression {
  std::regex regex;
};

namespace {

// The kernels of dense layers and convolutions as tensorpack, Keras and slim name them.
constexpr const char* kKernels = "(.*/)?(W|kernel|weights)(:0)?";

std::shared_ptr<const Expression> compiled(const std::string& text, const std::string& where,
                                           base::Exit exit) {
  try {
    return std::make_shared<Expression>(Expression{std::regex(text)});
  } catch (const std::regex_error&) {
    base::fail(exit, where, base::quoted(text), "an ECMAScript regular expression",
               "all names that begin with fc/ are matched by \"fc/.*\"");
  }
}

[[noreturn]] void refuse_unmatched(const std::string& text, const std::set<std::string>& names,
                                   const std::string& where, const std::string& expected,
                                   base::Exit exit) {
  const std::vector<std::string> list(names.begin(), names.end());
  base::fail(exit, where,
             base::quoted(text) + ", which matches no variable" + base::did_you_mean(text, list),
             expected, "broch ckpt inspect lists the names in a file");
}

std::vector<std::string> with_kernels(std::vector<std::string> texts) {
  std::ranges::replace(texts, std::string(kTensorflow), std::string(kKernels));
  return texts;
}

}  // namespace

NamePatterns::NamePatterns(const std::vector<std::string>& patterns, std::string where,
                           base::Exit exit)
    : where_(std::move(where)), exit_(exit) {
  for (const std::string& text : patterns)
    patterns_.push_back({text, compiled(text, where_, exit_)});
}

std::optional<std::string> NamePatterns::match(const std::string& name) const {
  for (const Pattern& pattern : patterns_)
    if (std::regex_match(name, pattern.expression->regex)) return pattern.text;
  return std::nullopt;
}

void NamePatterns::require_matches(const std::set<std::string>& names) const {
  for (const Pattern& pattern : patterns_)
    if (std::ranges::none_of(names, [&](const std::string& name) {
          return std::regex_match(name, pattern.expression->regex);
        }))
      refuse_unmatched(pattern.text, names, where_,
                       "a regular expression for a whole name, such as \"fc/.*\"", exit_);
}

Rules::Rules(const RuleTexts& texts, const std::string& where, base::Exit exit)
    : include_(texts.include, where + "include", exit),
      exclude_(texts.exclude, where + "exclude", exit),
      transpose_(with_kernels(texts.transpose), where + "transpose", exit),
      where_(where + "rename"),
      exit_(exit) {
  for (const std::string& name : texts.ignore) ignore_.push_back(without_output(name));
  for (const auto& [from, to] : texts.rename)
    renames_.push_back({from, compiled(from, where_, exit_), to});
}

std::string Rules::reason(const std::string& name) const {
  if (std::ranges::find(ignore_, name) != ignore_.end()) return "in ignore";
  if (!include_.empty() && !include_.match(name)) return "not in include";
  if (const auto pattern = exclude_.match(name)) return "exclude " + base::quoted(*pattern);
  return "";
}

std::string Rules::renamed(const std::string& name) const {
  std::string result = name;
  for (const Rename& rename : renames_) {
    result = std::regex_replace(result, rename.from->regex, rename.to);
    if (result.size() > kLongestName || result.empty())
      base::fail(exit_, where_,
                 "a name of " + std::to_string(result.size()) + " bytes for " + base::quoted(name),
                 "1 to " + std::to_string(kLongestName), "correct " + base::quoted(rename.text));
  }
  return result;
}

bool Rules::transposes(const std::string& name, const std::vector<int64_t>& shape) const {
  return shape.size() >= 2 && transpose_.match(name);
}

void Rules::require_matches(const std::set<std::string>& names) const {
  include_.require_matches(names);
  exclude_.require_matches(names);
  transpose_.require_matches(names);
  std::set<std::string> now = names;
  for (const Rename& rename : renames_) {
    std::set<std::string> next;
    bool any = false;
    for (const std::string& name : now) {
      any |= std::regex_search(name, rename.from->regex);
      next.insert(std::regex_replace(name, rename.from->regex, rename.to));
    }
    if (!any)
      refuse_unmatched(rename.text, now, where_,
                       "a regular expression for a part of a name, such as \"^module[.]\"", exit_);
    now = std::move(next);
  }
}

}  // namespace broch::weights
