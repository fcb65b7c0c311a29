// names.hpp: checks of the names that metadata may contain.
#pragma once
#include <string_view>

namespace broch::plugins {

bool is_role(std::string_view text);            // "input_source"
bool is_version(std::string_view text);         // "1.0.0", "1.2.0-rc.1"
bool is_extension_id(std::string_view text);    // "broch.metrics/1"
bool is_metric_pattern(std::string_view text);  // "{name}_error"

}  // namespace broch::plugins
