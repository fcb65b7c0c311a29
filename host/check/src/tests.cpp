// tests.cpp: the list of tests, in the order of the report.
#include "tests.hpp"

#include "check/check.hpp"

namespace broch::check {

const std::vector<Test>& all_tests() {
  static const std::vector<Test> tests = [] {
    std::vector<Test> all;
    for (const auto list :
         {file_tests, load_tests, description_tests, instance_tests, options_tests, drive_tests,
          host_tests, state_tests, source_tests, indexed_tests, child_tests, transform_tests,
          odd_point_tests, sink_tests})
      for (const Test& test : list()) all.push_back(test);
    return all;
  }();
  return tests;
}

const Test* find_test(const std::string& name) {
  for (const Test& test : all_tests())
    if (name == test.name) return &test;
  return nullptr;
}

std::vector<TestInfo> list_tests() {
  std::vector<TestInfo> list;
  for (const Test& test : all_tests()) list.push_back({test.name, test.summary, test.of_component});
  return list;
}

}  // namespace broch::check
