// tests.hpp: the tests by name.
#pragma once
#include <string>
#include <vector>

namespace broch::check {

class Subject;

// When a test comes: one of a later stage is left out when one it builds on has failed.
enum class Stage { file, load, create, component };

struct Test {
  const char* name;
  const char* summary;
  Stage stage;
  bool of_component;
  std::vector<std::string> roles;  // of components it is for; empty: all
  // What it found, for the report. Throws Failed or Skipped.
  std::string (*run)(Subject& subject);
};

const std::vector<Test>& all_tests();
// nullptr: there is none.
const Test* find_test(const std::string& name);

// file_tests.cpp
std::string test_readable(Subject& subject);
std::string test_exports(Subject& subject);
std::string test_unique_symbols(Subject& subject);
std::string test_needed_libraries(Subject& subject);
std::string test_symbol_versions(Subject& subject);
// load_tests.cpp
std::string test_load(Subject& subject);
std::string test_quiet_load(Subject& subject);
std::string test_unload(Subject& subject);
std::string test_metadata(Subject& subject);
// description_tests.cpp
std::string test_options_schema(Subject& subject);
std::string test_known_names(Subject& subject);
// instance_tests.cpp
std::string test_create(Subject& subject);
std::string test_interfaces(Subject& subject);
std::string test_create_destroy(Subject& subject);
// options_tests.cpp
std::string test_invalid_options(Subject& subject);
std::string test_made_options(Subject& subject);
std::string test_changed_options(Subject& subject);
// drive_tests.cpp
std::string test_drive(Subject& subject);
std::string test_statuses(Subject& subject);
std::string test_exceptions(Subject& subject);
std::string test_process_state(Subject& subject);
std::string test_callers(Subject& subject);
std::string test_handles(Subject& subject);
std::string test_leaked_handles(Subject& subject);
std::string test_left_threads(Subject& subject);
std::string test_unstable_ops(Subject& subject);
// host_tests.cpp
std::string test_absent_extensions(Subject& subject);
std::string test_failing_host(Subject& subject);
std::string test_table_sizes(Subject& subject);
// state_tests.cpp
std::string test_state(Subject& subject);
std::string test_two_instances(Subject& subject);
// source_tests.cpp
std::string test_cursors(Subject& subject);
std::string test_cancel(Subject& subject);

}  // namespace broch::check
