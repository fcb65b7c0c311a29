// tests.hpp: the list of tests.
#pragma once
#include <string>
#include <vector>

namespace broch::check {

class Subject;

// Tests run in this order of stages. A test is skipped if a test of an earlier stage that it
// depends on has failed.
enum class Stage { file, load, create, component };

struct Test {
  const char* name;
  const char* summary;
  Stage stage;
  // Returns what it found, for the report. Throws Failed or Skipped.
  std::string (*run)(Subject& subject);
  bool of_component = false;            // false: of the file
  std::vector<std::string> roles = {};  // the roles it applies to; empty: all
};

const std::vector<Test>& all_tests();
// nullptr if there is no such test.
const Test* find_test(const std::string& name);

// Defined in the files of these names.
std::vector<Test> file_tests();
std::vector<Test> load_tests();
std::vector<Test> description_tests();
std::vector<Test> instance_tests();
std::vector<Test> options_tests();
std::vector<Test> drive_tests();
std::vector<Test> host_tests();
std::vector<Test> state_tests();
std::vector<Test> source_tests();
std::vector<Test> indexed_tests();
std::vector<Test> child_tests();
std::vector<Test> transform_tests();
std::vector<Test> odd_point_tests();
std::vector<Test> sink_tests();

}  // namespace broch::check
