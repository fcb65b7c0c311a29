// slope.hpp: runs on LibTorch of the model test.slope over given rows.
#pragma once
#include "project.hpp"

namespace broch::test {

inline bool any_starts(const Lines& lines, const std::string& start) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.starts_with(start); });
}

// The model is test.slope unless the overrides name one; "data=…" replaces the dataflow.
inline Exit train(Project& project, Lines overrides, const session::RunOptions& options = {}) {
  if (!any_starts(overrides, "model=")) overrides.push_back(R"(model={"use": "test.slope"})");
  if (any_starts(overrides, "data=")) overrides.push_back("dataflow=null");
  return project.train(overrides, options);
}

inline std::string rows(const std::string& list, const std::string& more = "") {
  return R"({"use": "test.rows", "with": {"rows": )" + list + more + "}}";
}
// A dataflow or input source around a dataflow.
inline std::string around(const std::string& use, const std::string& dataflow,
                          const std::string& more = "") {
  return "{\"use\": \"" + use + "\", \"with\": {\"dataflow\": " + dataflow + more + "}}";
}

// Four steps over one number each: mean is 1, 2, 3, 4.
inline Lines four_steps(const std::string& callbacks) {
  return {"dataflow=" + rows("[[1], [2], [3], [4]]"), "steps_per_epoch=4",
          "callbacks=[" + callbacks + "]"};
}
// Of two towers, the second one has variables of its own.
inline const std::string kReplicated =
    R"(trainer={"use": "sync-replicated", "with": {"devices": ["cpu:0", "cpu:1"]}})";

// Trains to the end of an epoch, from the newest checkpoint or from the start; the lines of the
// trace that start so.
inline Lines until(Project& project, int epoch, bool resume, Lines overrides,
                   const std::string& start) {
  overrides.push_back("max_epoch=" + std::to_string(epoch));
  session::RunOptions options;
  options.resume = resume;
  CHECK(train(project, overrides, options) == Exit::ok);
  return project.trace(start);
}

// What the model's "mean" was in each hooked run.
inline Lines means(Project& project, const std::string& input, int steps, int epochs = 1,
                   bool resume = false, const std::string& callbacks = "", const Lines& more = {}) {
  const std::string fetch = recorder("{" + project.trace_option() + R"(, "fetch": ["mean"]})");
  Lines overrides = {input, "callbacks=[" + fetch + callbacks + "]",
                     "steps_per_epoch=" + std::to_string(steps),
                     "max_epoch=" + std::to_string(epochs)};
  overrides.insert(overrides.end(), more.begin(), more.end());
  session::RunOptions options;
  options.resume = resume;
  CHECK(train(project, overrides, options) == Exit::ok);
  CHECK(project.failure == "");
  return project.trace("mean ");
}

}  // namespace broch::test
