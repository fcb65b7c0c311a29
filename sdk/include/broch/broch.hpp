// broch.hpp: the C++ layer: header-only, C++17, free to change; the C headers are the contract.
// Models also include layers.hpp.
#pragma once
#if __cplusplus < 201703L
#error "broch.hpp needs C++17: compile with -std=c++17 or later"
#endif
#include "broch.h"
#include "cpp/child.hpp"
#include "cpp/plan.hpp"
#include "cpp/plugin.hpp"
#include "cpp/services.hpp"
