// error_test.cpp: what a diagnostic looks like.
#include "base/error.hpp"

#include <doctest/doctest.h>

using broch::base::Diagnostic;
using broch::base::Error;
using broch::base::Exit;

TEST_CASE("error: a diagnostic names place, found, expected and next step") {
  const Error error(Exit::manifest, Diagnostic{"run.json:3:7", "\"0,1\"", "a number above 0",
                                               "JSON numbers use a point: 0.1"});
  CHECK(error.what() == std::string("run.json:3:7: \"0,1\", expected a number above 0\n"
                                    "  hint: JSON numbers use a point: 0.1"));
  CHECK(error.exit() == Exit::manifest);
}

TEST_CASE("error: empty parts leave no trace") {
  CHECK(Error(Exit::data, Diagnostic{"", "no space", "", ""}).what() == std::string("no space"));
}

TEST_CASE("error: fail throws what its parts make") {
  try {
    broch::base::fail(Exit::usage, "--lang", "\"go\"", "c or cpp");
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    CHECK(error.what() == std::string("--lang: \"go\", expected c or cpp"));
  }
}
