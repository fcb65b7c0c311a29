// restoration.hpp: loads variables of a checkpoint for a new run.
#pragma once
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "session/checkpoints.hpp"
#include "store/checkpoint.hpp"

namespace broch::session {

// Regular expressions for whole names. Each expression must match at least one name.
class NamePatterns {
 public:
  // what: the name of the option, such as "exclude", for messages. Throws base::Error (manifest).
  NamePatterns(const std::vector<std::string>& patterns, const std::string& where,
               const std::string& what);
  bool empty() const { return patterns_.empty(); }
  // The text of the first pattern that matches.
  std::optional<std::string> match(const std::string& name) const;
  // Throws base::Error (manifest) if a pattern matches none of these names.
  void require_matches(const std::set<std::string>& names) const;

 private:
  struct Pattern {
    std::string text;
    std::regex regex;
  };
  std::vector<Pattern> patterns_;
  std::string where_;
};

class Restoration {
 public:
  // run, checkpoint and options must outlive this object.
  Restoration(const RunState& run, const store::Checkpoint& checkpoint, std::string where,
              const RestoreOptions& options);
  // Throws base::Error: checkpoint if a variable does not fit, manifest if a pattern is wrong.
  void load();
  // Logs the result. Called after hyper-parameters were read from the variables again.
  void tell() const;

 private:
  void load(runtime::Variable& variable, const std::string& name);
  // Why a variable is not to be loaded; "" if it is.
  std::string reason(const std::string& name) const;
  void note_unused(const std::set<std::string>& wanted);

  const RunState& run_;
  const store::Checkpoint& checkpoint_;
  const std::string where_;
  const RestoreOptions& options_;
  const NamePatterns include_, exclude_;
  // left_out_ also has the reasons.
  std::vector<std::string> loaded_, left_out_;
  std::vector<std::string> missing_, unused_;  // weights
  // Optimizer slots, counters, …
  std::vector<std::string> missing_of_training_, unused_of_training_;
};

}  // namespace broch::session
