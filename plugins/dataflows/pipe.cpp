// pipe.cpp: data points that a program in any language writes to its standard output.
// tensorpack: `DataFromGenerator` in `MultiProcessRunner`.
//
// docs/data/pipe_protocol.md describes what the program reads and writes. The cursor of a point is
// "ROUND:COUNT:CURSOR": the points of the round so far, and the program's own cursor, if it has
// set one. Without it, the program starts its round again, and what came before is passed over.
#include <dlfcn.h>

#include <algorithm>
#include <broch/broch.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "combinators/cursor_list.hpp"
#include "combinators/numbers_before.hpp"
#include "pipe/frame.hpp"
#include "pipe/process.hpp"
#include "pipe/shared_memory.hpp"

namespace {

using std::chrono::milliseconds;

enum class Restart { round, never };
enum class Errors { log, keep };

struct Options {
  std::vector<std::string> command, env;
  std::optional<std::string> cwd;
  Restart restart;
  std::optional<double> timeout;
  Errors errors;
  std::optional<int64_t> size, seed;
  int64_t max_point_bytes;

  static constexpr auto schema = broch::options(
      broch::option("command", &Options::command, "The program and its arguments.").min_items(1),
      broch::option("cwd", &Options::cwd,
                    "The working directory of the program; null: that of Broch.")
          .is_path(),
      broch::option("env", &Options::env, "Additional environment variables, \"NAME=VALUE\".")
          .pattern("^[^=]+=")
          .by_default(),
      broch::option("restart", &Options::restart,
                    "round: a new process for each round. never: one process yields all rounds.")
          .one_of("round", "never")
          .by_default("round"),
      broch::option("timeout", &Options::timeout,
                    "Maximum time for a data point; a longer time is an error. null: no limit.")
          .above(0)
          .unit("seconds")
          .by_default(300),
      broch::option("stderr", &Options::errors,
                    "log: standard error of the program goes to the log. keep: only its last lines "
                    "are kept, for error messages.")
          .one_of("log", "keep")
          .by_default("log"),
      broch::option("size", &Options::size,
                    "Number of points in a round; another number is an error. null: unknown.")
          .minimum(0),
      broch::option("seed", &Options::seed,
                    "The seed that the program gets; null: derived from the run's seed."),
      broch::option("max_point_bytes", &Options::max_point_bytes,
                    "Maximum size of a data point; a larger one is an error.")
          .minimum(1)
          .by_default(1073741824));
};

// The folder of broch_pipe.py; "" if it is not there. The plugin is lib/broch/plugins/pipe.so of
// the same prefix.
std::string python_folder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(&python_folder), &info) || !info.dli_fname) return "";
  std::error_code failed;
  const std::filesystem::path folder =
      std::filesystem::weakly_canonical(info.dli_fname, failed).parent_path() /
      "../../../share/broch/python";
  if (failed || !std::filesystem::is_directory(folder, failed)) return "";
  return folder.lexically_normal().string();
}

// Lets a Python program import broch_pipe, besides what the option env, or else the environment of
// Broch, says of PYTHONPATH.
void add_python_folder(std::vector<std::string>& environment) {
  const std::string folder = python_folder(), name = "PYTHONPATH=";
  if (folder.empty()) return;
  const auto own = std::ranges::find_if(
      environment, [&](const std::string& entry) { return entry.starts_with(name); });
  const char* const inherited = std::getenv("PYTHONPATH");
  const std::string before = own != environment.end() ? own->substr(name.size())
                             : inherited              ? inherited
                                                      : "";
  const std::string entry = name + folder + (before.empty() ? "" : ":" + before);
  if (own != environment.end())
    *own = entry;
  else
    environment.push_back(entry);
}

std::string hexadecimal(const std::string& bytes) {
  static const char* const digits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += digits[static_cast<unsigned char>(c) >> 4];
    text += digits[c & 15];
  }
  return text;
}

// A place in the points that the program gives.
struct Progress {
  uint64_t round = 0, count = 0;
  std::string cursor;  // the program's own, after count points; "" if it has set none

  std::string text() const {
    return std::to_string(round) + ":" + std::to_string(count) + ":" + cursor;
  }
  static Progress of(const std::string& text) {
    uint64_t round = 0, count = 0;
    if (const auto cursor = broch::dataflows::after_numbers<uint64_t>(text, {&round, &count}))
      return {round, count, *cursor};
    broch::dataflows::refuse_cursor(text, "pipe", "ROUND:COUNT:CURSOR");
  }
};

// A process that gives points, and what belongs to it.
struct Program {
  piped::SharedMemory shared;
  piped::Process process;
  piped::FrameReader frames;

  Program(piped::Command command, uint64_t max_point_bytes)
      : process(with_prefix(std::move(command), shared.prefix())),
        frames(process, process.name(), max_point_bytes) {}

 private:
  static piped::Command with_prefix(piped::Command command, const std::string& prefix) {
    command.environment.push_back("BROCH_PIPE_SHARED=" + prefix);
    return command;
  }
};

class Pipe final : public broch::DataFlow {
 public:
  Pipe(const broch::Host& host, const Options& options)
      : host_(host),
        options_(options),
        seed_(options.seed ? uint64_t(*options.seed) : broch::Instance(host).seed()) {
    const broch::Dist dist(host);
    rank_ = dist.rank();
    world_ = dist.world();
    command_ = {options.command, options.cwd.value_or(""), options.env, options.timeout, nullptr};
    add_python_folder(command_.environment);
    if (options.errors == Errors::log)
      command_.log = [this](const std::string& line) { host_.info(line); };
  }

  void open(const std::string& cursor) override {
    // A queue goes back to the last point before each round: that must not cost a process.
    if (state_ == State::ended && cursor == at_.text()) return;
    if (state_ != State::ended || options_.restart == Restart::round) program_.reset();
    at_ = cursor.empty() ? Progress{next_round_, 0, ""} : Progress::of(cursor);
    next_round_ = at_.round + 1;
    state_ = State::opened;
  }

  std::optional<std::string> start_cursor() override { return at_.text(); }

  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    if (state_ == State::ended) return false;
    if (state_ == State::failed)
      throw broch::Error(BROCH_E_FAILED_PRECONDITION,
                         "the program was stopped by a cancelled read; call open first");
    const State before = std::exchange(state_, State::failed);
    try {
      if (before == State::opened) start(cancel);
      state_ = read_point(cancel, point) ? State::running : State::ended;
      return state_ == State::running;
    } catch (const piped::Ended& error) {
      const std::string ending = program_->process.end(milliseconds(1000));
      fail(error, "; the program has ended with " + ending + ", expected an end frame before");
    } catch (const broch::Cancelled&) {
      program_.reset();  // another call of next would start it again, to continue after at_
      state_ = State::opened;
      throw;
    } catch (const broch::Error& error) {
      if (!program_) throw;
      program_->process.end(milliseconds(0));
      fail(error, "");
    }
  }

  std::optional<int64_t> size() override { return options_.size; }

 private:
  enum class State { opened, running, ended, failed };

  [[noreturn]] void fail(const broch::Error& error, const std::string& more) {
    const std::string words = program_->process.last_words();
    program_.reset();
    throw broch::Error(error.status(), error.what() + more + words);
  }

  void start(const broch::Cancel& cancel) {
    if (!program_)
      program_ = std::make_unique<Program>(command_, uint64_t(options_.max_point_bytes));
    program_->process.expect_output(cancel);
    const std::string cursor = at_.cursor.empty() ? "-" : hexadecimal(at_.cursor);
    program_->process.send("broch-pipe 1 " + std::to_string(at_.round) + " " +
                           std::to_string(seed_) + " " + std::to_string(rank_) + " " +
                           std::to_string(world_) + " " + cursor + "\n");
    if (options_.restart == Restart::round) program_->process.close_input();
    if (at_.count > 0 && at_.cursor.empty()) pass_over(cancel);
  }

  // A point or an end; place: as in FrameReader.
  piped::Frame read_frame(const piped::FrameReader::Place& place) {
    const piped::Frame frame = program_->frames.next([&](const piped::Component& component) {
      void* memory = place(component);
      if (!component.shared.empty())
        program_->shared.fill(
            component, memory,
            program_->process.name() + ": frame " + std::to_string(program_->frames.frames()));
      return memory;
    });
    program_->shared.give_back();
    if (frame.kind == piped::Kind::error)
      throw broch::Error(BROCH_E_DATA_LOSS,
                         program_->process.name() + ": the program reports: " + frame.text);
    return frame;
  }

  // To continue a program that sets no cursors.
  void pass_over(const broch::Cancel& cancel) {
    host_.info(program_->process.name() + ": passes over " + std::to_string(at_.count) +
               " data points that were used before, since the program sets no cursors");
    for (uint64_t i = 0; i < at_.count; ++i) {
      program_->process.expect_output(cancel);
      const piped::Frame frame =
          read_frame([](const piped::Component&) -> void* { return nullptr; });
      if (frame.kind == piped::Kind::end)
        throw broch::Error(BROCH_E_DATA_LOSS,
                           program_->process.name() + ": round " + std::to_string(at_.round) +
                               " ended after " + std::to_string(i) + " points, expected at least " +
                               std::to_string(at_.count) +
                               " as before; a round must have the same points each time");
    }
  }

  bool read_point(const broch::Cancel& cancel, broch::PointWriter& point) {
    program_->process.expect_output(cancel);
    const piped::Frame frame = read_frame([&](const piped::Component& component) {
      if (options_.size && at_.count >= uint64_t(*options_.size)) refuse_size("more");
      return point.allocate(broch::dl_type(component.dtype), component.shape.data(),
                            component.shape.size(),
                            component.name.empty() ? nullptr : component.name.c_str());
    });
    if (frame.kind == piped::Kind::end) {
      end_round();
      return false;
    }
    ++at_.count;
    at_.cursor = frame.text;
    point.set_cursor(at_.text());
    point.set_key(broch::mixed(broch::mixed(seed_, at_.round), at_.count));
    return true;
  }

  void end_round() {
    if (options_.size && at_.count != uint64_t(*options_.size))
      refuse_size(std::to_string(at_.count));
    if (options_.restart == Restart::never) return;
    piped::Process& process = program_->process;
    if (!process.ends(milliseconds(1000)))
      throw broch::Error(BROCH_E_DATA_LOSS,
                         process.name() +
                             ": found output after the end frame, expected none; a program that "
                             "gives several rounds needs \"restart\": \"never\"");
    if (!process.succeeded())
      host_.warning(process.name() + " after its end frame: " + process.end(milliseconds(0)) +
                    process.last_words());
    program_.reset();
  }

  [[noreturn]] void refuse_size(const std::string& found) const {
    throw broch::Error(BROCH_E_DATA_LOSS, program_->process.name() + ": found " + found +
                                              " points in round " + std::to_string(at_.round) +
                                              ", expected " + std::to_string(*options_.size) +
                                              "; correct size, or remove it");
  }

  broch::Host host_;
  Options options_;
  uint64_t seed_;
  uint32_t rank_, world_;
  piped::Command command_;
  std::unique_ptr<Program> program_;
  State state_ = State::failed;
  Progress at_;  // after the last point
  uint64_t next_round_ = 0;
};

}  // namespace

BROCH_DATAFLOW(Pipe, "broch.dataflow.pipe", "1.0.0",
               "Yields data points that another program writes to its standard output.",
               Options::schema)
