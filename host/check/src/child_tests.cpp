// child_tests.cpp: tests of components around others.
#include <atomic>
#include <list>
#include <string_view>

#include "abi/serve.hpp"
#include "broch/broch.h"
#include "drive.hpp"
#include "made_options.hpp"
#include "tests.hpp"
#include "verdict.hpp"

namespace broch::check {
namespace {

// What the host has in these places; it is the same for all children.
decltype(broch_host_instance::child) usual_child = nullptr;
decltype(broch_dataflow::next) usual_child_next = nullptr;
decltype(broch_indexed::read) usual_child_read = nullptr;
std::atomic<bool> child_is_to_fail{false}, child_has_failed{false};

// The first point that is asked for is damaged.
bool child_fails() {
  if (!child_is_to_fail.exchange(false)) return false;
  child_has_failed = true;
  abi::set_error(BROCH_E_DATA_LOSS, "a damaged point, made by broch plugin check");
  return true;
}

broch_status damaged_next(void* self, const broch_cancel* cancel, broch_point point) {
  return child_fails() ? broch_status{BROCH_E_DATA_LOSS} : usual_child_next(self, cancel, point);
}

broch_status damaged_read(void* self, uint64_t round, uint64_t index, const broch_cancel* cancel,
                          broch_point point) {
  return child_fails() ? broch_status{BROCH_E_DATA_LOSS}
                       : usual_child_read(self, round, index, cancel, point);
}

// Replaces a table by a copy with another function. Copies are never deleted, since plugins may use
// them until the process ends.
template <class Table, class Function>
void replace_entry(const void** table, Function Table::*entry, Function& usual, Function other) {
  static auto* const copies = new std::list<Table>;
  Table& copy = copies->emplace_back(*static_cast<const Table*>(*table));
  usual = copy.*entry;
  copy.*entry = other;
  *table = &copy;
}

broch_status damaged_child(const broch_host* host, const char* pointer, const char* interface_id,
                           void** self, const void** table) {
  const broch_status status = usual_child(host, pointer, interface_id, self, table);
  if (status != BROCH_OK) return status;
  if (interface_id == std::string_view(BROCH_ROLE_DATAFLOW))
    replace_entry(table, &broch_dataflow::next, usual_child_next, &damaged_next);
  if (interface_id == std::string_view(BROCH_ROLE_INDEXED))
    replace_entry(table, &broch_indexed::read, usual_child_read, &damaged_read);
  return status;
}

const void* with_damaged_children(const std::string& id, const void* table) {
  if (!table || id != BROCH_EXT_INSTANCE) return table;
  static const broch_host_instance copy = [table] {
    broch_host_instance made = *static_cast<const broch_host_instance*>(table);
    usual_child = made.child;
    made.child = &damaged_child;
    return made;
  }();
  return &copy;
}

// A component whose first role is another one gives no answers: it works in a training.
bool ends_at_once(const Outcome& outcome) {
  return !outcome.answers.empty() && outcome.answers.front().empty();
}

std::string test_child_failure(Subject& subject) {
  Drive drive(subject, usual_options(subject));
  const Outcome usual = drive.run();
  if (!usual.refusal.empty()) throw Skipped("refuses: " + usual.refusal);
  child_is_to_fail = true;
  subject.watch().set_filter(&with_damaged_children);
  const Outcome outcome = drive.run();
  subject.watch().set_filter({});
  if (!child_has_failed) throw Skipped("reads no dataflow in its options");
  subject.watch().require_answers();
  if (!outcome.refusal.empty()) return "";
  if (ends_at_once(outcome) && !ends_at_once(usual))
    throw Failed(
        "gives no points, as at the end of the data, where the first point of the dataflow in its "
        "options is damaged\n  hint: pass on what the child answers; in C++, do not catch its "
        "errors");
  return "goes on without a damaged point";
}

}  // namespace

std::vector<Test> child_tests() {
  return {
      {"child-failure",
       "does not take a failure of the dataflow in its options for the end of the data",
       Stage::component,
       &test_child_failure,
       true,
       {"dataflow"}},
  };
}

}  // namespace broch::check
