// tables.hpp: the tables that register_extensions registers.
#pragma once
#include "broch/ext/config.h"
#include "broch/ext/instance.h"
#include "broch/ext/profile.h"
#include "broch/ext/rng.h"
#include "broch/ext/scope.h"

namespace broch::abi {

extern const broch_host_config kConfigTable;
extern const broch_host_scope kScopeTable;
extern const broch_host_instance kInstanceTable;
extern const broch_host_profile kProfileTable;
extern const broch_host_rng kRngTable;

}  // namespace broch::abi
