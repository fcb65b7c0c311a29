// source_tests.cpp: tests of cursors and cancellation in dataflows and input sources.
#include <chrono>
#include <thread>

#include "abi/roles.hpp"
#include "base/error.hpp"
#include "drive.hpp"
#include "made_options.hpp"
#include "runtime/cancel.hpp"
#include "tests.hpp"
#include "verdict.hpp"

namespace broch::check {
namespace {

constexpr size_t kPoints = 12;
constexpr std::chrono::milliseconds kWorking{200};  // before cancel is called
constexpr std::chrono::seconds kGivingUp{2};

// Uses a dataflow, or an input source, in the way a trainer does.
class Source {
 public:
  explicit Source(Subject& subject, uint32_t towers = 1)
      : world_(subject), made_(world_.make(entry_of(subject, usual_options(subject)))) {
    abi::Instance& instance = *made_->instance;
    if (subject.component().role == "dataflow") {
      flow_ = abi::DataFlow::make(instance);
      flow_->reset_state();
      return;
    }
    input_ = abi::InputSource::make(instance);
    input_->setup({abi::InputSpec{"x", BROCH_FLOAT32, {}, {}}});
    input_->set_towers(towers);
  }
  ~Source() {
    try {
      cancel_.cancel();
      if (input_) input_->stop();
    } catch (const base::Error&) {  // the test "drive" reports it
    }
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  void open() {
    if (flow_) return flow_->open(nullptr, 0);
    input_->reset_state();
  }
  // No value: the source does not give it.
  std::optional<std::string> start_cursor() { return flow_ ? flow_->start_cursor() : std::nullopt; }
  // Returns false if the source cannot resume.
  bool open_after(const std::string& cursor) {
    if (flow_) return flow_->open(cursor.data(), cursor.size()), true;
    return resume(std::span(&cursor, 1));
  }
  // Of an input source.
  bool resume(std::span<const std::string> cursors) {
    if (!input_->can_resume()) return false;
    input_->resume(cursors);
    return input_->can_resume();
  }
  broch_status next(runtime::Point& point, uint32_t tower = 0) {
    const runtime::LentPoint lent(point);
    return flow_ ? flow_->next(cancel_.c(), lent.handle())
                 : input_->next(tower, cancel_.c(), lent.handle());
  }
  runtime::Cancel& cancel() { return cancel_; }

 private:
  runtime::Cancel cancel_;
  World world_;
  std::unique_ptr<Made> made_;
  std::optional<abi::DataFlow> flow_;
  std::optional<abi::InputSource> input_;
};

struct DrawnPoints {
  std::vector<std::string> words;
  std::vector<std::string> cursors;  // of the points that have one
};

DrawnPoints take(Source& source, size_t count) {
  DrawnPoints drawn;
  while (drawn.words.size() < count) {
    runtime::Point point;
    if (source.next(point) != BROCH_OK) break;
    drawn.words.push_back(words_of(point));
    if (point.has_cursor) drawn.cursors.push_back(point.cursor);
  }
  return drawn;
}

// rest: what came after point `after` - 1 of the same iteration. where: for the message.
void require_same(const DrawnPoints& whole, const DrawnPoints& rest, size_t after,
                  const std::string& where) {
  for (size_t i = 0; i < rest.words.size() || after + i < whole.words.size(); ++i) {
    const std::string expected =
        after + i < whole.words.size() ? whole.words[after + i] : "the end";
    const std::string found = i < rest.words.size() ? rest.words[i] : "the end";
    if (found != expected)
      throw Failed("continued " + where + ", point " + std::to_string(after + i) + " is " + found +
                   ", expected " + expected + " as without a break");
  }
}

// Takes points until the source is cancelled, then calls next once more, which must return soon.
void take_until_cancelled(Source& source) {
  while (!source.cancel().cancelled()) {
    runtime::Point point;
    if (source.next(point) == BROCH_END && !source.cancel().wait(1'000'000)) source.open();
  }
  runtime::Point last;
  source.next(last);
}

// Each round may have another order. Compares a few of them with the same round in another instance
// that never had the rounds before it. Returns how many; 0 if the source gives no such cursors.
size_t compare_rounds(Subject& subject, Source& first) {
  constexpr size_t kRounds = 3;
  for (size_t round = 0; round < kRounds; ++round) {
    first.open();
    const std::optional<std::string> start = first.start_cursor();
    if (!start) return round;
    const DrawnPoints whole = take(first, kPoints);
    Source second(subject);
    second.open_after(*start);
    require_same(whole, take(second, kPoints), 0,
                 "at the start of round " + std::to_string(round + 1));
  }
  return kRounds;
}

// Those of a run in which an evaluation took a point for the first of two towers after all others:
// that one comes once more. Empty: the source gives none.
std::vector<std::string> cursors_of_two_towers(Subject& subject) try {
  Source source(subject, 2);
  source.open();
  std::vector<std::string> cursors(3);
  for (const uint32_t tower : {0u, 1u, 0u}) {
    runtime::Point point;
    if (source.next(point, tower) != BROCH_OK || !point.has_cursor) return {};
    cursors[tower] = cursors.back() = point.cursor;
  }
  return cursors;
} catch (const base::Error&) {  // it may be for one tower only
  return {};
}

void resume_two_towers(Subject& subject) {
  const std::vector<std::string> cursors = cursors_of_two_towers(subject);
  if (cursors.empty()) return;
  Source source(subject, 2);
  try {
    source.resume(cursors);
    for (const uint32_t tower : {0u, 1u}) {
      runtime::Point point;
      source.next(point, tower);
    }
  } catch (const base::Error& error) {
    throw Failed("resumed with three cursors for two towers: " + std::string(error.what()));
  }
}

std::string test_cursors(Subject& subject) try {
  subject.library();
  Source first(subject);
  first.open();
  const DrawnPoints whole = take(first, kPoints);
  if (whole.words.empty()) throw Skipped("gives no points");
  if (whole.cursors.size() < whole.words.size())
    throw Skipped("gives points without cursors: runs resume, but not with the same bits");
  for (const size_t after : {size_t{1}, whole.words.size() / 2, whole.words.size()}) {
    if (after == 0 || after > whole.words.size()) continue;
    Source second(subject);
    if (!second.open_after(whole.cursors[after - 1])) throw Skipped("cannot resume");
    require_same(whole, take(second, kPoints - after), after,
                 "after point " + std::to_string(after - 1));
  }
  if (subject.component().role == "input_source") resume_two_towers(subject);
  const size_t rounds = compare_rounds(subject, first);
  return std::to_string(whole.words.size()) + " points" +
         (rounds ? ", " + std::to_string(rounds) + " starts" : "");
} catch (const base::Error& error) {
  throw Skipped("refuses: " + std::string(error.what()));
}

std::string test_cancel(Subject& subject) try {
  subject.library();
  Source source(subject);
  source.open();
  std::atomic<bool> done{false};
  std::thread watch([&] {
    std::this_thread::sleep_for(kWorking);
    source.cancel().cancel();
    const auto end = std::chrono::steady_clock::now() + kGivingUp;
    while (!done && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (!done) fail_and_leave("next did not return within 2 s of cancel");
  });
  std::exception_ptr error;
  try {
    take_until_cancelled(source);
  } catch (const base::Error&) {
    error = std::current_exception();
  }
  done = true;
  watch.join();
  if (error) std::rethrow_exception(error);
  return "";
} catch (const base::Error& error) {
  throw Skipped("refuses: " + std::string(error.what()));
}

}  // namespace

std::vector<Test> source_tests() {
  return {
      {"cursors",
       "continues after the point that a cursor names, or where an iteration starts",
       Stage::component,
       &test_cursors,
       true,
       {"dataflow", "input_source"}},
      {"cancel",
       "returns within two seconds when it is cancelled",
       Stage::component,
       &test_cancel,
       true,
       {"dataflow", "input_source"}},
  };
}

}  // namespace broch::check
