// deadline_test.cpp: calls that do not come back.
#include "base/deadline.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "in_child.hpp"

using broch::base::Deadline;
using broch::test::Death;
using broch::test::in_child;

TEST_CASE("deadline: a call that hangs ends the program with exit code 4 and says which") {
  const Death death = in_child([] {
    const Deadline late("/plugins/other.so", "loading", 3600);
    const Deadline deadline("'slow' (org.example.slow)", "create", 0.05);
    std::this_thread::sleep_for(std::chrono::seconds(20));
  });
  CHECK(death.exit == 4);
  CHECK(
      death.text.starts_with("error: 'slow' (org.example.slow): create did not end within 0.05 "
                             "second, expected a call that returns\n  hint: look for a loop"));
}

TEST_CASE("deadline: a call that comes back in time leaves no trace") {
  const Death death = in_child([] {
    for (int i = 0; i < 3; ++i) Deadline("slow", "create", 0.05);
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
  });
  CHECK(death.exit == 0);
  CHECK(death.text == "");
}

TEST_CASE("deadline: a process forked from one with deadlines has them as well") {
  const Deadline own("parent", "create", 3600);
  const Death death = in_child([] {
    const Deadline deadline("child", "create", 0.05);
    std::this_thread::sleep_for(std::chrono::seconds(20));
  });
  CHECK(death.exit == 4);
}
