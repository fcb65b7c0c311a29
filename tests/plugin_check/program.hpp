// program.hpp: broch plugin check, started as in a shell.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace broch::plugin_check_test {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

struct Outcome {
  int exit_code;  // -1: ended by a signal
  std::string out;
};

// stderr goes where this test's goes. folder: to start it in; "": this one. open_files: its limit;
// 0: that of this process.
Outcome check(const Words& words, const std::string& folder = "", int open_files = 0);

// The same with --json; its exit code and its tests.
struct Report {
  int exit_code;
  Json whole;
  // Those of that name and status.
  std::vector<Json> tests(const std::string& name, const std::string& status) const;
};
Report report(Words words, const std::string& folder = "");

// "failed drive of org.example.x: message", a line each.
std::string describe_failures(const Report& report);

}  // namespace broch::plugin_check_test
