// check.hpp: tests of a plugin file. Each test runs in a process of its own, so that a crash is a
// test result.
//
// The parent process reads the file but never loads it. It starts this program again as a nursery,
// which reads the file and its surroundings once and forks a child process for each test. Where it
// cannot, a child process is this program again, with arguments that name one test. Opening
// LibTorch takes most of a second, so it is opened only for components that compute with operators;
// all others are tested with the null backend.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace broch::check {

struct Options {
  std::string file;
  std::vector<std::string> plugin_path;     // where other components, used as children, are found
  std::vector<std::string> tests;           // names; empty: all
  std::map<std::string, std::string> with;  // options as JSON text, by component id
  std::string folder;                       // for relative paths in with
  uint64_t seed = 1;                        // for random options
  int configurations = 200;                 // number of random options per component
  int creations = 1000;                     // instances that one test creates, per component
  int faults = 100;                         // host calls that are made to fail, per component
  double seconds = 60;                      // for one test
  unsigned jobs = 1;                        // tests in parallel
};

enum class Status : uint8_t { passed, failed, skipped };
const char* status_name(Status status);

struct Result {
  std::string test;
  std::string component;  // "": a test of the file
  Status status = Status::passed;
  std::string message;  // the reason or, if the test passed, what it found
  double seconds = 0;
  std::string output;  // output of the child process, if the test failed
};

// One test, of one component or, if that is "", of the file.
struct Job {
  std::string test;
  std::string component;
};

// Returns the program arguments that run one job with run_single or, for nullptr, a nursery with
// run_nursery.
using Arguments = std::function<std::vector<std::string>(const Job* job)>;

// Runs the tests. Calls show for each result as soon as it and all earlier ones are there, never in
// parallel. Throws base::Error if the file or a test does not exist.
std::vector<Result> check(const Options& options, const Arguments& arguments,
                          const std::function<void(const Result&)>& show);

// In the child process: runs the test and sends the verdict to the parent. The working directory is
// a temporary folder of this process.
void run_single(const Options& options, const Job& job);
// In a nursery: forks child processes and returns, in each of them, after its test. Ends the
// process when the parent needs no more of them.
void run_nursery(const Options& options);

struct TestInfo {
  const char* name;
  const char* summary;
  bool of_component;
};
std::vector<TestInfo> list_tests();

}  // namespace broch::check
