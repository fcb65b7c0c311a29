// heartbeat.hpp: notices a rank that has ended or hangs while others wait for it without a limit.
// Four times a second all ranks exchange a message, on a thread and in a group of their own.
#pragma once
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "dist/group.hpp"

namespace broch::dist {

class Heartbeat {
 public:
  using Lost = std::function<void(const base::Error&)>;

  // `group` is a group of all ranks that nothing else uses. `lost` is called once, on the
  // heartbeat's thread, in two cases: a rank does not take part within the time limit of the group;
  // or other ranks have called leave(), and this rank has not done so for longer than `patience`
  // since.
  Heartbeat(std::unique_ptr<Group> group, std::chrono::milliseconds patience, Lost lost);
  ~Heartbeat();  // stops; the others take this for a loss, unless all ranks have called leave()
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  // Returns when all ranks have called it, or when one is lost.
  void leave();
  // The ranks that had called it by the last message. [any]
  std::vector<uint32_t> left();

 private:
  void run();
  bool all_leave();
  void note_leaving(bool stays);

  std::unique_ptr<Group> group_;
  std::chrono::milliseconds patience_;
  std::optional<std::chrono::steady_clock::time_point> others_left_;
  Lost lost_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool leaves_ = false, stops_ = false, over_ = false;
  std::vector<uint32_t> left_;  // written by the thread
  std::thread thread_;
};

}  // namespace broch::dist
