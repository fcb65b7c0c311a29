// compiler.hpp: makes the steps of a program.
#pragma once
#include <set>

#include "models/exported/step.hpp"

namespace exported {

struct Compiled {
  std::unique_ptr<Steps> steps;
  // Numbers of the inputs whose memory the program writes to: always, and in training only.
  std::set<int> written, written_in_training;
  std::vector<std::string> problems;  // what cannot be computed, a line for each node
};

// Borrows the program.
Compiled compile(HostOperators& operators, const Program& program);

}  // namespace exported
