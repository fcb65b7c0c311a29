// operators.hpp: a resolved operator: its arguments as the call needs them.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdint>
#include <string>
#include <vector>

#include "names.hpp"
#include "runtime/backend.hpp"

namespace broch::libtorch {

// What an argument of the schema accepts.
enum class Kind : uint8_t {
  tensor,
  integer,
  floating,
  boolean,
  scalar,
  string,
  dtype,
  host,  // Layout, Device, MemoryFormat, Generator: only the default can be asked for
  tensors,
  optional_tensors,
  integers,
  floatings,
  booleans,
  other,  // no value of the interface fits
};

// One argument of the operator as it is now, in its order.
struct Slot {
  std::string name;
  std::string type;  // as the schema writes it, for messages
  Kind kind = Kind::other;
  bool optional = false;
  int declared = -1;  // position in the declared schema; -1: it does not know this argument
  bool has_default = false;
  c10::IValue default_value;
};

}  // namespace broch::libtorch

// Declared by runtime/backend.hpp.
struct broch::runtime::Operator {
  explicit Operator(const c10::OperatorHandle& resolved) : handle(resolved) {}

  c10::OperatorHandle handle;
  std::string name;  // "aten::add.Tensor"
  std::vector<libtorch::Slot> slots;
  uint32_t declared_count = 0;
  uint64_t writes = 0;              // declared arguments that the schema says are written
  uint64_t writes_in_training = 0;  // written without saying so while the flag below is set
  int training_slot = -1;
  int generator_slot = -1;
  bool random = false;
  bool reads_value = false;
  bool by_channel = false;  // its kernel reads an element a channel, of how many there may be
};
