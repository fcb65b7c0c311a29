// sweeping.hpp: sweeps of trainings that compute nothing, and so take a fraction of a second.
#pragma once
#include <string>

#include "cli/program.hpp"

namespace broch::sweep_test {

using namespace cli_test;

inline constexpr int kSteps = 5, kEpochs = 4;  // of a training

// A folder with a manifest whose metric "score" is (x - 3)² + y + 1 / epoch. Its variables are x,
// y, even (which must be even) and seconds (per step).
class Sweeping {
 public:
  explicit Sweeping(double seconds_per_step = 0);

  // Writes sweep.json from these members, laid over the usual ones: x from 1, 3, 5 and score.
  std::string write(const Json& members = Json::object(), const std::string& name = "sweep");
  // sweep SWEEP words, without LibTorch
  Words command(const Words& words = {}, const std::string& name = "sweep") const;
  Outcome run(const Words& words = {}) const { return cli_test::run(command(words)); }
  Json json(const Words& words = {}) const { return json_of(command(words)); }

  const std::filesystem::path& path() const { return folder_.path(); }
  std::string folder() const { return folder_ / "out"; }
  // How many steps a training with this x made, in all its starts.
  size_t steps(const std::string& x) const;
  std::string events(const std::string& x) const { return folder_ / ("events-" + x); }
  Json record() const { return Json::parse(test::read_file(folder() + "/sweep.json")); }

 private:
  Folder folder_;
};

// The trial with this x, from the output of --json.
Json trial_of(const Json& json, double x);

}  // namespace broch::sweep_test
