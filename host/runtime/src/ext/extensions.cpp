// extensions.cpp: the tables that this room registers.
#include "runtime/extensions.hpp"

#include "broch/broch.h"
#include "point_notes.hpp"
#include "serving.hpp"

namespace broch::runtime {

void register_extensions(abi::Context& context) {
  context.provide(&point_notes());
  context.extend(BROCH_EXT_DATA_POINT, data_point_table());
  context.extend(BROCH_EXT_DEVICE, device_table());
}

}  // namespace broch::runtime
