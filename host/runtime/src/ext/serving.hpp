// serving.hpp: what every function of the extension tables does first.
#pragma once
#include <algorithm>
#include <cstring>
#include <string>

#include "../handles.hpp"
#include "../refuse.hpp"
#include "abi/serve.hpp"

namespace broch::runtime {

using abi::given;
using abi::Instance;
using abi::kAnyRole;
using abi::kNoScope;
using abi::Role;
using abi::serve;
using abi::operator|;

// The tables, one a source file.
const void* tensor_table();
const void* data_table();
const void* ops_table();
const void* autograd_table();
const void* kernel_table();
const void* torch_cxx_table();
const void* tower_table();
const void* variables_table();
const void* hyper_table();
const void* summary_table();
const void* graph_table();
const void* device_table();

// What the run provides; throws abi::CallError when it does not (yet).
template <class T>
T& need(Instance& instance, const char* function) {
  if (T* object = instance.context().find<T>()) return *object;
  refuse(BROCH_E_FAILED_PRECONDITION, {.where = function,
                                       .found = "a program that runs no model",
                                       .expected = "a command that trains, evaluates or plans",
                                       .hint = "call it from setup_graph on, not in create"});
}

// A struct of the plugin's, which may be shorter or longer than ours.
template <class T>
T read_struct(const T* theirs, const char* function, const char* name) {
  given(theirs, function, name);
  if (theirs->struct_size < sizeof(uint32_t) * 2)
    refuse(BROCH_E_INVALID_ARGUMENT,
           {.where = function,
            .found = std::string(name) + ".struct_size = " + std::to_string(theirs->struct_size),
            .expected = "sizeof the struct",
            .hint = "set struct_size before the call"});
  T ours{};
  std::memcpy(&ours, theirs, std::min<size_t>(theirs->struct_size, sizeof ours));
  return ours;
}

// Fills as much as the plugin's struct has; its struct_size stays.
template <class T>
void write_struct(T* theirs, T ours, const char* function, const char* name) {
  ours.struct_size = read_struct(theirs, function, name).struct_size;
  std::memcpy(theirs, &ours, std::min<size_t>(ours.struct_size, sizeof ours));
}

// Frees memory that a call has taken, unless it was passed on.
class DlpackOwner {
 public:
  explicit DlpackOwner(broch_dl_managed* data) : data_(data) {}
  ~DlpackOwner();
  DlpackOwner(const DlpackOwner&) = delete;
  DlpackOwner& operator=(const DlpackOwner&) = delete;
  broch_dl_managed* release() { return std::exchange(data_, nullptr); }

 private:
  broch_dl_managed* data_;
};

}  // namespace broch::runtime
