// serving.hpp: what the source files of this room's extension tables share.
#pragma once
#include "abi/plugin_struct.hpp"
#include "handles.hpp"
#include "tower/names.hpp"

namespace broch::tower {

using abi::given;
using abi::Instance;
using abi::kAnyRole;
using abi::kNoScope;
using abi::need;
using abi::read_struct;
using abi::refuse;
using abi::Role;
using abi::serve;
using abi::write_struct;
using abi::operator|;

// The tables, one in each source file.
const void* tensor_table();
const void* ops_table();
const void* autograd_table();
const void* kernel_table();
const void* torch_cxx_table();
const void* tower_table();
const void* variables_table();
const void* hyper_param_table();
const void* summary_table();

}  // namespace broch::tower
