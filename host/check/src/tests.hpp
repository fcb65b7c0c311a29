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
  // What it found, for the report. Throws Failed or Skipped.
  std::string (*run)(Subject& subject);
  bool of_component = false;            // else of the file
  std::vector<std::string> roles = {};  // of components it is for; empty: all
};

const std::vector<Test>& all_tests();
// nullptr: there is none.
const Test* find_test(const std::string& name);

// Each in the file of its name.
std::vector<Test> file_tests();
std::vector<Test> load_tests();
std::vector<Test> description_tests();
std::vector<Test> instance_tests();
std::vector<Test> options_tests();
std::vector<Test> drive_tests();
std::vector<Test> host_tests();
std::vector<Test> state_tests();
std::vector<Test> source_tests();

}  // namespace broch::check
