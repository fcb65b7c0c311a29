// paths_test.cpp: what a path in a manifest is relative to.
#include "value/paths.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace broch::value;

namespace {

std::string absolute_text(const char* path) {
  return absolute(Value(std::string(path)), "/work/runs").string();
}

}  // namespace

TEST_CASE("paths: relative to a folder, without detours") {
  CHECK(absolute_text("a/../b/./c") == "/work/runs/b/c");
  CHECK(absolute_text("../a") == "/work/a");
  CHECK(absolute_text("/a/b") == "/a/b");
  CHECK(absolute_text("") == "");
}

TEST_CASE("paths: a tilde at the beginning is the home directory") {
  setenv("HOME", "/home/me", 1);
  CHECK(absolute_text("~/runs/../a") == "/home/me/a");
  CHECK(absolute_text("~") == "/home/me");
  // Names that contain it, or begin with it, are names.
  CHECK(absolute_text("~a/b") == "/work/runs/~a/b");
  CHECK(absolute_text("./~/b") == "/work/runs/~/b");
  unsetenv("HOME");
  CHECK(absolute_text("~/a") == "/work/runs/~/a");
}
