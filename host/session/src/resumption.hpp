// resumption.hpp: loads a checkpoint into a run that continues.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "session/checkpoints.hpp"
#include "store/checkpoint.hpp"

namespace broch::session {

class Resumption {
 public:
  // Reads the file. run must outlive this object. Throws base::Error (checkpoint).
  Resumption(const RunState& run, const std::filesystem::path& path);
  // See Checkpoints::resume.
  Resumed load();

 private:
  void require_count(const std::string& what, int64_t count) const;
  bool has_fingerprint() const;
  void load_variables();
  bool has_former_names() const;
  bool is_of(const store::SavedState& state, const abi::Instance& instance) const;
  void load_states();
  void load_state(const store::SavedState& saved);
  void take_over_decisions();
  void compare_data_size() const;
  train::Position position() const;
  int64_t counter(const char* name) const;
  std::vector<plan::Cursors> cursors() const;

  const RunState& run_;
  const std::string where_;
  const store::Checkpoint checkpoint_;
  const store::CheckpointContents& saved_;
  const bool has_former_names_;
};

}  // namespace broch::session
