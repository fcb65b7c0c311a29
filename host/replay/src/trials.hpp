// trials.hpp: results of comparing programs with eager steps.
//
// At level fast the bits of later steps depend on these results, since a program that fails leaves
// the tower eager. A trial is therefore found by the name of its program and not by its address: a
// program that was deleted and is compiled again, or that belongs to a resumed run, continues its
// trial.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>

namespace broch::replay {

struct Trial {
  uint64_t data = 0;  // hash of the inputs with which the program was first recorded
  int tries = 0;
  bool near = false;  // at some data point the results were equal or nearly so
  bool verified = false;
  uint64_t runs = 0;  // number of steps that used the program

  // Whether the next step compares once more. The first comparisons can miss a mistake, for
  // example while a bias is still zero or a unit is not active for any data point yet.
  bool compares_again() const { return verified && (runs == 7 || runs == 63 || runs == 511); }
  // Starts over: one near result is enough to be verified.
  void begin_again() {
    tries = 1;
    near = verified = false;
  }
};

class Trials {
 public:
  // The trial of a program; created with these data if the name is new. Its address stays valid.
  Trial& of(const std::string& name, uint64_t data);

  // Writes text for one line, and reads it; what cannot be read is skipped.
  void save(std::ostream& out) const;
  void load(std::istream& in);

 private:
  std::map<std::string, Trial> trials_;
};

}  // namespace broch::replay
