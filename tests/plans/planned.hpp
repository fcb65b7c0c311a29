// planned.hpp: manifests whose trainer's plans are written down, and what became of them.
#pragma once
#include <nlohmann/json.hpp>

#include "builtins/project.hpp"

namespace broch::test {

using Json = nlohmann::json;

inline const Json kPlusOne{{"plus", 1}};  // what an operation does

// Nodes, as planner.cpp reads them; after: places in the plan.
inline Json node(const std::string& kind, std::vector<int> after = {}, const Json& options = {}) {
  Json made{{"kind", kind}, {"after", after}};
  if (!options.is_null()) made["options"] = options.dump();
  return made;
}
inline Json op(const std::string& variable, const Json& what, std::vector<int> after = {},
               const Json& options = {}) {
  Json made = node("operation", std::move(after), options);
  made["op"] = what;
  made["op"]["variable"] = variable;
  return made;
}
inline Json call(const std::string& action, std::vector<int> after = {}, const Json& options = {}) {
  Json made = node("call", std::move(after), options);
  made["call"] = action;
  return made;
}
inline Json with(Json made, const std::string& key, const Json& value) {
  made[key] = value;
  return made;
}
inline Json every(int every, int offset) {
  return {{"when", {{"every", every}, {"offset", offset}}}};
}
// Input, tower and gradients are nodes 0, 1 and 2.
inline std::vector<Json> descent(const std::vector<Json>& more) {
  std::vector<Json> nodes{node("input"), node("tower", {0}), node("gradients", {1})};
  nodes.insert(nodes.end(), more.begin(), more.end());
  return nodes;
}
inline Json plan(const std::string& name, const std::vector<Json>& nodes) {
  return {{"name", name}, {"nodes", nodes}};
}

// Trainings of test.pair on x = 1 by LibTorch: the slope of a is 1 and that of b is 3.
class Planned {
 public:
  // steps: what run_step does; {}: there is none.
  Planned(std::initializer_list<Json> plans, const Lines& steps = {}) {
    set("plugins", Json::array({RECORDER, MODELS, PLANNER}));
    set("model", {{"use", "test.pair"}});
    set("dataflow", {{"use", "test.rows"}, {"with", {{"rows", Json::array({Json::array({1})})}}}});
    set("steps_per_epoch", 4);
    const char* use = steps.empty() ? "test.plan-trainer" : "test.step-trainer";
    set("trainer", {{"use", use},
                    {"with",
                     {{"plans", std::vector<Json>(plans)},
                      {"steps", steps},
                      {"trace", project.trace_path()}}}});
  }
  void set(const std::string& key, const Json& value) { settings_[key] = value; }
  void add_callback(const Json& entry) { callbacks_.push_back(entry); }
  // Writes "name value" to the trace in each hooked run.
  void fetch(const std::vector<std::string>& names) {
    add_callback(
        {{"use", "test.recorder"}, {"with", {{"fetch", names}, {"trace", project.trace_path()}}}});
  }
  Exit train(const session::RunOptions& options = {}) {
    Lines overrides;
    for (const auto& [key, value] : settings_.items())
      overrides.push_back(key + "=" + value.dump());
    overrides.push_back("callbacks=" + callbacks_.dump());
    return project.train(overrides, options);
  }
  bool failed_with(const std::string& words) const {
    return project.failure.find(words) != std::string::npos;
  }
  const std::string& failure() const { return project.failure; }
  // What "name" was in each hooked run.
  Lines values(const std::string& name) const { return project.trace(name + " "); }

  Project project;

 private:
  Json settings_ = Json::object(), callbacks_ = Json::array();
};

}  // namespace broch::test
