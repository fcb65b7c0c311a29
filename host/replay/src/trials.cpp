// trials.cpp: trials by name, and as text in checkpoints.
#include "trials.hpp"

#include <istream>
#include <ostream>

namespace broch::replay {

Trial& Trials::of(const std::string& name, uint64_t data) {
  return trials_.try_emplace(name, Trial{.data = data}).first->second;
}

void Trials::save(std::ostream& out) const {
  out << trials_.size();
  for (const auto& [name, trial] : trials_)
    out << ' ' << name << ' ' << trial.data << ' ' << trial.tries << ' ' << trial.near << ' '
        << trial.verified << ' ' << trial.runs;
}

void Trials::load(std::istream& in) {
  size_t count = 0;
  in >> count;
  std::string name;
  Trial trial;
  for (size_t i = 0; i < count; ++i)
    if (in >> name >> trial.data >> trial.tries >> trial.near >> trial.verified >> trial.runs)
      trials_[name] = trial;
}

}  // namespace broch::replay
