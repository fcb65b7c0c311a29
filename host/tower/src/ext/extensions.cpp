// extensions.cpp: the list of this room's extension tables.
#include "tower/extensions.hpp"

#include "broch/broch.h"
#include "runtime/backend.hpp"
#include "serving.hpp"

namespace broch::tower {

void register_extensions(abi::Context& context) {
  context.extend(BROCH_EXT_TENSOR, tensor_table());
  context.extend(BROCH_EXT_OPS, ops_table());
  context.extend(BROCH_EXT_AUTOGRAD, autograd_table());
  context.extend(BROCH_EXT_KERNEL, kernel_table());
  context.extend(BROCH_EXT_TOWER, tower_table());
  context.extend(BROCH_EXT_VARIABLES, variables_table());
  context.extend(BROCH_EXT_HYPER_PARAM, hyper_param_table());
  context.extend(BROCH_EXT_SUMMARY, summary_table());
}

void register_torch_cxx(abi::Context& context, const runtime::Backend& backend) {
  const std::string build = backend.build();
  if (!build.empty()) context.extend((BROCH_EXT_TORCH_CXX + build).c_str(), torch_cxx_table());
}

}  // namespace broch::tower
