// layers.hpp: layers as functions of a tower. A layer creates its variables in a scope with its
// name and publishes its result as "{scope}/output". Arguments that do not fit throw Error. Source:
// tensorpack models/*.py.
#pragma once
#include "attention.hpp"
#include "batch_norm.hpp"
#include "batch_renorm.hpp"
#include "convolution.hpp"
#include "dropout.hpp"
#include "embedding.hpp"
#include "gan_losses.hpp"
#include "linear.hpp"
#include "nonlinearities.hpp"
#include "norms.hpp"
#include "pooling.hpp"
#include "recurrent.hpp"
#include "regions.hpp"
#include "regularizers.hpp"
#include "rotary.hpp"
#include "transformer.hpp"
#include "unpooling.hpp"
