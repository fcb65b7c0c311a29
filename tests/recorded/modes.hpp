// modes.hpp: one manifest trained eagerly, recorded and audited, and what must be equal in the end.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "cli_harness/cli_harness.hpp"

namespace broch::recorded {

// What the log says of a tower: "tower 'NAME' of LABEL: recorded, N operators …"; of one that is
// not replayed: a line with "stays eager" or "stay eager", the operator and the reason.
constexpr const char* kRecorded = ": recorded, ";
bool stays_eager(const std::string& log, const std::string& because);

// What recording makes of a tower.
struct Fate {
  enum Kind { replays, eager, either, error } kind;
  std::string because;  // in the log line, or in the message of the error
};
inline Fate replays() { return {Fate::replays, ""}; }
inline Fate eager(const std::string& because) { return {Fate::eager, because}; }
inline Fate either() { return {Fate::either, ""}; }
inline Fate error(const std::string& message) { return {Fate::error, message}; }

// What one training left behind.
struct Outcome {
  int exit_code = 0;
  std::string talk, log;
  std::string probe;                         // probe.txt of conformance.probe
  std::string stats;                         // lines of json-writer, without what a clock decides
  std::map<std::string, std::string> saved;  // bytes of each variable of the last checkpoint
};

// Trains the manifest in each mode of execution; at the same time, since starting is most of it.
// arguments: of broch train, behind the manifest.
std::map<std::string, Outcome> outcomes(const cli_harness::Json& manifest,
                                        const std::vector<std::string>& modes,
                                        const std::vector<std::string>& arguments = {});

// The mode of execution that has the bits of mode auto at the level that tests are run for:
// at level bitwise eager, else audit, which compares with the eager step as it goes.
std::string exact_mode();

// Checks that both ended well with equal probes, numbers and variables.
void check_equal(const Outcome& expected, const Outcome& found);

// Checks the fate of the manifest in modes auto and audit. At level bitwise auto has the bits of
// the eager run, and so does audit, which is tried there if BROCH_ALL_MODES is in the environment;
// at level fast they have each other's.
void check_modes(const cli_harness::Json& manifest, const Fate& fate);

// Trains for some epochs in one go, and in two from each epoch on: the last checkpoints are equal.
// What the training in one go said. decisions: also what towers have decided about programs.
std::string check_continued(cli_harness::Json manifest, int epochs, bool decisions = false);

}  // namespace broch::recorded
