// examine.hpp: runs test.examiner over a dataflow.
#pragma once
#include "project.hpp"

namespace broch::test {

struct Examined {
  std::string failure, size, kind;  // kind: "indexed" or "stream"
  std::vector<Lines> rounds;
};

inline std::string numbers(int count, int first = 0, const std::string& more = "") {
  return use("test.numbers", "\"count\": " + std::to_string(count) +
                                 ", \"first\": " + std::to_string(first) + more);
}
// "dataflow": …, more
inline std::string around(const std::string& component, const std::string& dataflow,
                          const std::string& more = "") {
  return use(component, "\"dataflow\": " + dataflow + (more.empty() ? "" : ", ") + more);
}
inline std::string mapped(const std::string& dataflow, const std::string& transform) {
  return around("map", dataflow, "\"transforms\": [" + transform + "]");
}

// Trains with a dataflow that writes what it finds into trace.
inline Examined examine_with(Project& project, const std::string& examiner,
                             const std::string& trace) {
  Examined examined;
  project.train({"+plugins=" EXAMINER, "dataflow=" + examiner});
  examined.failure = project.failure;
  std::ifstream file(trace);
  for (std::string line; std::getline(file, line);) {
    if (line == "round")
      examined.rounds.emplace_back();
    else if (line.starts_with("size "))
      examined.size = line.substr(5);
    else if (line == "indexed" || line == "stream")
      examined.kind = line;
    else
      examined.rounds.back().push_back(line);
  }
  return examined;
}

// options: more options of the examiner. again: a dataflow with the same options, if it cannot be
// the same text.
inline Examined examine(Project& project, const std::string& flow, const std::string& options = "",
                        const std::string& again = "") {
  const std::string trace = project.folder() / "examined";
  std::filesystem::remove(trace);
  const std::string examiner =
      use("test.examiner",
          "\"dataflow\": " + flow + ", \"again\": " + (again.empty() ? flow : again) +
              ", \"trace\": \"" + trace + "\"" + (options.empty() ? "" : ", ") + options);
  return examine_with(project, examiner, trace);
}

// What a dataflow says of cursors that are not its own, one line each.
inline Lines opened_at(const std::string& flow, const Lines& cursors) {
  Project project;
  const std::string trace = project.folder() / "examined";
  std::string list;
  for (const std::string& cursor : cursors) list += (list.empty() ? "\"" : ", \"") + cursor + "\"";
  const Examined examined =
      examine_with(project,
                   use("test.damaged", "\"dataflow\": " + flow + ", \"cursors\": [" + list +
                                           "], \"trace\": \"" + trace + "\""),
                   trace);
  REQUIRE(examined.failure == "");
  return examined.rounds.at(0);
}

// The rounds of a dataflow that is examined without a failure.
inline std::vector<Lines> rounds_of(const std::string& flow, const std::string& options = "") {
  Project project;
  const Examined examined = examine(project, flow, options);
  REQUIRE(examined.failure == "");
  return examined.rounds;
}
// The first numbers of the points of a round: of "int64[] 5;float32…" 5.
inline std::vector<int> numbers_in(const Lines& round) {
  std::vector<int> list;
  for (const std::string& line : round) list.push_back(std::stoi(line.substr(line.find(' '))));
  return list;
}
inline std::string failure_of(const std::string& flow) {
  Project project;
  return examine(project, flow).failure;
}

}  // namespace broch::test
