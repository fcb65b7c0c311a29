// sink_tests.cpp: tests of what a sink writes, and of what it does if it cannot write.
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <optional>

#include "base/error.hpp"
#include "base/log.hpp"
#include "made_options.hpp"
#include "process_state.hpp"
#include "sink_work.hpp"
#include "tests.hpp"
#include "verdict.hpp"

namespace broch::check {
namespace {

namespace fs = std::filesystem;

constexpr int kAbandoned = 20;  // files that are not written to their end

// An instance of the sink and the file that it writes. Skips the test if the sink cannot be made.
class Writer {
 public:
  explicit Writer(Subject& subject) : world_(subject) {
    try {
      made_ = world_.make(entry_of(subject, usual_options(subject)));
    } catch (const base::Error& error) {
      throw Skipped("refuses: " + std::string(error.what()));
    }
    work_.emplace(subject, *made_->instance);
  }
  SinkWork& work() { return *work_; }
  void destroy() { made_.reset(); }

 private:
  World world_;
  std::unique_ptr<Made> made_;
  std::optional<SinkWork> work_;
};

// What the sink reports; "": nothing.
template <class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
    return "";
  } catch (const base::Error& error) {
    return error.what();
  }
}

uint64_t largest(const std::map<std::string, uint64_t>& files) {
  uint64_t bytes = 0;
  for (const auto& [name, size] : files) bytes = std::max(bytes, size);
  return bytes;
}

std::string words_of(const std::map<std::string, uint64_t>& files) {
  std::string text;
  for (const auto& [name, size] : files)
    text += (text.empty() ? "" : ", ") + name + " of " + std::to_string(size) + " bytes";
  return text.empty() ? "no file" : text;
}

// Calls that write more than these bytes to a file fail as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(uint64_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit less{std::min<rlim_t>(bytes, before_.rlim_max), before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &less);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

// Writes a file of these points. Returns the refusal, "" for none.
std::string write_and_compare(Subject& subject, const MadePoint& point) {
  Writer writer(subject);
  const std::string refusal = refusal_of([&] { writer.work().write(point); });
  if (!refusal.empty()) return refusal;
  const auto closed = writer.work().files();
  if (closed.empty())
    throw Failed("reports no error for points of " + point.what() +
                 ", but there is no file in the folder after close\n  hint: write the file at the "
                 "path that open gets, or beside it");
  writer.destroy();
  if (const auto later = writer.work().files(); later != closed)
    throw Failed("left " + words_of(closed) + " after close, but " + words_of(later) +
                 " after destroy, for points of " + point.what() +
                 "\n  hint: complete the files in close, which can report an error");
  return "";
}

std::string test_writes(Subject& subject) {
  subject.library();
  const std::vector<MadePoint> points = usual_points();
  size_t taken = 0;
  std::string refusal;
  for (const MadePoint& point : points) {
    base::info("points of " + point.what());  // in the output if the process crashes
    const std::string refused = write_and_compare(subject, point);
    subject.watch().require_answers();
    taken += refused.empty();
    if (!refused.empty()) refusal = refused;
  }
  if (taken == 0) throw Skipped("refuses all points: " + refusal);
  return std::to_string(taken) + " of " + std::to_string(points.size()) + " kinds of points";
}

// An error or a file that was written is right. An error without a file is what the host expects.
void require_honest(const std::string& refusal, bool is_written, const std::string& target) {
  if (refusal.empty() && !is_written)
    throw Failed("reports no error, although it could not write: " + target +
                 "\n  hint: check what opening, writing and closing a file return, in close at "
                 "the latest");
}

void try_full_disk(Subject& subject, const MadePoint& point) {
  Writer usual(subject);
  if (const auto refusal = refusal_of([&] { usual.work().write(point); }); !refusal.empty())
    throw Skipped("refuses all points: " + refusal);
  const uint64_t bytes = largest(usual.work().files());
  Writer writer(subject);
  std::string refusal;
  {
    const FullDisk full(bytes / 2);
    refusal = refusal_of([&] { writer.work().write(point); });
    writer.destroy();
  }
  require_honest(refusal, largest(writer.work().files()) >= bytes,
                 "a disk that is full after " + std::to_string(bytes / 2) + " of " +
                     std::to_string(bytes) + " bytes");
}

std::string test_targets(Subject& subject) {
  subject.library();
  const MadePoint point = point_for(subject, usual_options(subject));
  try_full_disk(subject, point);
  const auto attempt = [&](const char* target, auto prepare) {
    base::info(target);
    Writer writer(subject);
    prepare(writer.work().path());
    const auto before = writer.work().files();
    const std::string refusal = refusal_of([&] { writer.work().write(point); });
    require_honest(refusal, writer.work().files() != before, target);
    subject.watch().require_answers();
  };
  attempt("a folder that does not exist",
          [](const fs::path& path) { fs::remove_all(path.parent_path()); });
  attempt("a folder with the name of the file",
          [](const fs::path& path) { fs::create_directories(path / "more"); });
  attempt("a file that exists already",
          [](const fs::path& path) { std::ofstream(path) << "something else\n"; });
  return "";
}

void abandon(Subject& subject, const MadePoint& point, int number) {
  Writer writer(subject);
  refusal_of([&] {
    if (number % 3 > 0) writer.work().open();
    if (number % 3 > 1) writer.work().put(point);
  });
}

// The host does not call close after an error or an interruption.
std::string test_abandoned(Subject& subject) {
  subject.library();
  const MadePoint point = point_for(subject, usual_options(subject));
  Writer first(subject);
  const std::string refusal = refusal_of([&] { first.work().write(point); });
  if (!refusal.empty()) throw Skipped("refuses all points: " + refusal);
  first.destroy();
  for (int number = 0; number < 3; ++number) abandon(subject, point, number);
  const size_t files = count_files(), threads = count_threads();
  for (int number = 0; number < kAbandoned; ++number) abandon(subject, point, number);
  subject.watch().require_answers();
  if (count_files() > files)
    throw Failed(std::to_string(count_files() - files) + " more open files after " +
                 std::to_string(kAbandoned) + " instances were destroyed without close" +
                 "\n  hint: close them in destroy");
  if (const size_t now = count_threads_beyond(threads); now > threads)
    throw Failed(std::to_string(now - threads) + " more threads after " +
                 std::to_string(kAbandoned) + " instances were destroyed without close" +
                 "\n  hint: join them in destroy");
  Writer second(subject);
  if (const auto refused = refusal_of([&] { second.work().write(point); }); !refused.empty())
    throw Failed("refuses points after other instances were destroyed without close: " + refused);
  if (second.work().files() != first.work().files())
    throw Failed("writes " + words_of(second.work().files()) +
                 " after other instances were destroyed without close, expected " +
                 words_of(first.work().files()) + " as before");
  return "";
}

}  // namespace

std::vector<Test> sink_tests() {
  return {
      {"writes",
       "has written its file when close returns, for each kind of data point that it takes",
       Stage::component,
       &test_writes,
       true,
       {"sink"}},
      {"targets",
       "reports an error if the file cannot be written",
       Stage::component,
       &test_targets,
       true,
       {"sink"}},
      {"abandoned",
       "leaves nothing behind if it is destroyed before close",
       Stage::component,
       &test_abandoned,
       true,
       {"sink"}},
  };
}

}  // namespace broch::check
