// endless.hpp: data that never end, as far as the options of a component show it.
#pragma once
#include <algorithm>
#include <broch/broch.hpp>
#include <string>
#include <string_view>

namespace broch::callbacks {

// The name of the component at a pointer, without its role; "": there is none.
inline std::string name_at(const Config& config, const std::string& pointer) {
  const std::string use = pointer + "/use";
  if (config.kind(use) != BROCH_CONFIG_STRING) return "";
  std::string name = config.string(use);
  for (const std::string_view prefix : {"broch.dataflow.", "broch.input_source."})
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  return name;
}

// Whether the input source at this pointer begins again when its dataflow ends.
inline bool begins_again(const Config& config, const std::string& pointer) {
  const std::string name = name_at(config, pointer), infinite = pointer + "/with/infinite";
  if (name != "feed" && name != "queue") return false;
  return config.kind(infinite) != BROCH_CONFIG_BOOL || config.boolean(infinite);
}

// The pointer of the repeat without an end that the child at this pointer reads from; "" if there
// is none. Followed are components that yield as long as their dataflow does.
inline std::string endless_repeat(const Config& config, std::string pointer) {
  static constexpr std::string_view kFollowed[] = {
      "feed",        "queue", "batch",  "padded-batch", "batch-by-shape", "bucket-by-length",
      "pack-tokens", "map",   "select", "print",        "repeat-point",   "cache",
      "shard"};
  for (;; pointer += "/with/dataflow") {
    const std::string name = name_at(config, pointer);
    if (name == "repeat") return config.has(pointer + "/with/times") ? "" : pointer;
    if (std::ranges::count(kFollowed, name) == 0) return "";
  }
}

}  // namespace broch::callbacks
