// metric_name.hpp: what the names of metrics may be.
#pragma once
#include <string_view>

namespace broch::train {

constexpr const char* kMetricNameExpected = "some UTF-8 text without control characters";

// Names must be fit for JSON, event files and terminals.
bool is_metric_name(std::string_view name);

}  // namespace broch::train
