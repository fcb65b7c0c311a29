// state_tests.cpp: tests of saved state, and of state shared between instances by mistake.
#include "drive.hpp"
#include "made_options.hpp"
#include "tests.hpp"
#include "verdict.hpp"

namespace broch::check {
namespace {

std::string size_of(const SavedState& state) {
  return std::to_string(state.bytes.size()) + " bytes of version " + std::to_string(state.version);
}

std::string test_state(Subject& subject) {
  Drive drive(subject, usual_options(subject));
  const Outcome first = drive.run();
  if (!first.refusal.empty()) throw Skipped("refuses: " + first.refusal);
  if (!first.state) throw Skipped("has no state");
  const Outcome second = drive.run({.to_the_end = false, .load = first.state});
  if (!second.refusal.empty()) throw Failed("does not load what it saved: " + second.refusal);
  if (second.state != first.state)
    throw Failed("saved " + size_of(*first.state) + ", and after loading them " +
                 size_of(second.state.value_or(SavedState{})) +
                 (second.state && second.state->bytes.size() == first.state->bytes.size()
                      ? " that differ"
                      : ""));
  return size_of(*first.state);
}

std::string test_two_instances(Subject& subject) {
  Drive drive(subject, usual_options(subject));
  const Outcome alone = drive.run();
  if (!alone.refusal.empty()) throw Skipped("refuses: " + alone.refusal);
  const Outcome beside = drive.run({.with_another = true});
  if (!beside.refusal.empty()) throw Failed("beside another instance: " + beside.refusal);
  if (beside.answers != alone.answers)
    throw Failed("gives other answers beside another instance than alone");
  if (beside.state != alone.state) throw Failed("another instance changed its state");
  if (subject.component().role != "callback") return "";
  // Two callbacks of the same kind may have a reason to refuse each other.
  const Outcome twice = drive.run({.twice = true});
  if (twice.refusal.empty() && twice.state != alone.state)
    throw Failed("another one in the same run changed its state");
  return twice.refusal.empty() ? "" : "refuses another one in the same run: " + twice.refusal;
}

}  // namespace

std::vector<Test> state_tests() {
  return {
      {"state", "saving, loading and saving again gives the same bytes", Stage::component,
       &test_state, true},
      {"two-instances", "instances do not disturb each other", Stage::component,
       &test_two_instances, true},
  };
}

}  // namespace broch::check
