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

namespace broch::runtime {

struct Trial {
  uint64_t data = 0;  // hash of the inputs on which the program was first recorded
  int tries = 0;
  bool near = false;  // at one data point it gave what the eager step gives, or next to it
  bool verified = false;
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

}  // namespace broch::runtime
