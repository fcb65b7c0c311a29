// run_contents.hpp: a run as the contents of a checkpoint.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "checkpoint_variables.hpp"
#include "session/checkpoints.hpp"
#include "store/checkpoint.hpp"

namespace broch::session {

// Owns the bytes to which the contents refer.
class RunContents {
 public:
  explicit RunContents(const RunState& run);
  RunContents(const RunContents&) = delete;
  RunContents& operator=(const RunContents&) = delete;

  const store::CheckpointContents& contents() const { return contents_; }

 private:
  void add_states();
  void add_state(abi::Instance& instance);
  void add_state(const std::string& instance, const std::string& component, uint32_t version,
                 std::string bytes);
  void add_cursors();
  void add_position();
  void add_settings();

  const RunState& run_;
  store::CheckpointContents contents_;
  std::deque<std::string> states_;  // which stay where they are
  std::optional<VariableBytes> variables_;
  std::vector<plan::Cursors> cursors_;
};

}  // namespace broch::session
