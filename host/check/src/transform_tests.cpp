// transform_tests.cpp: tests that a transform is pure.
#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include "abi/roles.hpp"
#include "applied.hpp"
#include "base/error.hpp"
#include "made_options.hpp"
#include "made_points.hpp"
#include "tests.hpp"
#include "verdict.hpp"
#include "world.hpp"

namespace broch::check {
namespace {

constexpr uint64_t kKeys[] = {1, 2, 0x9E3779B97F4A7C15};
constexpr unsigned kThreads = 4;
constexpr std::chrono::milliseconds kBehind{20};  // one clock of the system after another

class Transformer {
 public:
  explicit Transformer(Subject& subject) : world_(subject) {
    try {
      made_ = world_.make(entry_of(subject, usual_options(subject)));
    } catch (const base::Error& error) {
      throw Skipped("refuses: " + std::string(error.what()));
    }
    transform_ = abi::Transform::make(*made_->instance);
  }
  abi::Transform& transform() { return *transform_; }

 private:
  World world_;
  std::unique_ptr<Made> made_;
  std::optional<abi::Transform> transform_;
};

struct Call {
  const MadePoint* point;
  uint64_t key;
  Applied expected;
};

// Each point with each key.
std::vector<Call> calls_in_order(abi::Transform& transform, const std::vector<MadePoint>& points) {
  std::vector<Call> calls;
  for (const MadePoint& point : points)
    for (const uint64_t key : kKeys) calls.push_back({&point, key, apply(transform, point, key)});
  return calls;
}

// "": the same as expected.
std::string difference(const Call& call, abi::Transform& transform, const char* circumstances) {
  const Applied found = apply(transform, *call.point, call.key);
  if (found.refused == call.expected.refused &&
      (found.refused || found.words == call.expected.words))
    return "";
  return "gives another result for the same point and seed " + std::string(circumstances) + ": " +
         call.point->what() + " with the key " + std::to_string(call.key) + " gave " +
         call.expected.words + ", then " + found.words +
         "\n  hint: take random numbers from draws alone, and keep nothing from call to call";
}

void require_same_on_threads(const std::vector<Call>& calls, abi::Transform& transform) {
  std::mutex mutex;
  std::string first;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      std::vector<Call> order = calls;
      std::shuffle(order.begin(), order.end(), std::mt19937{t});
      for (int repeat = 0; repeat < 5; ++repeat)
        for (const Call& call : order) {
          const std::string text = difference(call, transform, "on 4 threads at once");
          const std::lock_guard lock(mutex);
          if (first.empty()) first = text;
        }
    });
  for (std::thread& thread : threads) thread.join();
  if (!first.empty()) throw Failed(first);
}

std::string summary_of(const std::vector<Call>& calls) {
  constexpr size_t kCount = std::size(kKeys);
  size_t accepted = 0;
  bool random = false;
  for (size_t i = 0; i < calls.size(); i += kCount) {
    accepted += !calls[i].expected.refused;
    for (size_t k = 1; k < kCount; ++k)
      random |= calls[i + k].expected.words != calls[i].expected.words;
  }
  if (accepted == 0) throw Skipped("refuses all points: " + calls.front().expected.words);
  return std::to_string(accepted) + " of " + std::to_string(calls.size() / kCount) + " points" +
         (random ? ", random" : "");
}

// When a clock of whole seconds will have gone on.
std::chrono::steady_clock::time_point next_second() {
  using namespace std::chrono;
  const auto now = system_clock::now();
  return steady_clock::now() + (ceil<seconds>(now) - now) + kBehind;
}

std::string test_pure(Subject& subject) {
  subject.library();
  Transformer first(subject);
  const std::vector<MadePoint> points = usual_points();
  std::vector<Call> calls = calls_in_order(first.transform(), points);
  const auto later = next_second();
  const std::string summary = summary_of(calls);
  for (const Call& call : calls)
    if (const std::string text = difference(call, first.transform(), "in the next call");
        !text.empty())
      throw Failed(text);
  require_same_on_threads(calls, first.transform());
  std::this_thread::sleep_until(later);
  Transformer second(subject);
  std::reverse(calls.begin(), calls.end());
  for (const Call& call : calls)
    if (const std::string text =
            difference(call, second.transform(), "a second later, in another instance");
        !text.empty())
      throw Failed(text);
  subject.watch().require_answers();
  return summary;
}

std::string test_input_kept(Subject& subject) {
  subject.library();
  Transformer one(subject);
  size_t accepted = 0;
  std::string refusal;
  for (const MadePoint& point : usual_points()) {
    const Applied applied = apply(one.transform(), point, 1);
    if (const int index = point.changed(); index >= 0)
      throw Failed("writes to component " + std::to_string(index) + " of its input, " +
                   point.what() +
                   "\n  hint: the memory may be shared, or a file; allocate the result in out");
    if (applied.refused) refusal = applied.words;
    accepted += !applied.refused;
  }
  if (accepted == 0) throw Skipped("refuses all points: " + refusal);
  return std::to_string(accepted) + " points";
}

}  // namespace

std::vector<Test> transform_tests() {
  return {
      {"pure",
       "gives the same for the same point and seed: again, later, on several threads",
       Stage::component,
       &test_pure,
       true,
       {"transform"}},
      {"input-kept",
       "does not write to the memory of its input",
       Stage::component,
       &test_input_kept,
       true,
       {"transform"}},
  };
}

}  // namespace broch::check
