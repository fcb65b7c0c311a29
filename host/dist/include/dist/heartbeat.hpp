// heartbeat.hpp: notices a rank that has ended or hangs while others wait for it without a limit.
// Ranks beat together, four times a second, on a thread and a group of their own.
#pragma once
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "dist/group.hpp"

namespace broch::dist {

class Heartbeat {
 public:
  using Lost = std::function<void(const base::Error&)>;

  // apart: a group of all ranks that nothing else uses. lost: called on the thread, once, where
  // somebody does not come within the limit of the group, or where others have leaving for longer
  // than patience and this rank has not.
  Heartbeat(std::unique_ptr<Group> apart, std::chrono::milliseconds patience, Lost lost);
  ~Heartbeat();  // beats no more; the others take that for a loss, unless all leave
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  // Returns when all have called it, or one is lost.
  void leave();

 private:
  void run();
  bool all_leave();
  void note_leaving(bool any);

  std::unique_ptr<Group> apart_;
  std::chrono::milliseconds patience_;
  std::optional<std::chrono::steady_clock::time_point> others_left_;
  Lost lost_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool leaves_ = false, stops_ = false, over_ = false;
  std::thread thread_;
};

}  // namespace broch::dist
