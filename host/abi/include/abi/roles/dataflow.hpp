// dataflow.hpp: a plugin in the role dataflow, read point by point.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "abi/roles/indexed.hpp"
#include "broch/role/dataflow.h"

namespace broch::abi {

// A dataflow that can be read by index is read in the order of its indices, round after round.
// Copies share the place that was reached.
class DataFlow {
 public:
  static DataFlow make(Instance& instance) { return DataFlow(instance); }
  Instance& instance() const { return *instance_; }

  void reset_state();
  void open(const void* cursor, uint64_t size);
  bool has_start_cursor() const;
  std::optional<std::string> start_cursor();  // none: the dataflow does not give it
  broch_status next(const broch_cancel* cancel, broch_point point);  // OK, END, CANCELLED
  bool size(int64_t* size);                                          // false: the size is unknown

 private:
  explicit DataFlow(Instance& instance);
  class Stream;
  class Sequence;
  Instance* instance_;
  std::shared_ptr<Stream> stream_;  // one of these two
  std::shared_ptr<Sequence> sequence_;
};

}  // namespace broch::abi
