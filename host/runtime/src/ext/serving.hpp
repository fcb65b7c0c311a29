// serving.hpp: what the extension tables of this room have in common.
#pragma once
#include "abi/plugin_struct.hpp"

namespace broch::runtime {

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

// The tables; each has its own source file.
const void* data_point_table();
const void* device_table();

}  // namespace broch::runtime
