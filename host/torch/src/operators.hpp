// operators.hpp: a resolved operator, with its arguments in the form that calls need.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdint>
#include <string>
#include <vector>

#include "names.hpp"
#include "runtime/backend.hpp"

namespace broch::libtorch {

// What an argument of a schema accepts.
enum class Kind : uint8_t {
  tensor,
  integer,
  floating,
  boolean,
  scalar,
  string,
  dtype,
  host,  // Layout, Device, MemoryFormat, Generator: plugins can only use the default
  tensors,
  optional_tensors,
  integers,
  floatings,
  booleans,
  other,  // no value of the interface fits
};

// One argument of the operator in the current LibTorch, in the order of its schema.
struct Slot {
  std::string name;
  std::string type;  // as in the schema, for messages
  Kind kind = Kind::other;
  bool optional = false;
  int declared = -1;  // its index in the declared schema; -1: the declared schema does not have it
  bool has_default = false;
  c10::IValue default_value;
};

}  // namespace broch::libtorch

// Declared in runtime/backend.hpp.
struct broch::runtime::Operator {
  explicit Operator(const c10::OperatorHandle& resolved) : handle(resolved) {}

  c10::OperatorHandle handle;
  std::string name;  // such as "aten::add.Tensor"
  std::string declared_schema;
  std::vector<libtorch::Slot> slots;
  uint32_t declared_count = 0;
  uint64_t writes = 0;              // the declared arguments that the schema marks as written
  uint64_t writes_in_training = 0;  // written without a mark if the flag below is set
  int training_slot = -1;
  int generator_slot = -1;
  int device_slot = -1;  // of an operator that makes tensors of no other tensors
  bool random = false;
  bool reads_value = false;
  bool by_channel = false;  // its kernel reads one element per channel without checking the size
};
