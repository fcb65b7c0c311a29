// hyper_places.hpp: where the manifest gives the initial value of an optimizer's hyper-parameter.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "manifest/manifest.hpp"
#include "runtime/variables.hpp"

namespace broch::session {

// For each hyper-parameter: JSON pointers, in the resolved manifest, to the options that gave its
// initial value. A hyper-parameter that is missing here comes from the model's own optimizer or
// from a plugin.
//
// An optimizer names its hyper-parameters "learning_rate", or "{node}/learning_rate" if there are
// several optimizers. An entry of the manifest is matched with the names of one prefix if their
// initial values are those in the entry.
std::map<std::string, std::vector<std::string>> hyper_places(const manifest::Manifest& manifest,
                                                             const manifest::Catalog& kinds,
                                                             const runtime::HyperParams& hypers);

}  // namespace broch::session
