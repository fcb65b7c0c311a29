// checkpoint_names.hpp: how the parts of a run are called in a checkpoint.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace broch::session {

// These take the place of an instance's name. No instance can have such a name.
inline constexpr const char* kHistory = "broch.metrics";
inline constexpr const char* kOptions = "broch.options";
inline constexpr const char* kCosts = "broch.costs";
inline constexpr const char* kHost = "broch.host";
inline constexpr const char* kDecision = "program.";
inline constexpr const char* kTowers = "towers";
inline constexpr const char* kRanks = "ranks";
inline constexpr const char* kServers = "servers";  // only if there are any
// Metadata: present if the cursors mean the same on every rank.
inline constexpr const char* kAnyRanks = "resume.any_ranks";
// Metadata: the number of data points in a round of the input, if it is known.
inline constexpr const char* kDataSize = "resume.data_size";

inline std::span<const std::byte> as_bytes(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// "tower-T" of rank 0, which holds for all ranks if no other one has any; otherwise
// "rank-R/tower-T".
inline std::string cursor_name(size_t rank, size_t tower) {
  return (rank ? "rank-" + std::to_string(rank) + "/" : "") + "tower-" + std::to_string(tower);
}

}  // namespace broch::session
