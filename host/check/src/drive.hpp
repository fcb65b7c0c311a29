// drive.hpp: a component at its work: in a short run, or, for data flows and functions, called as a
// run would. The runtime is LibTorch for components whose work is operators, else the null one.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

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
  std::string refusal;               // "": it came to its end; else what the component failed with
  std::optional<SavedState> state;   // at the end, of a component that keeps one
  std::vector<std::string> answers;  // points or numbers, of a source or function
};

struct How {
  bool with_another = false;         // another instance lives beside it, and a third one has ended
  bool twice = false;                // a callback comes twice in the list
  bool to_the_end = true;            // false: no step is made
  std::optional<SavedState> load{};  // before the first step
  std::function<void(abi::Instance&)> meanwhile{};  // the same
};

class Drive {
 public:
  // Skips the test when the options are refused.
  Drive(Subject& subject, manifest::Value options);
  // Any number of times. What goes wrong is a refusal; crashes are crashes.
  Outcome run(const How& how = {});

 private:
  void run_in_training(const How& how, Outcome& outcome);
  void run_alone(const How& how, Outcome& outcome);
  const session::Setup& setup(bool twice);
  manifest::Value entry() const;

  Subject& subject_;
  const manifest::Value options_;
  std::string role_;
  std::optional<session::Setup> setups_[2];  // once, twice
};

// Drives it once with the usual options; skips the test when it refuses to go to the end.
Outcome drive_once(Subject& subject, const How& how = {});

// The content of a point in few words: names, types, bytes as a hash, cursor.
std::string words_of(const runtime::Point& point);

}  // namespace broch::check
