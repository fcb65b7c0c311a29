// modes.cpp: starts the trainings and compares what they leave behind.
#include "recorded/modes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "store/checkpoint.hpp"
#include "store/checkpoint_list.hpp"

namespace broch::recorded {
namespace {

using cli_harness::Json;

std::map<std::string, std::string> saved_by(const cli_harness::Training& training) {
  std::map<std::string, std::string> saved;
  const auto newest = store::latest_checkpoint(training.log_dir());
  if (!newest) return saved;
  const store::Checkpoint checkpoint = store::read_checkpoint(*newest);
  for (const store::SavedVariable& variable : checkpoint.contents.variables)
    saved[variable.value.name] = {reinterpret_cast<const char*>(variable.value.bytes.data()),
                                  variable.value.bytes.size()};
  return saved;
}

// What towers have decided about their programs.
std::map<std::string, std::string> decided_by(const cli_harness::Training& training) {
  std::map<std::string, std::string> decided;
  if (const auto newest = store::latest_checkpoint(training.log_dir()))
    for (const auto& [key, value] : store::read_checkpoint(*newest).contents.metadata)
      if (key.starts_with("program.")) decided[key] = value;
  return decided;
}

// How full a queue was is up to two threads.
bool from_a_clock(const std::string& name) {
  return name.find("time") != std::string::npos || name.ends_with("queue_size");
}

std::string numbers_of(const cli_harness::Training& training) {
  std::string lines;
  if (training.text("stats.json").empty()) return lines;
  for (const Json& entry : training.stats()) {
    Json kept = Json::object();
    for (const auto& [name, value] : entry.items())
      if (!from_a_clock(name)) kept[name] = value;
    lines += kept.dump() + "\n";
  }
  return lines;
}

// The first line in which two texts differ, for a person.
std::string first_difference(const std::string& expected, const std::string& found) {
  std::istringstream left(expected), right(found);
  std::string a, b;
  for (size_t line = 1; std::getline(left, a); ++line)
    if (!std::getline(right, b) || a != b)
      return "line " + std::to_string(line) + ": " + a.substr(0, 200) + " | " + b.substr(0, 200);
  return std::getline(right, b) ? "more: " + b.substr(0, 200) : "";
}

std::string first_difference(const std::map<std::string, std::string>& expected,
                             const std::map<std::string, std::string>& found) {
  for (const auto& [name, bytes] : expected)
    if (!found.contains(name) || found.at(name) != bytes) return name;
  return expected.size() == found.size() ? "" : "a variable too many";
}

void check_fate(const std::string& log, const Fate& fate) {
  INFO(log);
  if (fate.kind == Fate::replays) {
    CHECK(cli_harness::count(log, kRecorded) > 0);
    CHECK_FALSE(stays_eager(log, ""));
  }
  if (fate.kind == Fate::eager) CHECK(stays_eager(log, fate.because));
}

}  // namespace

bool stays_eager(const std::string& log, const std::string& because) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);)
    if ((cli_harness::count(line, "stay eager") || cli_harness::count(line, "stays eager")) &&
        cli_harness::count(line, because))
      return true;
  return false;
}

std::map<std::string, Outcome> outcomes(const Json& manifest, const std::vector<std::string>& modes,
                                        const std::vector<std::string>& arguments) {
  const cli_harness::Folder folder;
  std::vector<cli_harness::Training> trainings;
  std::vector<pid_t> pids;
  for (const std::string& mode : modes) {
    Json own = manifest;
    own["runtime"]["execution"] = mode;
    trainings.emplace_back(folder, mode, own);
    pids.push_back(trainings.back().start(arguments));
  }
  std::map<std::string, Outcome> found;
  for (size_t i = 0; i < modes.size(); ++i) {
    const cli_harness::Training& training = trainings[i];
    Outcome& outcome = found[modes[i]];
    outcome.exit_code = cli_harness::Training::wait(pids[i]);
    outcome.talk = training.talk();
    outcome.log = training.text("log.log");
    outcome.probe = training.text("probe.txt");
    outcome.stats = numbers_of(training);
    outcome.saved = saved_by(training);
  }
  return found;
}

std::string exact_mode() {
  const char* const level = std::getenv("BROCH_TEST_LEVEL");
  return level && std::string(level) == "bitwise" ? "eager" : "audit";
}

void check_equal(const Outcome& expected, const Outcome& found) {
  for (const Outcome* one : {&expected, &found}) {
    INFO(one->talk);
    REQUIRE(one->exit_code == 0);
    REQUIRE_FALSE(one->saved.empty());
    CHECK(cli_harness::count(one->probe, "nan") == 0);  // equal to nothing, not even to itself
  }
  CHECK(first_difference(expected.probe, found.probe) == "");
  CHECK(first_difference(expected.saved, found.saved) == "");
  CHECK(first_difference(expected.stats, found.stats) == "");
}

void check_modes(const Json& manifest, const Fate& fate) {
  for (const std::string level : {"bitwise", "fast"}) {
    CAPTURE(level);
    Json made = manifest;
    made["runtime"]["level"] = level;
    const bool bitwise = level == "bitwise";
    std::vector<std::string> modes{bitwise ? "eager" : "audit", "auto"};
    if (bitwise && std::getenv("BROCH_ALL_MODES")) modes.emplace_back("audit");
    const auto found = outcomes(made, modes);
    for (const auto& [mode, outcome] : found) {
      CAPTURE(mode);
      if (fate.kind == Fate::error) {
        INFO(outcome.talk);
        CHECK(outcome.exit_code == 1);
        CHECK(cli_harness::count(outcome.talk, fate.because) > 0);
        continue;
      }
      check_equal(found.at(bitwise ? "eager" : "auto"), outcome);
      if (mode != "eager") check_fate(outcome.log, fate);
    }
  }
}

std::string check_continued(Json manifest, int epochs, bool decisions) {
  const cli_harness::Folder folder;
  const auto training = [&](const std::string& name, int last) {
    manifest["max_epoch"] = last;
    return cli_harness::Training(folder, name, manifest);
  };
  const auto ends_well = [](const cli_harness::Training& one,
                            const std::vector<std::string>& arguments) {
    const int exit_code = one.run(arguments);
    INFO(one.talk());
    REQUIRE(exit_code == 0);
  };
  const cli_harness::Training whole = training("whole", epochs);
  ends_well(whole, {});
  const auto expected = saved_by(whole);
  REQUIRE_FALSE(expected.empty());
  for (int first = 1; first < epochs; ++first) {
    CAPTURE(first);
    const std::string name = "from" + std::to_string(first);
    ends_well(training(name, first), {});
    const cli_harness::Training parts = training(name, epochs);
    ends_well(parts, {"--resume"});
    CHECK(first_difference(expected, saved_by(parts)) == "");
    if (decisions) CHECK(first_difference(decided_by(whole), decided_by(parts)) == "");
  }
  return whole.talk();
}

}  // namespace broch::recorded
