// indexed_tests.cpp: tests of dataflows that are read by index.
#include <algorithm>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include "abi/roles.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "drive.hpp"
#include "made_options.hpp"
#include "runtime/cancel.hpp"
#include "tests.hpp"
#include "verdict.hpp"

namespace broch::check {
namespace {

constexpr uint64_t kRounds = 2;
constexpr uint64_t kPoints = 12;    // of a round, at most
constexpr int64_t kCounted = 1000;  // a round of more points is only read here and there
constexpr unsigned kThreads = 4;
constexpr const char* kEnd = "the end";

struct Read {
  bool failed = false;
  std::string words;  // of the point, or kEnd, or the error
  std::string cursor = {};
};

// An instance of the dataflow. Skips the test if it cannot be read by index.
class Reader {
 public:
  explicit Reader(Subject& subject) : world_(subject) {
    try {
      made_ = world_.make(entry_of(subject, usual_options(subject)));
      if (!abi::Indexed::plays(*made_->instance)) throw Skipped("is not read by index");
      indexed_ = abi::Indexed::make(*made_->instance);
      indexed_->reset_state();
    } catch (const base::Error& error) {
      throw Skipped("refuses: " + std::string(error.what()));
    }
  }
  abi::Indexed& indexed() { return *indexed_; }

  // [any thread]
  Read read(const abi::Position& at) try {
    runtime::Point point;
    const runtime::LentPoint lent(point);
    const broch_status status = indexed_->read(at, cancel_.c(), lent.handle());
    if (status == BROCH_OK) return {.words = words_of(point), .cursor = point.cursor};
    if (point.size() > 0)
      return {.failed = true, .words = "components, although the round has ended"};
    return {.words = status == BROCH_END ? kEnd : "cancelled"};
  } catch (const base::Error& error) {
    return {.failed = true, .words = "the error " + base::quoted(error.what())};
  }

 private:
  runtime::Cancel cancel_;
  World world_;
  std::unique_ptr<Made> made_;
  std::optional<abi::Indexed> indexed_;
};

std::string words_of(const abi::Position& at) {
  return "point " + std::to_string(at.index) + " of round " + std::to_string(at.round);
}

struct Known {
  abi::Position at;
  Read read;
};

// The first points of each round in order, with the end of the round if it is among them.
std::vector<Known> read_in_order(Reader& reader) {
  std::vector<Known> all;
  for (uint64_t round = 0; round < kRounds; ++round)
    for (uint64_t index = 0; index < kPoints; ++index) {
      const abi::Position at{round, index};
      all.push_back({at, reader.read(at)});
      if (all.back().read.failed) throw Skipped("refuses: " + all.back().read.words);
      if (all.back().read.words == kEnd) break;
    }
  if (all.front().read.words == kEnd) throw Skipped("gives no points");
  return all;
}

// "": the same.
std::string difference(Reader& reader, const Known& known, const char* circumstances) {
  const Read found = reader.read(known.at);
  if (found.words == known.read.words && found.cursor == known.read.cursor) return "";
  return words_of(known.at) + " " + circumstances + " is " + found.words + ", expected " +
         known.read.words +
         " as when read in order\n  hint: a point depends on round and index alone; read changes "
         "nothing in the instance";
}

void require_same(Reader& reader, const std::vector<Known>& all, const char* circumstances) {
  for (const Known& known : all)
    if (const std::string text = difference(reader, known, circumstances); !text.empty())
      throw Failed(text);
}

void require_same_on_threads(Reader& reader, const std::vector<Known>& all) {
  std::mutex mutex;
  std::string first;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      std::vector<Known> order = all;
      std::shuffle(order.begin(), order.end(), std::mt19937{t});
      for (int repeat = 0; repeat < 5; ++repeat)
        for (const Known& known : order) {
          const std::string text = difference(reader, known, "on 4 threads at once");
          const std::lock_guard lock(mutex);
          if (first.empty()) first = text;
        }
    });
  for (std::thread& thread : threads) thread.join();
  if (!first.empty()) throw Failed(first);
}

std::string test_reads(Subject& subject) {
  subject.library();
  Reader first(subject);
  std::vector<Known> all = read_in_order(first);
  require_same(first, all, "read again");
  std::shuffle(all.begin(), all.end(), std::mt19937{7});
  require_same(first, all, "read in another order");
  Reader second(subject);
  require_same(second, all, "read first in another instance");
  require_same_on_threads(first, all);
  return std::to_string(all.size()) + " reads";
}

void require_point(Reader& reader, uint64_t index, int64_t size) {
  const Read read = reader.read({0, index});
  if (read.failed || read.words == kEnd)
    throw Failed("says that a round has " + std::to_string(size) + " points, but at index " +
                 std::to_string(index) + " there is " + read.words);
}

void require_end(Reader& reader, uint64_t index, int64_t size) {
  const Read read = reader.read({0, index});
  if (read.failed || read.words != kEnd)
    throw Failed("says that a round has " + std::to_string(size) + " points, but at index " +
                 std::to_string(index) + " there is " + read.words + ", expected " + kEnd);
}

std::string test_size(Subject& subject) {
  subject.library();
  Reader reader(subject);
  int64_t size = 0;
  if (!reader.indexed().size(&size)) throw Skipped("does not know its size");
  if (size > 0 && reader.read({0, 0}).failed)
    throw Skipped("refuses: " + reader.read({0, 0}).words);
  const int64_t step = std::max<int64_t>(1, size / kCounted);
  for (int64_t index = 0; index < size; index += step) require_point(reader, uint64_t(index), size);
  if (size > 0) require_point(reader, uint64_t(size) - 1, size);
  for (const uint64_t beyond :
       {uint64_t(size), uint64_t(size) + 1, uint64_t{1} << 32, uint64_t{INT64_MAX}, UINT64_MAX})
    if (beyond >= uint64_t(size)) require_end(reader, beyond, size);
  return std::to_string(size) + " points";
}

// The point with the cursor was at this position.
void require_located(Reader& reader, const std::string& cursor, const std::string& of,
                     const abi::Position& next) {
  const abi::Position found = reader.indexed().locate(cursor);
  const std::string expected = reader.read(next).words, words = reader.read(found).words;
  if (words != expected)
    throw Failed("locate takes the cursor " + base::quoted(cursor) + " of " + of + " for " +
                 words_of(found) + ", which is " + words + ", expected " + expected +
                 ", which is " + words_of(next));
}

// A checkpoint may be of another dataflow.
void try_foreign_cursors(Subject& subject, Reader& reader) {
  for (const std::string& cursor :
       {std::string("x"), std::string("0"), std::string("0:"), std::string(":0"),
        std::string("0:x"), std::string("-1:-1"), std::string(1, '\0'), std::string("7:7:7:7:7"),
        std::string("18446744073709551616:0"), std::string("0:18446744073709551615"),
        std::string(BROCH_CURSOR_SIZE_MAX, '9')}) {
    base::info("the cursor is " + base::quoted(cursor.substr(0, 40)));
    try {
      reader.read(reader.indexed().locate(cursor));
    } catch (const base::Error&) {  // as it should be
    }
    subject.watch().require_answers();
  }
}

std::string test_locate(Subject& subject) {
  subject.library();
  Reader reader(subject);
  if (!reader.indexed().table().locate) throw Skipped("has no cursors of its own");
  const std::vector<Known> all = read_in_order(reader);
  try {
    for (uint64_t round = 0; round < kRounds; ++round)
      require_located(reader, std::to_string(round) + ":0", "a beginning", {round, 0});
    for (const Known& known : all)
      if (known.read.words != kEnd && !known.read.cursor.empty())
        require_located(reader, known.read.cursor, words_of(known.at),
                        {known.at.round, known.at.index + 1});
  } catch (const base::Error& error) {
    throw Failed("locate refuses a cursor that read has set: " + std::string(error.what()));
  }
  try_foreign_cursors(subject, reader);
  return "";
}

}  // namespace

std::vector<Test> indexed_tests() {
  return {
      {"reads",
       "gives the same point at an index, again, in any order, on several threads",
       Stage::component,
       &test_reads,
       true,
       {"dataflow"}},
      {"size",
       "has as many points as its size says, and ends there",
       Stage::component,
       &test_size,
       true,
       {"dataflow"}},
      {"locate",
       "finds the position that a cursor of its own names",
       Stage::component,
       &test_locate,
       true,
       {"dataflow"}},
  };
}

}  // namespace broch::check
