// checkpoint.hpp: everything a run needs to continue, in one safetensors file.
//
// Tensors: each variable under its own name; "broch.state/<instance>" and "broch.cursor/<tower>",
// whose name has the rank in front, as U8. Metadata: "broch.checkpoint" (format),
// "broch.collections/<variable>" (separated by spaces), "broch.state/<instance>" ("<component>
// <version>"), "broch.counter/<name>", and the caller's own.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/safetensors.hpp"

namespace broch::store {

struct SavedVariable {
  TensorView value;
  std::vector<std::string> collections;  // either GLOBAL or LOCAL; TRAINABLE, MODEL, …
};

struct SavedState {
  std::string instance;   // name of the instance in the manifest
  std::string component;  // id of its component
  uint32_t version = 0;   // of the state's layout, chosen by the component
  std::span<const std::byte> bytes{};
};

// Views are borrowed: from the caller when writing, from the Checkpoint after reading.
struct CheckpointContents {
  std::vector<SavedVariable> variables;
  std::vector<SavedState> states;
  std::map<std::string, std::span<const std::byte>> cursors;  // by tower, of all ranks
  std::map<std::string, int64_t> counters;                    // global_step, epoch_num, …
  Metadata metadata;  // of the run: fingerprint, levels; no key starts with "broch."
};

struct Checkpoint {
  SafetensorsFile file;
  CheckpointContents contents;
};

// "model-2700"; the file name has ".safetensors" appended.
std::string checkpoint_name(int64_t global_step);
std::filesystem::path checkpoint_file(const std::filesystem::path& folder, const std::string& name);
// The step in a name, with or without the ending: 2700 for "model-2700.safetensors", -1 for others.
int64_t step_of(const std::filesystem::path& checkpoint);

// Writes atomically and returns the path. Throws Error(data); an existing file is unchanged then.
std::filesystem::path write_checkpoint(const std::filesystem::path& folder, const std::string& name,
                                       const CheckpointContents& contents);

// Reads and verifies. Throws Error(checkpoint) that names the file, the reason, and the newest
// older checkpoint of the folder that is intact, if there is one. Never loads another file by
// itself.
Checkpoint read_checkpoint(const std::filesystem::path& path);

// Reads only the counters, to list many checkpoints. Verifies the header, but does not read the
// data. Throws Error(checkpoint).
std::map<std::string, int64_t> read_counters(const std::filesystem::path& path);

// The same as read_checkpoint for bytes, without looking at other files.
Checkpoint parse_checkpoint(std::span<const std::byte> bytes, const std::string& where);

}  // namespace broch::store
