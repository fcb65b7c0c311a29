// log_test.cpp: what a log line looks like and where it goes.
#include "base/log.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "folder.hpp"
#include "matches.hpp"

using namespace broch::base;
using broch::test::Folder;
using broch::test::read_file;

namespace {

// What `talk` says on stderr.
std::string heard(const std::function<void()>& talk) {
  const Folder folder;
  const std::string path = folder / "stderr";
  std::fflush(stderr);
  const int kept = dup(2);
  FILE* const file = std::fopen(path.c_str(), "w");
  dup2(fileno(file), 2);
  talk();
  std::fflush(stderr);
  dup2(kept, 2);
  close(kept);
  std::fclose(file);
  return read_file(path);
}

// Whether the whole text matches the expression.
bool matches(const std::string& text, const std::string& expression) {
  return support::matches(text, "^" + expression + "$");
}

}  // namespace

TEST_CASE("log: a line is time, level and message, without color") {
  const std::string line = heard([] { info("hello {}"); });
  CHECK_MESSAGE(matches(line, "[0-9]{2}:[0-9]{2}:[0-9]{2} info hello \\{\\}\n"), line);
  CHECK(matches(heard([] { log(Level::misbehavior, "m"); }), ".{8} misbehavior m\n"));
  CHECK(matches(heard([] { warning("w"); }), ".{8} warning w\n"));
}

TEST_CASE("log: color is there only when switched on") {
  set_log_color(true);
  CHECK(heard([] { error("red"); }).find("\033[") != std::string::npos);
  set_log_color(false);
  CHECK(heard([] { error("plain"); }).find("\033[") == std::string::npos);
}

TEST_CASE("log: levels below the chosen one stay silent on stderr but reach the file from info") {
  const Folder folder;
  const std::string path = folder / "log.log";
  set_log_file(path);
  set_log_level(Level::error);
  CHECK(log_level() == Level::error);
  CHECK(heard([] {
          info("quiet");
          debug("nowhere");
        }) == "");
  set_log_level(Level::debug);
  CHECK(matches(heard([] { debug("detail"); }), ".{8} debug detail\n"));
  set_log_level(Level::info);
  set_log_file("");
  heard([] { info("after closing"); });
  CHECK(matches(read_file(path), ".{8} info quiet\n.{8} debug detail\n"));
}

TEST_CASE("log: a log file is appended to") {
  const Folder folder;
  const std::string path = folder / "log.log";
  for (const char* word : {"one", "two"}) {
    set_log_file(path);
    heard([&] { info(word); });
  }
  set_log_file("");
  CHECK(matches(read_file(path), ".{8} info one\n.{8} info two\n"));
}

TEST_CASE("log: a note goes to the file alone") {
  const Folder folder;
  const std::string path = folder / "log.log";
  note("nobody");
  set_log_file(path);
  CHECK(heard([] { note("started"); }) == "");
  set_log_file("");
  CHECK(matches(read_file(path), ".{8} info started\n"));
}

TEST_CASE("log: a log file that cannot be opened is an error naming it, exit 5") {
  try {
    set_log_file("/proc/broch/none.log");
    FAIL("opened");
  } catch (const Error& failure) {
    CHECK(failure.exit() == Exit::data);
    CHECK(std::string(failure.what()).find("/proc/broch/none.log: cannot be opened") == 0);
  }
}

TEST_CASE("log: a full disk ends the log file and not the program") {
  set_log_file("/dev/full");
  const std::string text = heard([] { info("one"); });
  CHECK_MESSAGE(text.find("warning /dev/full: the log file ends here") != std::string::npos, text);
  CHECK(matches(heard([] { info("two"); }), ".{8} info two\n"));
}

TEST_CASE("log: the interlude is called around each line on stderr") {
  set_log_interlude([] { std::fputs("<", stderr); }, [] { std::fputs(">", stderr); });
  const std::string text = heard([] { info("a"); });
  set_log_interlude(nullptr, nullptr);
  CHECK(matches(text, "<.{8} info a\n>"));
}

TEST_CASE("log: lines of several threads do not mix") {
  const std::string text = heard([] {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([] {
        for (int i = 0; i < 200; ++i) info("abcdefghijklmnopqrstuvwxyz");
      });
    for (std::thread& thread : threads) thread.join();
  });
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    REQUIRE(matches(line, ".{8} info abcdefghijklmnopqrstuvwxyz"));
  CHECK(count == 800);
}
