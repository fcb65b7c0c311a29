// run_programs.cpp: runs a few steps and reports how its towers were executed.
#include <algorithm>

#include "session/run.hpp"

namespace broch::session {
namespace {

constexpr int64_t kMostSteps = 32;           // within which a program must be verified
constexpr int64_t kEndless = 1'000'000'000;  // steps per epoch, so that it never ends

PlanReport::ProgramLine line_of(const replay::TowerRunner& runner) {
  const runtime::ExecutableInfo& info = runner.executable()->info();
  return {runner.program()->operators(),
          info.calls,
          info.passes,
          info.planned_bytes,
          info.unplanned_bytes,
          runner.record_milliseconds()};
}

}  // namespace

base::Exit Run::train_until(std::function<bool()> enough) {
  train::MainLoop loop;
  loop.config = loop_config();
  loop.config.steps_per_epoch = std::max(loop.config.steps_per_epoch, kEndless);
  loop.enough = std::move(enough);
  start_services();
  return trainer_->main_loop(std::move(loop));
}

int64_t Run::record_programs() {
  int64_t steps = -1;
  const auto decided = [](const replay::TowerRunner* runner) { return runner->decided(); };
  const base::Exit exit =
      train_until([&] { return ++steps == kMostSteps || std::ranges::all_of(runners(), decided); });
  if (exit != base::Exit::ok)
    throw base::Error(exit, base::Diagnostic{"recording", "ended by a signal", "some steps",
                                             "run the command again"});
  return steps;
}

std::vector<replay::TowerRunner*> Run::runners() {
  std::vector<replay::TowerRunner*> all;
  if (const plan::Towers* towers = trainer_->towers())
    for (tower::Tower* tower : towers->training())
      if (tower) all.push_back(&trainer_->executor().runner_of(*tower));
  const std::vector<replay::TowerRunner*> others = trainer_->plans().runners();
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

std::vector<PlanReport::UpdateLine> Run::update_lines() {
  std::vector<PlanReport::UpdateLine> lines;
  for (const replay::TowerRunner* runner : trainer_->plans().runners()) {
    lines.push_back({runner->tower().describe(), runner->state(), std::nullopt});
    if (runner->executable()) lines.back().program = line_of(*runner);
  }
  return lines;
}

std::vector<PlanReport::TowerLine> Run::tower_lines() {
  std::vector<PlanReport::TowerLine> lines;
  const plan::Towers* towers = trainer_->towers();
  if (!towers) return lines;
  for (tower::Tower* tower : towers->training()) {
    if (!tower) continue;
    const replay::TowerRunner& runner = trainer_->executor().runner_of(*tower);
    const tower::TowerSpec& spec = tower->spec();
    lines.push_back({spec.name, "train", runtime::to_string(spec.device), runner.state(),
                     towers->cost_of(*tower), std::nullopt});
    if (runner.executable()) lines.back().program = line_of(runner);
  }
  return lines;
}

}  // namespace broch::session
