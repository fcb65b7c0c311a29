// tool.hpp: the program that chooses the parameters; docs/sweep_protocol.md describes what it reads
// and writes.
#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "child.hpp"
#include "lines.hpp"
#include "sweep/trial.hpp"

namespace broch::sweep {

class Tool {
 public:
  // Starts the program, and tells it what is known from an earlier start of the sweep.
  Tool(const Spec& spec, const std::vector<Trial>& known);
  ~Tool();
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;

  // What the program has said since the last call.
  struct News {
    std::optional<Trial> trial;  // a new one, with id and parameters
    std::vector<Value> stopped;  // ids
  };
  // may_wait: whether trials run, without which it may not wait. Throws base::Error (data)
  // if the program has ended, is late, or writes what the protocol does not allow.
  News take(const std::vector<Trial>& trials, bool may_wait);

  // Asks for the parameters of a trial. REQUIRES: may_ask.
  void ask(int64_t number);
  bool may_ask() const { return !asked_ && !waits_ && !done_; }
  bool done() const { return done_; }
  bool asked() const { return asked_.has_value(); }
  void report(const Trial& trial, int64_t epoch, double value);
  void tell(const Trial& trial, const std::string& state, std::optional<double> value);

  // Closes its input, and waits for its end; kills it if that takes longer than some seconds.
  void finish();
  const Lines& lines() const { return *lines_; }

 private:
  void send(const Value& message);
  void start(const std::vector<Trial>& known);
  void take_line(const std::string& line, const std::vector<Trial>& trials, News& news);
  void take_trial(const Value& message, const std::vector<Trial>& trials, News& news);
  void require_parameters(const Value& parameters) const;
  void require_time() const;
  [[noreturn]] void refuse(const std::string& found, const std::string& expected,
                           const std::string& hint = "") const;
  [[noreturn]] void died();

  using Clock = std::chrono::steady_clock;
  const Spec& spec_;
  std::optional<Child> child_;
  std::unique_ptr<Lines> lines_;
  int64_t line_ = 0;  // the last one that was read, from 1
  std::optional<int64_t> asked_;
  Clock::time_point since_{};  // of the question, or of the oldest message that is not written
  bool waits_ = false, done_ = false;
  bool told_ = false;  // a trial has ended since the question
};

}  // namespace broch::sweep
