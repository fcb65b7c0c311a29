// runner.hpp: the loop of a sweep: starts trials, watches them, stops them.
#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "launch.hpp"
#include "record.hpp"
#include "tool.hpp"

namespace broch::sweep {

class Runner {
 public:
  // REQUIRES: this process has locked the folder.
  Runner(const Spec& spec, Passed passed, Record record, std::vector<int64_t> rungs);

  // Returns when nothing is left to do, or after a signal. If it throws, the state of the trials is
  // saved, and none runs.
  base::Exit run();

  const std::vector<Trial>& trials() const { return record_.trials; }
  const std::vector<Decision>& decisions() const { return decisions_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    Child child;
    Slot slot;
    Clock::time_point start;
    bool told = false;  // to stop
    std::filesystem::file_time_type recorded{};
  };

  void tick();
  bool reap();  // true: a trial has ended, so the list has to be written
  void end(size_t index, int code);
  void watch();
  void report_new_values(size_t index);
  void decide_anew();
  void stop_what_must();
  void listen();
  void start_what_can();
  bool wants_start(size_t index) const;
  bool any_wants_start() const;
  bool is_free(size_t index);
  void start(size_t index);
  void ask_for_more();
  bool asks_for_more() const;
  bool is_complete() const;
  void stop_all();
  void wait();
  void write();
  void tell_end(size_t index);
  Slot free_slot() const;
  base::Exit exit_code() const;

  const Spec& spec_;
  const Passed passed_;
  Record record_;
  const std::vector<int64_t> rungs_;
  std::optional<Tool> tool_;
  std::vector<Decision> decisions_;
  std::map<size_t, Running> running_;                     // by index of the trial
  std::map<size_t, std::map<int64_t, double>> reported_;  // the values that the tool knows
  std::set<size_t> left_;                                 // trials that somebody else has stopped
  std::set<size_t> awaited_;                              // they still run since an earlier start
};

}  // namespace broch::sweep
