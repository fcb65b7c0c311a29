// hyper_places.hpp: where the manifest says what a hyper-parameter of an optimizer begins with.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "manifest/manifest.hpp"
#include "runtime/variables.hpp"

namespace broch::session {

// By name: JSON pointers, into the resolved manifest, of the options that the hyper-parameter was
// declared from. One that is not here comes from the model's own optimizer, or from a plugin.
//
// Optimizers name theirs "learning_rate", or "{node}/learning_rate" where there are several. An
// entry belongs to those of a prefix that began with the numbers it says.
std::map<std::string, std::vector<std::string>> hyper_places(const manifest::Manifest& manifest,
                                                             const manifest::Catalog& kinds,
                                                             const runtime::HyperParams& hypers);

}  // namespace broch::session
