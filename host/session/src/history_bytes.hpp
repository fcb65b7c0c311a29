// history_bytes.hpp: the history of all metrics as bytes: for each name its length (u32), the name,
// the count (u64) and the points (i64 step, f64 value), little-endian.
#pragma once
#include <string>
#include <string_view>

#include "train/monitors.hpp"

namespace broch::session {

std::string history_to_bytes(const train::Monitors::History& history);
// Throws base::Error (checkpoint) for anything else.
train::Monitors::History history_from_bytes(std::string_view bytes);

}  // namespace broch::session
