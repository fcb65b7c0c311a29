// fetches.hpp: the names that callbacks fetch or feed, looked up once.
//
//   "cost", "1:cost"   published by, or an input of, the main or another training tower
//   "learning_rate"    a hyper-parameter; "global_step", "epoch_num"
//   "conv1/weight"     a variable; looked up last
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "plan/names.hpp"
#include "plan/towers.hpp"
#include "runtime/variables.hpp"

namespace broch::plan {

struct Fetch {
  enum class Kind : uint8_t { unresolved, published, variable, global_step, epoch_num };
  std::string name;      // as it was asked for
  std::string asked_by;  // the first that asked for it
  Kind kind = Kind::unresolved;
  uint32_t tower = 0;     // published: index of the training tower
  std::string published;  // name without the tower's prefix
  size_t index = 0;       // published: index in TowerResult::published
  runtime::Variable* variable = nullptr;
};

// Whether the entry is published by this training tower and was computed from the published name
// `ancestor`.
bool is_computed_from(const Fetch& fetch, const tower::Tower& tower, std::string_view ancestor);

class Fetches {
 public:
  // Where names are looked up.
  struct Deps {
    const Towers* towers = nullptr;
    runtime::VariableStore* variables = nullptr;
    const runtime::HyperParams* hypers = nullptr;
  };

  // Returns the entry of a name; the same for the same name.
  uint32_t add(std::string_view name, const std::string& asked_by);
  // Adds an entry that was already looked up. REQUIRES: no entry was added by name.
  uint32_t add_resolved(Fetch fetch);
  // Looks up the names that were added since the last call. Throws base::Error with similar names
  // if one is unknown.
  void resolve(const Deps& deps);

  const Fetch& operator[](uint32_t entry) const { return entries_[entry]; }
  size_t size() const { return entries_.size(); }

 private:
  std::vector<Fetch> entries_;
  size_t resolved_ = 0;
};

// Looks up a name at once.
Fetch resolve_fetch(std::string name, const std::string& asked_by, const Fetches::Deps& deps);
// The same for a name to feed: only inputs and published names.
Fetch resolve_feed(std::string name, const std::string& asked_by, const Fetches::Deps& deps);

}  // namespace broch::plan
