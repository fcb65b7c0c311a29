// layers.hpp: what models add to broch.hpp: layers as functions of a tower.
#pragma once
#include "broch.hpp"
#include "cpp/layers.hpp"
