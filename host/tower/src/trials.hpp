// trials.hpp: what comparisons of programs with the eager step have come to.
//
// At level fast the bits of a step depend on it: a program that fails leaves the tower eager. So
// trials are known by the name of the program, not by its place in memory: one that was forgotten
// and is compiled again, or belongs to a run that is continued, goes on where it was.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>

namespace broch::tower {

struct Trial {
  uint64_t data = 0;  // hash of the inputs on which the program was first recorded
  int tries = 0;
  bool near = false;  // at one data point it gave what the eager step gives, or next to it
  bool verified = false;
  uint64_t runs = 0;  // of the program, by whatever tower step

  // Whether the next run compares once more. A bias that is still zero, or a unit that no data
  // point has woken yet, hides a mistake from the first comparisons.
  bool compares_again() const { return verified && (runs == 7 || runs == 63 || runs == 511); }
  // Compares anew: what is near once is verified.
  void begin_again() {
    tries = 1;
    near = verified = false;
  }
};

class Trials {
 public:
  // That of a program, begun on these data if it is the first with this name. Stays where it is.
  Trial& of(const std::string& name, uint64_t data);

  // Words of one line, and back; what cannot be read is left out.
  void save(std::ostream& out) const;
  void load(std::istream& in);

 private:
  std::map<std::string, Trial> trials_;
};

}  // namespace broch::tower
