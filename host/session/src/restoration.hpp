// restoration.hpp: the variables of a checkpoint that a new training starts from.
#pragma once
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "session/checkpoints.hpp"
#include "store/checkpoint.hpp"

namespace broch::session {

// Regular expressions of whole names, each of which has to match something.
class NamePatterns {
 public:
  // what: "exclude", for messages. Throws base::Error (manifest).
  NamePatterns(const std::vector<std::string>& patterns, const std::string& place,
               const std::string& what);
  bool empty() const { return patterns_.empty(); }
  // The text of the first that matches.
  std::optional<std::string> match(const std::string& name) const;
  // Throws base::Error (manifest) for one that matches none of them.
  void require_matches(const std::set<std::string>& names) const;

 private:
  struct Pattern {
    std::string text;
    std::regex regex;
  };
  std::vector<Pattern> patterns_;
  std::string place_;
};

class Restoration {
 public:
  // All outlive this.
  Restoration(const RunState& run, const store::Checkpoint& checkpoint, std::string place,
              const RestoreOptions& options);
  // Throws base::Error (checkpoint) for what does not fit, (manifest) for patterns.
  void load();
  // After the hyper-parameters were read again.
  void tell() const;

 private:
  void load(runtime::Variable& variable, const std::string& name);
  // Why one is not wanted; "" when it is.
  std::string reason(const std::string& name) const;
  void note_unused(const std::set<std::string>& wanted);

  const RunState& run_;
  const store::Checkpoint& checkpoint_;
  const std::string place_;
  const RestoreOptions& options_;
  const NamePatterns include_, exclude_;
  std::vector<std::string> loaded_, left_out_;                         // the latter with the reason
  std::vector<std::string> missing_, unused_;                          // weights
  std::vector<std::string> missing_of_training_, unused_of_training_;  // slots, counters, …
};

}  // namespace broch::session
