// noun_test.cpp: articles and plurals.
#include "base/noun.hpp"

#include <doctest/doctest.h>

using namespace broch::base;

TEST_CASE("noun: one of a kind has no plural") {
  CHECK(counted(1, "callback") == "1 callback");
  CHECK(counted(0, "callback") == "0 callbacks");
  CHECK(counted(2, "callback") == "2 callbacks");
  CHECK(counted(1, "entry", "entries") == "1 entry");
  CHECK(counted(2, "entry", "entries") == "2 entries");
}

TEST_CASE("noun: the article goes by the first letter") {
  CHECK(with_article("dataflow") == "a dataflow");
  CHECK(with_article("optimizer") == "an optimizer");
  CHECK(with_article("input_source") == "an input_source");
}
