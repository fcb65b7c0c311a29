// drive_tests.cpp: tests that run the component once and examine its calls meanwhile.
#include <set>

#include "base/text.hpp"
#include "drive.hpp"
#include "faulty_tables.hpp"
#include "made_options.hpp"
#include "process_state.hpp"
#include "tests.hpp"
#include "verdict.hpp"

namespace broch::check {
namespace {

using abi::Misuse;

// Misuses are checked first, because the component may report an error after one.
std::string drive_and_require_none(Subject& subject, const std::vector<Misuse>& misuses) {
  const Outcome outcome = Drive(subject, usual_options(subject)).run();
  subject.watch().require_none(misuses);
  if (!outcome.refusal.empty()) throw Skipped("refuses: " + outcome.refusal);
  return "";
}

const std::set<std::string>& opset() {
  static const std::set<std::string> texts = {
#include "opset_texts.inc"
  };
  return texts;
}

// A refusal may be the fault of the options, but nothing excuses a violation of the interface. Its
// type is lost where the host adds a place in the manifest, so it is known by its words.
std::string test_drive(Subject& subject) {
  const Outcome outcome = Drive(subject, usual_options(subject)).run();
  if (outcome.refusal.find("violated the interface") != std::string::npos)
    throw Failed(outcome.refusal);
  if (!outcome.refusal.empty()) throw Skipped("refuses: " + outcome.refusal);
  return "";
}

std::string test_statuses(Subject& subject) {
  return drive_and_require_none(subject, {Misuse::status, Misuse::silent});
}

std::string test_exceptions(Subject& subject) {
  return drive_and_require_none(subject, {Misuse::exception});
}

std::string test_process_state(Subject& subject) {
  return drive_and_require_none(subject, {Misuse::environment});
}

std::string test_callers(Subject& subject) {
  return drive_and_require_none(subject, {Misuse::caller, Misuse::host});
}

std::string test_handles(Subject& subject) {
  return drive_and_require_none(subject, {Misuse::handle});
}

std::string test_leaked_handles(Subject& subject) {
  return drive_and_require_none(subject, {Misuse::leak});
}

std::string test_left_threads(Subject& subject) {
  Drive drive(subject, usual_options(subject));
  drive.run();  // starts threads of the host, which stay
  const size_t before = count_threads();
  const Outcome outcome = drive.run();
  subject.watch().require_none({Misuse::threads});
  if (const size_t after = count_threads_beyond(before); after > before)
    throw Failed(std::to_string(after - before) + " more threads after destroy than before create" +
                 "\n  hint: join them in destroy, or in stop of an input source");
  if (!outcome.refusal.empty()) throw Skipped("refuses: " + outcome.refusal);
  return "";
}

// A training calls the tower function in inference only if something evaluates the model.
std::string test_inference(Subject& subject) {
  Drive drive(subject, usual_options(subject));
  const Outcome outcome = drive.run({.to_the_end = false, .in_inference = true});
  subject.watch().require_answers();
  if (!outcome.refusal.empty()) throw Skipped("refuses: " + outcome.refusal);
  return "";
}

std::string test_unstable_ops(Subject& subject) {
  Drive drive(subject, usual_options(subject));
  FaultyTables tables;
  subject.watch().set_filter(tables.filter());
  const Outcome outcome = drive.run();
  subject.watch().set_filter({});
  std::set<std::string> unstable;
  for (const std::string& schema : tables.resolved())
    if (!opset().contains(schema)) unstable.insert(schema);
  const std::vector<std::string> outside(unstable.begin(), unstable.end());
  if (!outside.empty())
    return "outside of broch.opset/1, so that a later LibTorch may lack them: " +
           base::join(outside, ", ");
  if (!outcome.refusal.empty()) throw Skipped("refuses: " + outcome.refusal);
  return "";
}

}  // namespace

std::vector<Test> drive_tests() {
  return {
      {"drive", "does its work in a short run", Stage::component, &test_drive, true},
      {"statuses", "returns only documented statuses, and reasons for failures", Stage::component,
       &test_statuses, true},
      {"exceptions", "lets no exception escape", Stage::component, &test_exceptions, true},
      {"process-state", "leaves directory, locale, signals and rounding as they were",
       Stage::component, &test_process_state, true},
      {"callers", "calls the host on allowed threads, in the right role, with its own pointer",
       Stage::component, &test_callers, true},
      {"handles", "uses handles only while they are valid", Stage::component, &test_handles, true},
      {"leaked-handles", "releases the handles that it owns", Stage::component,
       &test_leaked_handles, true},
      {"left-threads", "ends its threads before destroy returns", Stage::component,
       &test_left_threads, true},
      {"inference",
       "describes its tower in inference, too",
       Stage::component,
       &test_inference,
       true,
       {"model"}},
      {"unstable-ops",
       "lists operators outside of the operator set",
       Stage::component,
       &test_unstable_ops,
       true,
       {"model", "callback", "trainer"}},
  };
}

}  // namespace broch::check
