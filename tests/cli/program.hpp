// program.hpp: the program started as in a shell: arguments in; exit code, stdout and stderr out.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli_harness/cli_harness.hpp"

namespace broch::cli_test {

using cli_harness::Folder;
using cli_harness::Json;
using test::read_file;
using Words = std::vector<std::string>;

struct Outcome {
  int exit_code;  // 128 + n after signal n
  std::string out, err;
};

// What surrounds a start.
struct Surroundings {
  std::map<std::string, std::string> environment{};  // on top of this one, less colors and TERM
  std::filesystem::path folder{};                    // to start in; "": this process's
  uint64_t file_bytes = 0;                           // limit of a written file; 0: none
  bool bound_by_rights = false;                      // files' rights count even for root
  std::string program{};                             // "": broch
  unsigned short columns = 0;                        // of on_terminal; 0: not known
};

// A start that may still run.
class Start {
 public:
  explicit Start(const Words& arguments, const Surroundings& surroundings = {});
  void signal(int number) const;
  // Until a file holds the text; false when that takes half a minute.
  static bool wait_for(const std::filesystem::path& file, const std::string& text);
  // Its standard output so far.
  std::filesystem::path out() const { return folder_.path() / "out"; }
  Outcome finish();  // once

 private:
  Folder folder_;
  pid_t pid_;
};

Outcome run(const Words& arguments, const Surroundings& surroundings = {});
// What a command that can print JSON prints; checks that it succeeds and prints nothing else.
Json json_of(Words arguments);
// stdout and stderr of a start on a terminal, mixed as a person sees them.
std::string on_terminal(const Words& arguments, const Surroundings& surroundings = {});

// Writes a file of the folder, and the folders that its name leads to; answers its path.
std::string written(const Folder& folder, const std::string& name, const std::string& text);

// The words of a text with one space before each, wherever its lines end.
std::string one_spaced(const std::string& text);
bool holds(const std::string& text, const std::string& part);
// Whether the parts stand in the text in this order.
bool holds_in_order(const std::string& text, const Words& parts);

constexpr int kLong = 100000;  // epochs: more than a test waits for

// A manifest that needs no LibTorch (--runtime null): steps of nothing, a callback that writes its
// events to folder/events and waits in each step.
class Quick {
 public:
  explicit Quick(double seconds_a_step = 0, int epochs = 2);
  const std::filesystem::path& folder() const { return folder_.path(); }
  std::string manifest() const { return folder_.path() / "quick.json"; }
  std::string log_dir() const { return folder_.path() / "log"; }
  std::filesystem::path events() const { return folder_.path() / "events"; }
  // train --runtime null MANIFEST log_dir=… words
  Words train(const Words& words = {}) const;

 private:
  Folder folder_;
};

// The digits sample, three epochs of a narrow network: COMMAND MANIFEST overrides words. An
// override among the words takes the place of the one for the same path.
Words digits(const Words& command, const Words& words = {});
// Such a training that ran once for all tests.
const std::filesystem::path& trained_digits();

}  // namespace broch::cli_test
