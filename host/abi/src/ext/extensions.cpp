// extensions.cpp: the tables that this room registers.
#include "abi/extensions.hpp"

#include "tables.hpp"

namespace broch::abi {

void register_extensions(Context& context) {
  context.extend(BROCH_EXT_CONFIG, &kConfigTable);
  context.extend(BROCH_EXT_SCOPE, &kScopeTable);
  context.extend(BROCH_EXT_INSTANCE, &kInstanceTable);
  context.extend(BROCH_EXT_PROFILE, &kProfileTable);
  context.extend(BROCH_EXT_RNG, &kRngTable);
}

}  // namespace broch::abi
