// run_test.cpp: outcomes of host functions that the C++ layer passes on as exceptions.
#include <doctest/doctest.h>

#include <broch/cpp/run.hpp>

namespace {

// A host whose evaluations are ended by a signal.
const broch_progress* no_progress(const broch_host*) {
  static const broch_progress progress{};
  return &progress;
}
broch_status ended_eval(const broch_host*, const char* const*, uint32_t, broch_tensor*) {
  return BROCH_CANCELLED;
}
broch_status ended_summaries(const broch_host*) { return BROCH_CANCELLED; }

const void* only_progress(const broch_host*, const char*) {
  static const broch_host_progress table = [] {
    broch_host_progress made{};
    made.struct_size = sizeof made;
    made.progress = no_progress;
    made.eval = ended_eval;
    made.evaluate_summaries = ended_summaries;
    return made;
  }();
  return &table;
}

}  // namespace

TEST_CASE("run: an evaluation that a signal has ended throws Cancelled, and gives no values") {
  broch_host host{};
  host.struct_size = sizeof host;
  host.get_extension = only_progress;
  const broch::Run run{broch::Host(&host)};
  CHECK_THROWS_AS(run.eval({"cost"}), broch::Cancelled);
  CHECK_THROWS_AS(run.evaluate_summaries(), broch::Cancelled);
}
