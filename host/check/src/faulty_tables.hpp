// faulty_tables.hpp: extension tables whose functions count calls and can be made to fail.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "watch.hpp"

namespace broch::check {

// Only one object per process. Functions that clean up, and those that read options, are not
// changed, because they cannot fail according to the interface. A function that takes ownership of
// an argument does so when it is made to fail, too.
class FaultyTables {
 public:
  FaultyTables();
  ~FaultyTables();
  FaultyTables(const FaultyTables&) = delete;
  FaultyTables& operator=(const FaultyTables&) = delete;

  Watch::Filter filter();
  // Makes one future call fail. number: counted from 1, starting now; 0: no call fails.
  void fail_at(uint64_t number);
  uint64_t calls() const;  // number of calls since fail_at
  // Extension of the failed function, such as "broch.progress/1"; or ""
  std::string failed() const;
  // Operator schemas that were resolved with broch.ops/1.
  std::vector<std::string> resolved() const;
};

}  // namespace broch::check
