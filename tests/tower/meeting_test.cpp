// meeting_test.cpp: towers as plain threads.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "all_reduce.hpp"
#include "base/error.hpp"
#include "tower/kernel_tape.hpp"
#include "tower/tower_meeting.hpp"

using namespace broch;
using tower::TowerMeeting;

namespace {

// Numbers as what a tower brings and takes.
struct Numbers {
  explicit Numbers(std::vector<float> from) : values(std::move(from)) {
    count = static_cast<int64_t>(values.size());
  }
  broch_dl_tensor tensor() {
    return {values.data(), {BROCH_DL_CPU, 0}, 1, {BROCH_DL_FLOAT, 32, 1}, &count, nullptr, 0};
  }
  std::vector<float> values;
  int64_t count = 0;
};

std::vector<float> sum(std::vector<float> mine, const std::string& what = "sum") {
  Numbers given(std::move(mine)), result(std::vector<float>(given.values.size()));
  TowerMeeting::current()->sum(what, given.tensor(), result.tensor());
  return result.values;
}

using Step = std::function<void(size_t place)>;

// The reduction of 4, computed again where this tower has 8.
float reduced_again(const runtime::HostKernel& kernel) {
  const tower::KernelTape tape;
  Numbers result({0});
  for (const float one : {4.0F, 8.0F}) {
    Numbers mine({one});
    const broch_dl_tensor given = mine.tensor(), to = result.tensor();
    tower::KernelTape::begin_step();
    kernel.run({&given, 1}, {&to, 1}, {});
  }
  return result.values[0];
}

// What failed, in words; "" where nothing did.
std::string held(size_t towers, bool in_turn, const Step& step, tower::AcrossRanks ranks = {}) {
  TowerMeeting meeting(
      towers, [](size_t place) { return "tower " + std::to_string(place); }, in_turn,
      std::move(ranks));
  {
    std::vector<std::jthread> threads;
    for (size_t place = 0; place < towers; ++place)
      threads.emplace_back([&, place] { meeting.attend(place, [&] { step(place); }); });
  }
  try {
    meeting.finish();
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("meeting: towers get the same sums, round after round") {
  for (const bool in_turn : {false, true}) {
    CAPTURE(in_turn);
    std::array<std::vector<float>, 3> last;
    const std::string failure = held(3, in_turn, [&](size_t place) {
      std::vector<float> x{1, static_cast<float>(place)};
      for (int round = 0; round < 200; ++round) {
        x = sum(x);
        for (float& one : x) one /= 3;
      }
      last[place] = x;
    });
    CHECK(failure.empty());
    CHECK(last[0][0] == doctest::Approx(1));
    CHECK(last[0][1] == doctest::Approx(1));
    CHECK(last[1] == last[0]);
    CHECK(last[2] == last[0]);
  }
  CHECK(TowerMeeting::current() == nullptr);
}

TEST_CASE("meeting: in turn, towers compute one at a time in their order") {
  std::string order;  // no two write at a time
  const std::string failure = held(3, true, [&](size_t place) {
    for (const char* part : {"a", "b"}) {
      order += std::to_string(place) + part + " ";
      sum({1});
    }
    order += std::to_string(place) + "c ";
  });
  CHECK(failure.empty());
  CHECK(order == "0a 1a 2a 0b 1b 2b 0c 1c 2c ");
}

TEST_CASE("meeting: sums of ranks are added in their order") {
  tower::AcrossRanks ranks;
  ranks.count = 2;
  ranks.gather = [](std::span<const std::byte> mine, std::span<const std::span<std::byte>> all) {
    REQUIRE(all.size() == 2);
    const float other = 100;
    std::copy(mine.begin(), mine.end(), all[1].begin());
    const auto bytes = std::as_bytes(std::span(&other, 1));
    std::copy(bytes.begin(), bytes.end(), all[0].begin());
  };
  std::array<float, 2> found{};
  CHECK(held(
            2, false, [&](size_t place) { found[place] = sum({3})[0]; }, ranks)
            .empty());
  CHECK(found == std::array<float, 2>{106, 106});
  ranks.gather = [](auto, auto) { throw base::Error(base::Exit::collective, "rank 1 is gone"); };
  CHECK(held(
            2, false, [](size_t) { sum({3}); }, ranks) == "rank 1 is gone");
}

TEST_CASE("meeting: computed again, another input counts as it would among all towers and ranks") {
  for (const uint32_t count : {1U, 2U})
    for (const bool mean : {false, true}) {
      CAPTURE(count);
      CAPTURE(mean);
      const tower::AcrossRanks ranks{count, [](const auto& mine, const auto& all) {
                                       for (const auto& part : all)
                                         std::copy(mine.begin(), mine.end(), part.begin());
                                     }};
      const auto kernel = tower::all_reduce_kernel(mean, 2, false);
      std::array<float, 2> found{};
      CHECK(held(
                2, false, [&](size_t place) { found[place] = reduced_again(*kernel); }, ranks)
                .empty());
      const auto all = static_cast<float>(2 * count);
      const float expected = mean ? 4 + 4 / all : 4 * all + 4;
      CHECK(found == std::array<float, 2>{expected, expected});
    }
}

TEST_CASE("meeting: towers that differ are told where") {
  for (const bool in_turn : {false, true}) {
    CAPTURE(in_turn);
    const auto found = [&](const Step& step) { return held(3, in_turn, step); };
    CHECK(found([](size_t place) { sum(std::vector<float>(place == 1 ? 4 : 2)); })
              .starts_with("towers that meet in a step: tower 0 comes to sum of float32 (2,), "
                           "tower 1 to sum of float32 (4,), expected the same calls"));
    CHECK(found([](size_t place) {
            sum({1}, place == 2 ? "mean" : "sum");
          }).find("tower 2 to mean of float32 (1,)") != std::string::npos);
    CHECK(found([](size_t place) {
            if (place != 1) sum({1});
          }).find("tower 1 to the end of its step") != std::string::npos);
    CHECK(found([](size_t place) {
            sum({1});
            if (place == 2) sum({1});
          }).find("tower 0 comes to the end of its step, tower 2 to sum") != std::string::npos);
  }
}

TEST_CASE("meeting: the first failure ends all, and is the one that is told") {
  for (const bool in_turn : {false, true})
    for (const size_t bad : {0, 1, 2}) {
      CAPTURE(in_turn);
      CAPTURE(bad);
      CHECK(held(3, in_turn, [&](size_t place) {
              sum({1});
              if (place == bad) throw base::Error(base::Exit::training, "a bad tower");
              sum({1});
            }) == "a bad tower");
    }
}

TEST_CASE("meeting: in turn, towers leave a step that failed one at a time, begun or not") {
  for (const size_t bad : {0, 1, 2})
    for (const bool at_once : {false, true}) {
      CAPTURE(bad);
      CAPTURE(at_once);
      std::string left;  // no two write at a time
      const auto meet = [&](size_t place) {
        try {
          sum({1});
        } catch (...) {
          left += std::to_string(place);
          throw;
        }
      };
      const std::string failure = held(3, true, [&](size_t place) {
        if (place != bad || !at_once) meet(place);
        if (place == bad) throw base::Error(base::Exit::training, "a bad tower");
        meet(place);
      });
      CHECK(failure == "a bad tower");
      std::string expected = at_once ? std::string("012").substr(0, bad) : "012";
      std::erase(expected, static_cast<char>('0' + bad));
      CHECK(left == expected);
    }
}

TEST_CASE("meeting: nothing to add is fine") {
  CHECK(held(2, false, [](size_t) { CHECK(sum(std::vector<float>()).empty()); }).empty());
}
