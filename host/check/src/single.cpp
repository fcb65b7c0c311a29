// single.cpp: the child process: runs one test and writes one verdict.
#include "single.hpp"

#include <exception>

#include "abi/crash.hpp"
#include "abi/inspection.hpp"
#include "subject.hpp"
#include "tests.hpp"
#include "verdict.hpp"

namespace broch::check {

void run_single(const Options& options, const Job& job) {
  Ground ground(options);
  run_single(ground, job);
}

void run_single(Ground& ground, const Job& job) {
  abi::install_crash_handler();
  Subject subject(ground, job.component);
  abi::inspect(&subject.watch());
  try {
    const Test* const test = find_test(job.test);
    if (!test) throw Failed("no such test");
    tell_verdict(Status::passed, test->run(subject));
  } catch (const Skipped& skipped) {
    tell_verdict(Status::skipped, skipped.what());
  } catch (const std::exception& error) {
    tell_verdict(Status::failed, error.what());
  }
  abi::inspect(nullptr);
}

}  // namespace broch::check
