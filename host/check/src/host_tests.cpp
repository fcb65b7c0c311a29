// host_tests.cpp: tests with hosts that lack extensions, have other table sizes, or fail.
#include <algorithm>
#include <set>

#include "base/log.hpp"
#include "base/text.hpp"
#include "cut_tables.hpp"
#include "drive.hpp"
#include "faulty_tables.hpp"
#include "made_options.hpp"
#include "tests.hpp"
#include "verdict.hpp"

namespace broch::check {
namespace {

// Runs the component with the filter. It may report errors, but only in the way that the interface
// allows.
Outcome drive_with(Subject& subject, Drive& drive, Watch::Filter filter,
                   const std::string& circumstances) {
  base::info(circumstances);  // in the output if the process crashes
  subject.watch().set_filter(std::move(filter));
  const Outcome outcome = drive.run();
  subject.watch().set_filter({});
  try {
    subject.watch().require_answers();
  } catch (const Failed& failed) {
    throw Failed(circumstances + ": " + failed.what());
  }
  return outcome;
}

// Numbers of calls between 1 and calls: the first count / 3 of them, then about count at equal
// distances.
std::vector<uint64_t> chosen(uint64_t calls, uint64_t count) {
  std::set<uint64_t> numbers;
  for (uint64_t number = 1; number <= std::min(calls, count / 3); ++number) numbers.insert(number);
  for (uint64_t i = 1; i <= count; ++i) numbers.insert(std::max<uint64_t>(1, calls * i / count));
  return {numbers.begin(), numbers.end()};
}

std::string test_absent_extensions(Subject& subject) {
  Drive drive(subject, usual_options(subject));
  const std::vector<std::string>& required = subject.component().requires_ext;
  std::vector<std::string> refusing;
  std::vector<std::string> asked;
  const Outcome usual = drive_with(
      subject, drive,
      [&asked](const std::string& id, const void* table) {
        asked.push_back(id);
        return table;
      },
      "with all extensions");
  std::sort(asked.begin(), asked.end());
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  for (const std::string& id : asked) {
    if (std::find(required.begin(), required.end(), id) != required.end()) continue;
    const Outcome outcome = drive_with(
        subject, drive,
        [&id](const std::string& wanted, const void* table) {
          return wanted == id ? nullptr : table;
        },
        "without " + id);
    if (usual.refusal.empty() && !outcome.refusal.empty()) refusing.push_back(id);
  }
  return refusing.empty() ? "" : "does not work without " + base::join(refusing, ", ");
}

std::string test_failing_host(Subject& subject) {
  Drive drive(subject, usual_options(subject));
  FaultyTables tables;
  drive_with(subject, drive, tables.filter(), "with a host that works");
  const uint64_t calls = tables.calls();
  if (calls == 0) throw Skipped("calls no function of the host that may fail");
  const std::vector<uint64_t> numbers = chosen(calls, uint64_t(subject.options().faults));
  for (const uint64_t number : numbers) {
    tables.fail_at(number);
    drive_with(subject, drive, tables.filter(),
               "with call " + std::to_string(number) + " of the host made to fail");
  }
  return std::to_string(numbers.size()) + " of " + std::to_string(calls) + " calls";
}

std::string test_table_sizes(Subject& subject) {
  Drive drive(subject, usual_options(subject));
  const Outcome usual = drive.run();
  for (const OlderSize& older : older_sizes())
    drive_with(subject, drive, cut_table(older),
               std::string(older.id) + " of " + std::to_string(older.size) + " bytes");
  const Outcome longer = drive_with(subject, drive, longer_tables(), "with longer tables");
  if (usual.refusal.empty() && !longer.refusal.empty())
    throw Failed("refuses tables longer than its headers': " + longer.refusal +
                 "\n  hint: compare sizes by BROCH_HAS, never by ==");
  if (!usual.refusal.empty()) throw Skipped("refuses: " + usual.refusal);
  return "";
}

}  // namespace

std::vector<Test> host_tests() {
  return {
      {"absent-extensions", "works without each extension that it does not require",
       Stage::component, &test_absent_extensions, true},
      {"failing-host", "tolerates the failure of each host function", Stage::component,
       &test_failing_host, true},
      {"table-sizes", "works with host tables that are longer or shorter than in its headers",
       Stage::component, &test_table_sizes, true},
  };
}

}  // namespace broch::check
