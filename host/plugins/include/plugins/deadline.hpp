// deadline.hpp: ends the program when a call into a plugin does not come back.
#pragma once
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace broch::plugins {

inline constexpr double kLoadSeconds = 10;  // for loading and for create

// A call that hangs in foreign code cannot be taken back, so when the time is up a thread of the
// guard prints the message and leaves the process with exit code 4 (plugin), running no destructor.
class Deadline {
 public:
  // "place: found …" as in base::Complaint; place is the file, doing is "loading" or "create".
  Deadline(const std::string& place, const std::string& doing, double seconds = kLoadSeconds);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  void wait();

  const std::string message_;
  const double seconds_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;  // protected by mutex_
  std::thread thread_;
};

}  // namespace broch::plugins
