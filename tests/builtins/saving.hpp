// saving.hpp: callbacks that save checkpoints, and runs with them.
#pragma once
#include "slope.hpp"

namespace broch::test {

inline std::string saver(const std::string& options = "{}") {
  return R"({"use": "model-saver", "with": )" + options + "}";
}
// Puts the metric val-err: 3, 2, 2.5, 1 in epochs 1 to 4 unless told otherwise.
inline std::string metric(const std::string& value =
                              "epoch_num == 1 ? 3 : epoch_num == 2 ? 2 : "
                              "epoch_num == 3 ? 2.5 : 1") {
  return recorder("{\"put\": [" + put("trigger_epoch", "val-err", value) + "]}");
}
// Whether two files of the log folder are equal and not empty.
inline bool equal(const Project& project, const std::string& a, const std::string& b) {
  const std::string content = read_file(project.log_dir() / a);
  return !content.empty() && content == read_file(project.log_dir() / b);
}
inline Exit train(Project& project, const std::string& callbacks, int epochs,
                  const session::RunOptions& options = Project::null_runtime()) {
  return project.train({"callbacks=[" + callbacks + "]", "max_epoch=" + std::to_string(epochs)},
                       options);
}

}  // namespace broch::test
