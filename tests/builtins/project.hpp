// project.hpp: runs from a manifest in a folder of their own, with the plugins of the build tree.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "folder.hpp"
#include "session/run.hpp"
#include "value/json.hpp"

namespace doctest {
template <>
struct StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += "\n    " + line;
    return text.c_str();
  }
};
}  // namespace doctest

namespace broch::test {

using base::Exit;
using Lines = std::vector<std::string>;

// Of a manifest: the plugins of these tests.
inline const std::string kPlugins = "[\"" RECORDER "\", \"" MODELS "\"]";

inline bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

// Entries of a manifest: a component with these options, a recorder, something for it to put.
inline std::string use(const std::string& component, const std::string& options = "") {
  return R"({"use": ")" + component + R"(", "with": {)" + options + "}}";
}
inline std::string recorder(const std::string& options) {
  return R"({"use": "test.recorder", "with": )" + options + "}";
}
inline std::string put(const std::string& event, const std::string& name,
                       const std::string& value) {
  return R"({"event": ")" + event + R"(", "name": ")" + name + R"(", "value": ")" + value + "\"}";
}

class Project {
 public:
  Project() {
    base::set_log_level(base::Level::misbehavior);
    write(R"({
      "broch": 1, "plugins": )" +
          kPlugins + R"(,
      "model": {"use": "test.flat"},
      "dataflow": {"use": "test.rows", "with": {"rows": [[1], [2], [3]]}},
      "extra_callbacks": [], "monitors": [],
      "steps_per_epoch": 1, "max_epoch": 1,
      "log_dir_action": "keep", "log_dir": ")" +
          log_dir().string() + "\"}");
  }
  ~Project() {
    base::set_log_file("");
    base::set_log_level(base::Level::info);
  }

  void write(const std::string& manifest) const { folder_.write("run.json", manifest); }
  const Folder& folder() const { return folder_; }
  std::filesystem::path log_dir() const { return folder_ / "log"; }
  std::string trace_path() const { return folder_ / "trace"; }
  // As an option: "trace": "…".
  std::string trace_option() const { return "\"trace\": \"" + trace_path() + "\""; }
  // A monitor that writes "{label}.scalar name value" and "{label}.summary tags".
  std::string listener(const std::string& label = "M") const {
    return R"({"use": "test.listener", "with": {)" + trace_option() + R"(, "label": ")" + label +
           "\"}}";
  }

  // The exit code of the run with these overrides; what it threw is kept in failure.
  Exit train(const Lines& overrides, session::RunOptions options = null_runtime()) {
    std::filesystem::remove(trace_path());
    failure.clear();
    try {
      session::SetupOptions setup;
      setup.manifest = folder_ / "run.json";
      setup.overrides = overrides;
      const session::Setup made(setup);
      session::Run run(made, options);
      run.build();
      return run.train();
    } catch (const base::Error& error) {
      failure = error.what();
      return error.exit();
    }
  }
  static session::RunOptions null_runtime() {
    session::RunOptions options;
    options.null_runtime = true;
    return options;
  }

  static Lines lines_of(const std::filesystem::path& path) {
    Lines lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  Lines trace() const { return lines_of(trace_path()); }
  // Lines of the trace that start so, without that start.
  Lines trace(const std::string& start) const { return starting(trace(), start); }
  std::string log() const { return read_file(log_dir() / "log.log"); }
  bool logged(const std::string& words) const { return log().find(words) != std::string::npos; }
  // Log lines that contain the words, from there on.
  Lines log_lines(const std::string& words) const {
    Lines found;
    for (const std::string& line : lines_of(log_dir() / "log.log"))
      if (const size_t at = line.find(words); at != std::string::npos)
        found.push_back(line.substr(at));
    return found;
  }
  // Records of stats.json, each as strict JSON with its keys in their order.
  Lines records(const std::string& file = "stats.json") const {
    Lines records;
    const value::Value list = value::parse_text(file, read_file(log_dir() / file));
    for (const value::Value& record : list.array()) records.push_back(value::to_text(record));
    return records;
  }
  // Names in the log folder that start so, sorted.
  Lines files(const std::string& start) const {
    Lines names;
    for (const auto& entry : std::filesystem::directory_iterator(log_dir()))
      if (entry.path().filename().string().starts_with(start))
        names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string failure;

 private:
  static Lines starting(const Lines& lines, const std::string& start) {
    Lines found;
    for (const std::string& line : lines)
      if (line.starts_with(start)) found.push_back(line.substr(start.size()));
    return found;
  }

  Folder folder_;
};

}  // namespace broch::test
