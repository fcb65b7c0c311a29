// rules.hpp: which tensors of a file are wanted, under which names, and in which order of
// dimensions.
#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "weights/rule_texts.hpp"
#include "weights/weights.hpp"

namespace broch::weights {

struct Expression;  // a regular expression; <regex> takes long to compile

// Regular expressions (ECMAScript) for whole names. Each must match at least one name.
class NamePatterns {
 public:
  // where: of the expressions, for messages, such as "session_init: exclude". exit: of errors.
  // Throws base::Error for text that is no regular expression.
  NamePatterns(const std::vector<std::string>& patterns, std::string where, base::Exit exit);
  bool empty() const { return patterns_.empty(); }
  // The text of the first pattern that matches.
  std::optional<std::string> match(const std::string& name) const;
  // Throws base::Error if a pattern matches none of these names.
  void require_matches(const std::set<std::string>& names) const;

 private:
  struct Pattern {
    std::string text;
    std::shared_ptr<const Expression> expression;
  };
  std::vector<Pattern> patterns_;
  std::string where_;
  base::Exit exit_;
};

// All names but the result of renamed() are those in the file.
class Rules {
 public:
  // where: what comes before the name of an option in messages: "session_init: " or "--".
  Rules(const RuleTexts& texts, const std::string& where, base::Exit exit);

  // Why a tensor is left out, such as "exclude 'fc/.*'"; "" if it is not.
  std::string reason(const std::string& name) const;
  std::string renamed(const std::string& name) const;
  // Whether the last two dimensions come first, swapped. Never for fewer than two dimensions.
  bool transposes(const std::string& name, const std::vector<int64_t>& shape) const;
  // Throws base::Error if an expression matches no name.
  void require_matches(const std::set<std::string>& names) const;

 private:
  struct Rename {
    std::string text;
    std::shared_ptr<const Expression> from;
    std::string to;
  };
  std::vector<Rename> renames_;
  NamePatterns include_, exclude_, transpose_;
  std::vector<std::string> ignore_;  // without ":0"
  std::string where_;
  base::Exit exit_;
};

}  // namespace broch::weights
