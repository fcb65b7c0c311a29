// drive.hpp: puts a component to work: in a short run or, for dataflows, transforms, functions and
// sinks, by calling it as the host would. Uses LibTorch for components that compute with operators,
// otherwise the null backend.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "made_points.hpp"
#include "session/run.hpp"
#include "subject.hpp"
#include "world.hpp"

namespace broch::check {

struct SavedState {
  uint32_t version = 0;
  std::string bytes;
  bool operator==(const SavedState&) const = default;
};

struct Outcome {
  std::string refusal;               // the error that ended the run, or "" if there was none
  std::optional<SavedState> state;   // at the end, if the component has state
  std::vector<std::string> answers;  // results of a component that is called alone
};

struct How {
  // A second instance exists at the same time, and a third was destroyed.
  bool with_another = false;
  bool twice = false;                               // a callback is listed twice
  bool to_the_end = true;                           // false: no step runs
  bool in_inference = false;                        // also defines an inference tower
  std::optional<SavedState> load{};                 // loaded before the first step
  std::function<void(abi::Instance&)> meanwhile{};  // called before the first step
};

class Drive {
 public:
  // Skips the test if the options are refused.
  Drive(Subject& subject, value::Value options);
  // May be called repeatedly. Errors become Outcome::refusal; a crash ends the process.
  Outcome run(const How& how = {});

 private:
  void run_in_training(const How& how, Outcome& outcome);
  void run_alone(const How& how, Outcome& outcome);
  const session::Setup& setup(bool twice);
  value::Value entry() const;

  Subject& subject_;
  const value::Value options_;
  std::string role_;
  std::optional<MadePoint> point_;           // for a sink
  std::optional<session::Setup> setups_[2];  // index: How::twice
};

// Runs the component once with the usual options. Skips the test if the component reports an error.
Outcome drive_once(Subject& subject, const How& how = {});

// A short text for a data point: names, types, hashes of the bytes, key, cursor.
std::string words_of(const runtime::Point& point);

}  // namespace broch::check
