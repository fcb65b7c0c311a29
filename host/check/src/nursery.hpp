// nursery.hpp: a process that has read and opened what all tests of a file need, and forks a
// process for each of them.
//
// A start of the program, a catalog of all plugins and LibTorch take much longer than most tests.
// So one process does this once, and each test runs in a copy of it, which is as far from the
// others as if the program had been started for it. Nothing of the plugin runs in the nursery.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "child_process.hpp"

namespace broch::check {

// The parent's side. For one thread.
class Nursery {
 public:
  // arguments: of the program, so that it calls run_nursery.
  explicit Nursery(const std::vector<std::string>& arguments);

  // As run_child. Nothing: the nursery cannot fork a process for this test, or has died over its
  // preparation, so the test needs a start of its own.
  std::optional<Ended> run(const Job& job, double seconds);
  // It was too slow, or died.
  bool is_gone() const { return gone_; }

 private:
  class Line {
   public:
    Line();
    ~Line();
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;
    int own, other;
  };
  std::optional<Ended> give_up(const Scene& scene, bool late);

  const Scene scene_;
  Line line_;
  ChildProcess process_;
  bool gone_ = false;
};

}  // namespace broch::check
