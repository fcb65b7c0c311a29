// defaults.hpp: plugins/defaults.json, which is part of the program: the built-in components that
// serve a manifest where it leaves something open. The host names none of them itself.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "manifest/names.hpp"
#include "value/value.hpp"

namespace broch::manifest {

// The whole file.
const Value& defaults();
// The component that serves for key: the full id for "when".
const std::string& default_id(std::string_view key);
// A copy of what stands at a JSON pointer: the entry "/check/model".
// options are set under its "with".
Value default_entry(std::string_view pointer,
                    std::initializer_list<std::pair<const char*, Value>> options = {});

}  // namespace broch::manifest
