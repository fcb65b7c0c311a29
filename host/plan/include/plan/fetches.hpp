// fetches.hpp: names that callbacks fetch or feed, looked up once.
//
//   "cost", "1:cost"   published by, or an input of, the main or another training tower
//   "learning_rate"    a hyper-parameter; "global_step", "epoch_num"
//   "conv1/weight"     a variable; last
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
  std::string asked_by;  // who asked first
  Kind kind = Kind::unresolved;
  uint32_t tower = 0;     // published: index of the training tower
  std::string published;  // without the tower's prefix
  size_t place = 0;       // published: in TowerResult::published
  runtime::Variable* variable = nullptr;
};

// Whether it was published by that training tower and computed from the published name ancestor.
bool is_computed_from(const Fetch& fetch, const tower::Tower& tower, std::string_view ancestor);

class Fetches {
 public:
  // What the names mean: the places they are looked for in.
  struct Deps {
    const Towers* towers = nullptr;
    runtime::VariableStore* variables = nullptr;
    const runtime::HyperParams* hypers = nullptr;
  };

  // The entry of a name; the same for the same name.
  uint32_t add(std::string_view name, const std::string& asked_by);
  // An entry that was looked up already. REQUIRES: no other ones.
  uint32_t add_resolved(Fetch fetch);
  // Looks up what was added since. A miss throws base::Error with near names.
  void resolve(const Deps& deps);

  const Fetch& operator[](uint32_t entry) const { return entries_[entry]; }
  size_t size() const { return entries_.size(); }

 private:
  std::vector<Fetch> entries_;
  size_t resolved_ = 0;
};

// Looks a name up at once.
Fetch resolve_fetch(std::string name, const std::string& asked_by, const Fetches::Deps& deps);
// The same for a name to feed: inputs and published names only.
Fetch resolve_feed(std::string name, const std::string& asked_by, const Fetches::Deps& deps);

}  // namespace broch::plan
