// error_test.cpp: what a complaint looks like.
#include "base/error.hpp"

#include <doctest/doctest.h>

using broch::base::Complaint;
using broch::base::Error;
using broch::base::Exit;

TEST_CASE("error: a complaint names place, found, expected and next step") {
  const Error error(Exit::manifest, Complaint{"run.json:3:7", "\"0,1\"", "a number above 0",
                                              "JSON numbers use a point: 0.1"});
  CHECK(error.what() == std::string("run.json:3:7: \"0,1\", expected a number above 0\n"
                                    "  hint: JSON numbers use a point: 0.1"));
  CHECK(error.exit() == Exit::manifest);
}

TEST_CASE("error: empty parts leave no trace") {
  CHECK(Error(Exit::data, Complaint{"", "no space", "", ""}).what() == std::string("no space"));
}
