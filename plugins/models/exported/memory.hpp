// memory.hpp: which values of a program share memory, and what a program writes to.
#pragma once
#include <set>

#include "models/exported/scope.hpp"

namespace exported {

// Memory has a number. Inputs of the program: 0, 1, …
class Memory {
 public:
  int next() { return next_++; }
  // Sets whose memory the results of a call have, and notes what the call writes to.
  void follow(Scope& scope, const Step& call);

  std::set<int> written;
  std::set<int> written_in_training;  // statistics of batch norm

 private:
  void follow_writing(const Scope& scope, const Step& call);

  int next_ = 0;
};

}  // namespace exported
