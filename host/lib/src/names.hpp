// names.hpp: the names by which a caller chooses inputs or outputs.
#pragma once
#include <string>
#include <vector>

#include "model.hpp"

namespace broch::lib {

class Names {
 public:
  // what: "input" or "output". Borrows everything.
  Names(const char* what, const std::vector<libbroch_port>& ports, const char* const* names,
        size_t count)
      : what_(what), ports_(ports), names_(names), count_(count), taken_(ports.size()) {}

  // The place among the ports of the name with this number. Throws Failure if it is none of theirs
  // or comes twice.
  size_t place_of(size_t number);

 private:
  [[noreturn]] void refuse_twice(const char* name) const;
  [[noreturn]] void refuse_unknown(size_t number) const;
  bool contain(const std::string& name) const;

  const char* const what_;
  const std::vector<libbroch_port>& ports_;
  const char* const* const names_;
  const size_t count_;
  std::vector<bool> taken_;  // by port
};

}  // namespace broch::lib
