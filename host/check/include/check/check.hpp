// check.hpp: tests of a plugin file, each in a process of its own, so that a crash is a result.
//
// The parent reads the file and never loads it; a child is this program again, with arguments that
// name one test. LibTorch, which takes most of a second to open, is opened for components whose
// work is operators; others are tested on the null runtime.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace broch::check {

struct Options {
  std::string file;
  std::vector<std::string> plugin_path;     // where children of components are found
  std::vector<std::string> tests;           // names; empty: all
  std::map<std::string, std::string> with;  // JSON text of options by component id
  std::string folder;                       // of relative paths in with
  uint64_t seed = 1;                        // of made configurations
  int configurations = 200;                 // of each component
  int creations = 1000;                     // of each component
  int faults = 100;                         // host calls that are made to fail, of each component
  double seconds = 60;                      // for one test
  unsigned jobs = 1;                        // tests at once
};

enum class Status : uint8_t { passed, failed, skipped };
const char* status_name(Status status);

struct Result {
  std::string test;
  std::string component;  // "": of the file
  Status status = Status::passed;
  std::string message;  // why; of a test that passed, what it found
  double seconds = 0;
  std::string output;  // what the child said, of a test that failed
};

// One test of one component ("": of the file).
struct Job {
  std::string test;
  std::string component;
};

// The arguments that make this program run one job by run_single.
using Arguments = std::function<std::vector<std::string>(const Job& job)>;

// Runs the tests and hands each result over as it comes, one at a time. Throws base::Error when
// there is no such file or test.
std::vector<Result> check(const Options& options, const Arguments& arguments,
                          const std::function<void(const Result&)>& show);

// In the child: runs the test and tells the parent. Its working directory is its own.
void run_single(const Options& options, const Job& job);

struct TestInfo {
  const char* name;
  const char* summary;
  bool of_component;
};
std::vector<TestInfo> list_tests();

}  // namespace broch::check
