// process.hpp: a child process: its input, its output, its last words, and its end.
#pragma once
#include <sys/types.h>

#include <broch/cpp/data_point.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pipe/frame.hpp"

namespace piped {

struct Command {
  std::vector<std::string> words;
  std::string folder;                           // in which it runs; "": that of this process
  std::vector<std::string> environment;         // "NAME=VALUE", besides that of this process
  std::optional<double> timeout;                // seconds without output; no value: no limit
  std::function<void(const std::string&)> log;  // receives each line of the standard error
};

// A process group of its own, of which nothing is left after the object is gone. One thread at a
// time may use it.
class Process final : public Bytes {
 public:
  // Throws Error if it cannot be started.
  explicit Process(const Command& command);
  ~Process() override { end(std::chrono::milliseconds(0)); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // What send and read obey, from now on: the limit of time begins anew. Borrowed.
  void expect_output(const broch::Cancel& cancel);

  // Writes to the standard input. A process that has closed it or does not read is no failure
  // here: it will show in what the process writes.
  void send(std::string_view text);
  void close_input();
  // Reads the standard output. Throws Cancelled, or Error when the time is over.
  size_t read(void* memory, size_t size) override;
  // Waits for the end of the output, and of the process. False: there was more output.
  bool ends(std::chrono::milliseconds patience);

  // Ends the process group: waits so long for the process, then terminates and finally kills it.
  // How it ended: "exit code 1", "signal 9 (Killed)", "killed, since it did not end".
  std::string end(std::chrono::milliseconds patience);
  bool succeeded() const { return ending_ == "exit code 0"; }
  // The last lines of its standard error, for the end of a message; "" for none.
  std::string last_words();
  // The command, shortened, for messages.
  const std::string& name() const { return name_; }

 private:
  // Waits until a descriptor is ready, and takes what stands on the standard error meanwhile.
  void wait_for(int descriptor, short event);
  void read_errors();
  void end_errors();
  void take_line(std::string line);
  bool exited(std::chrono::milliseconds patience) const;

  Command command_;
  std::string name_;
  pid_t process_ = -1;
  int input_ = -1, output_ = -1, errors_ = -1;
  std::string ending_;  // "" while the process is there
  const broch::Cancel* cancel_ = nullptr;
  std::chrono::steady_clock::time_point deadline_;
  std::string line_;  // begun on the standard error
  std::deque<std::string> lines_;
};

}  // namespace piped
