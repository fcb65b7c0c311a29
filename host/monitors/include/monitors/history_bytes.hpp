// history_bytes.hpp: the history of all metrics as bytes. For each metric: length of the name
// (u32), name, number of points (u64), points (i64 step, f64 value); little-endian.
#pragma once
#include <string>
#include <string_view>

#include "monitors/monitors.hpp"

namespace broch::monitors {

std::string history_to_bytes(const Monitors::History& history);
// Throws base::Error (checkpoint) if bytes is not such a history.
Monitors::History history_from_bytes(std::string_view bytes);

}  // namespace broch::monitors
