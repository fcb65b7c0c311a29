// sweeping.cpp: writes manifests and descriptions of sweeps.
#include "sweeping.hpp"

#include <fstream>

namespace broch::sweep_test {

Sweeping::Sweeping(double seconds_per_step) {
  const Json pause = {
      {"use", "test.pause"},
      {"with", {{"seconds", "${vars.seconds}"}, {"events", folder_ / "events-${vars.x}"}}}};
  const Json score = {
      {"use", "derived-metric"},
      {"with", {{"name", "score"}, {"value", "(${vars.x} - 3) ** 2 + ${vars.y} + 1 / epoch_num"}}}};
  const Json manifest = {
      {"broch", 1},
      {"name", "${env:CUDA_VISIBLE_DEVICES:-none}"},
      {"plugins", {PAUSE_PLUGIN}},
      {"vars", {{"x", 1}, {"y", 0}, {"even", 2}, {"seconds", seconds_per_step}}},
      {"model", {{"use", "bench"}, {"with", {{"scalars", 1}}}}},
      {"data", {{"use", "dummy-constant"}, {"with", {{"shapes", {Json::array()}}}}}},
      {"callbacks",
       {pause,
        score,
        "model-saver",
        {{"use", "test.picky"}, {"with", {{"even", "${vars.even}"}}}}}},
      {"extra_callbacks", Json::array()},
      {"monitors", {"json-writer"}},
      {"steps_per_epoch", kSteps},
      {"max_epoch", kEpochs}};
  std::ofstream(folder_ / "base.json") << manifest.dump(1);
}

std::string Sweeping::write(const Json& members, const std::string& name) {
  Json sweep = {{"manifest", "base.json"},
                {"parameters", {{"vars.x", {{"values", {1, 3, 5}}}}}},
                {"metric", "score"},
                {"folder", folder()}};
  for (const auto& [key, value] : members.items()) sweep[key] = value;
  return folder_.write(name + ".json", sweep.dump(1));
}

Words Sweeping::command(const Words& words, const std::string& name) const {
  Words all{"sweep", folder_ / (name + ".json"), "--runtime", "null"};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

size_t Sweeping::steps(const std::string& x) const {
  return cli_harness::count(test::read_file(events(x)), "trigger_step ");
}

Json trial_of(const Json& json, double x) {
  for (const Json& trial : json["trials"])
    if (trial["parameters"]["vars.x"] == x) return trial;
  return Json();
}

}  // namespace broch::sweep_test
