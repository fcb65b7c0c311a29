// shape_history_test.cpp: which recording goes when there are too many, or too large ones; when new
// shapes stay eager; and that a history that was saved decides like the one that goes on.
#include "shape_history.hpp"

#include <doctest/doctest.h>

#include <random>
#include <sstream>
#include <vector>

using broch::replay::ShapeHistory;

namespace {

constexpr size_t kHalf = ShapeHistory::kMaxBytes / 2;

// As a runner does: the keys that had to go.
std::vector<uint64_t> run(ShapeHistory& shapes, uint64_t key, size_t bytes = 1) {
  std::vector<uint64_t> gone;
  if (!shapes.meet(key)) return gone;
  shapes.keep(bytes);
  while (const auto one = shapes.forget()) gone.push_back(*one);
  return gone;
}

std::string saved(const ShapeHistory& shapes) {
  std::ostringstream text;
  shapes.save(text);
  return text.str();
}

}  // namespace

TEST_CASE("shapes: as many as are allowed stay, of one more the least recently used goes") {
  ShapeHistory shapes;
  const auto again = [&] { return run(shapes, 0); };  // else they are too many new ones in a row
  for (uint64_t key = 1; key < ShapeHistory::kMaxKept; ++key) {
    CHECK(run(shapes, key).empty());
    CHECK(again().empty());
  }
  CHECK(run(shapes, 1).empty());
  CHECK(run(shapes, 99) == std::vector<uint64_t>{2});
}

TEST_CASE("shapes: those that take too much memory together go by their last use") {
  ShapeHistory shapes;
  run(shapes, 1, kHalf);
  CHECK(run(shapes, 2, kHalf).empty());
  run(shapes, 1, kHalf);
  CHECK(run(shapes, 3, 1) == std::vector<uint64_t>{2});
}

TEST_CASE("shapes: the only one stays, however large it is") {
  ShapeHistory shapes;
  CHECK(run(shapes, 1, 4 * kHalf).empty());
}

TEST_CASE("shapes: after many new ones in a row new ones stay eager, known ones are replayed") {
  ShapeHistory shapes;
  for (uint64_t key = 0; key < ShapeHistory::kMaxMisses; ++key) CHECK(shapes.meet(key));
  for (uint64_t key = 0; key < ShapeHistory::kMaxMisses; ++key) shapes.meet(key);
  CHECK(shapes.closed_because().find("in a row") != std::string::npos);
  ShapeHistory open;
  for (uint64_t key = 0; key < 100; ++key) {
    run(open, 0);
    CHECK(open.meet(1 + key));  // never two new ones in a row
    open.keep(1);
    open.forget();
    if (key > 2 * ShapeHistory::kMaxKept) break;
  }
  CHECK(open.closed_because().empty());
  ShapeHistory closed;
  run(closed, 7);
  for (uint64_t key = 0; key < 2 * ShapeHistory::kMaxMisses; ++key) closed.meet(100 + key);
  CHECK_FALSE(closed.meet(8));
  CHECK(closed.meet(7));
}

TEST_CASE("shapes: a saved history decides like the one that goes on") {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    ShapeHistory whole;
    const uint32_t shapes = 4 + random() % 60;
    const auto any = [&] { return uint64_t{random() % shapes} << (random() % 2 * 40); };
    for (int i = 0; i < 200; ++i) run(whole, any(), random() % 3 ? 1 : kHalf / 8);
    ShapeHistory resumed;
    std::istringstream text(saved(whole) + " replayed: a b");
    REQUIRE(resumed.load(text));
    std::string next;
    text >> next;
    CHECK(next == "replayed:");
    CHECK(saved(resumed) == saved(whole));
    for (int i = 0; i < 200; ++i) {
      const uint64_t key = any();
      CHECK(run(whole, key) == run(resumed, key));
      CHECK(whole.closed_because() == resumed.closed_because());
    }
    CHECK(saved(resumed) == saved(whole));
  }
}

TEST_CASE("shapes: a text that is no history is not taken") {
  ShapeHistory shapes;
  for (const char* text :
       {"", "open", "shut 1 0 0 0 0", "open 1 0 0 2 0 a 1 1 1", "open 1 0 0 0 x"}) {
    std::istringstream in(text);
    CHECK_FALSE(shapes.load(in));
  }
}
