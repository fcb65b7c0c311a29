// paths_test.cpp: what a path in a manifest is relative to.
#include "value/paths.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace broch::value;

namespace {

std::string absolute_text(const char* path) {
  return absolute(Value(std::string(path)), "/data/runs").string();
}

}  // namespace

TEST_CASE("paths: relative to a folder, without detours") {
  CHECK(absolute_text("a/../b/./c") == "/data/runs/b/c");
  CHECK(absolute_text("../a") == "/data/a");
  CHECK(absolute_text("/a/b") == "/a/b");
  CHECK(absolute_text("") == "");
}

TEST_CASE("paths: a tilde at the beginning is the home directory") {
  setenv("HOME", "/home/me", 1);
  CHECK(absolute_text("~/runs/../a") == "/home/me/a");
  CHECK(absolute_text("~") == "/home/me");
  // Names that contain it, or begin with it, are names.
  CHECK(absolute_text("~a/b") == "/data/runs/~a/b");
  CHECK(absolute_text("./~/b") == "/data/runs/~/b");
  unsetenv("HOME");
  CHECK(absolute_text("~/a") == "/data/runs/~/a");
}
