// turns.hpp: the runs of its plan in which a node takes part, by their numbers from 0.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace broch::plan {

// The runs whose number modulo every is one of the offsets.
struct Turns {
  uint32_t every = 1;
  std::vector<uint32_t> offsets = {0};

  bool all() const { return every == 1; }
  bool include(uint64_t run) const;
  // The first of these runs that the others lack; none: they have all of these.
  std::optional<uint64_t> first_outside(const Turns& others) const;
  // Whether some run belongs to both.
  bool meet(const Turns& others) const;
  // "run 1 of every 2", "runs 0, 3 of every 4".
  std::string text() const;
};

}  // namespace broch::plan
