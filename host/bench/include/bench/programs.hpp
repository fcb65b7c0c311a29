// programs.hpp: the recorded programs of a run after a few steps, and what their calls cost.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "replay/tower_runner.hpp"
#include "session/run.hpp"
#include "value/value.hpp"

namespace broch::bench {

struct Program {
  std::string name;  // for people
  const replay::TowerRunner& runner;
  int64_t steps;  // that were taken
  // In microseconds, by call, once they were measured. NaN: not known.
  std::vector<double> times{};

  // "replayed, verified after 5 steps"
  std::string execution() const;
  // The lines of the executable: its calls, then its outputs. REQUIRES: there is one.
  std::vector<std::string> calls() const;
  // Of the times that are known.
  double total_time() const;
};

class Programs {
 public:
  // Builds a run and takes a few steps, without writing files. tower: name or index of a training
  // tower; "": the first. Throws base::Error (usage) if there is no such.
  Programs(const session::SetupOptions& options, const std::string& tower);

  const Program& tower() const { return programs_.front(); }
  // The operations of the plans besides towers, such as updates.
  std::span<const Program> updates() const { return std::span(programs_).subspan(1); }

  // Measures the shortest time of each call. Kernels of plugins are not called.
  void measure();

 private:
  session::Setup setup_;
  session::Run run_;
  std::vector<Program> programs_;
};

// The lines of a text, without their ends.
std::vector<std::string> lines_of(const std::string& text);

// One execution as trace events for Chrome, one event per call. REQUIRES: there is an executable.
value::Value trace_of(const Program& program);

}  // namespace broch::bench
