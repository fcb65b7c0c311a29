// thread.hpp: a thread of which a test can say that it waits.
#pragma once
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace broch::test {

class Thread {
 public:
  template <class Body>
  explicit Thread(Body body)
      : thread_([this, body] {
          id_ = gettid();
          body();
        }) {}
  // Until it waits, or has ended.
  void settle() const {
    while (id_ == 0) std::this_thread::yield();
    const std::string path = "/proc/self/task/" + std::to_string(id_) + "/stat";
    for (std::string number, name, state; state != "S";) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (!(std::ifstream(path) >> number >> name >> state)) return;
    }
  }
  void join() { thread_.join(); }

 private:
  std::atomic<pid_t> id_{0};
  std::thread thread_;
};

}  // namespace broch::test
