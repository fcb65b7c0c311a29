// faulty_tables.hpp: extension tables whose functions count their calls and fail when told to.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "watch.hpp"

namespace broch::check {

// One at a time in a process. Functions that clean up and getters of options, which the contract
// says cannot fail, are left as they are; what a function takes over it takes over when it fails.
class FaultyTables {
 public:
  FaultyTables();
  ~FaultyTables();
  FaultyTables(const FaultyTables&) = delete;
  FaultyTables& operator=(const FaultyTables&) = delete;

  Watch::Filter filter();
  // The call of this number from now on fails, from 1; 0: none.
  void fail_at(uint64_t number);
  uint64_t calls() const;                     // since fail_at
  std::string failed() const;                 // "broch.run/1", of the function that failed; "" none
  std::vector<std::string> resolved() const;  // schema texts of ext/ops.h
};

}  // namespace broch::check
