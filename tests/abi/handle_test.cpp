// handle_test.cpp: every wrong use of a handle is told apart, none is undefined.
#include "abi/handle.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <thread>

#include "abi/thread.hpp"

using namespace broch::abi;

namespace {

// Counts what is let go of.
struct Counted {
  int dropped = 0;
  Object object() {
    return {this, [](void* self) { ++static_cast<Counted*>(self)->dropped; }};
  }
};

std::string refusal(const Arena& arena, uint64_t handle, Kind kind, uint64_t domain) {
  const char* why = "";
  return arena.find(handle, kind, domain, &why) ? "found" : why;
}

std::string refusal(const Table& table, uint64_t handle, Kind kind) {
  const char* why = "";
  return table.find(handle, kind, &why) ? "found" : why;
}

}  // namespace

TEST_CASE("arena: a handle finds its object until its scope is cut") {
  Arena arena;
  Counted first, second;
  const uint64_t outer = arena.add(Kind::tensor, first.object(), 0, 7);
  const size_t mark = arena.mark();
  const uint64_t inner = arena.add(Kind::tensor, second.object(), 0);
  const char* why = nullptr;
  CHECK(arena.find(outer, Kind::tensor, 0, &why) == &first);
  CHECK(arena.find(inner, Kind::tensor, 0, &why) == &second);
  CHECK(arena.tags(outer) == 7);
  arena.cut(mark);
  CHECK(second.dropped == 1);
  CHECK(first.dropped == 0);
  CHECK(refusal(arena, inner, Kind::tensor, 0).find("stale") != std::string::npos);
  CHECK(refusal(arena, outer, Kind::tensor, 0) == "found");
}

TEST_CASE("arena: a slot that is used again does not answer to its old handle") {
  Arena arena;
  Counted old, current;
  const uint64_t stale = arena.add(Kind::tensor, old.object(), 0);
  arena.cut(0);
  const uint64_t fresh = arena.add(Kind::tensor, current.object(), 0);
  CHECK(handle_index(stale) == handle_index(fresh));
  CHECK(refusal(arena, stale, Kind::tensor, 0).find("stale") != std::string::npos);
  CHECK(refusal(arena, fresh, Kind::tensor, 0) == "found");
}

TEST_CASE("arena: generations go around without 0, so that no handle is 0") {
  Arena arena;
  Counted counted;
  uint64_t previous = 0;

  for (uint32_t i = 0; i < kGenerationMax + 3; ++i) {
    const uint64_t handle = arena.add(Kind::tensor, counted.object(), 0);
    REQUIRE(handle_generation(handle) != 0);
    REQUIRE(handle != previous);
    previous = handle;
    arena.cut(0);
  }
  CHECK(handle_generation(previous) == 3);
  CHECK(counted.dropped == kGenerationMax + 3);
}

TEST_CASE("arena: wrong kind, other tower call, 0, owned and released are told apart") {
  Arena arena;
  Counted counted;
  const uint64_t handle = arena.add(Kind::tensor, counted.object(), 5);
  CHECK(refusal(arena, handle, Kind::run, 5) == "it is of another kind");
  CHECK(refusal(arena, handle, Kind::tensor, 6) == "it belongs to another tower call");
  CHECK(refusal(arena, 0, Kind::tensor, 5).find("is 0") != std::string::npos);
  CHECK(refusal(arena, make_handle(Kind::tensor, kTableOwner | 1, 1, 0), Kind::tensor, 5)
            .find("owned") != std::string::npos);
  const uint64_t forged = make_handle(Kind::run, arena.id(), handle_generation(handle), 0);
  CHECK(refusal(arena, forged, Kind::run, 5) == "it is of another kind");
  CHECK(arena.drop(handle));
  CHECK(counted.dropped == 1);
  CHECK(refusal(arena, handle, Kind::tensor, 5) == "it was released");
  CHECK_FALSE(arena.drop(handle));
  arena.cut(0);
  CHECK(counted.dropped == 1);
}

TEST_CASE("arena: a handle of another thread is refused, also when that thread has ended") {
  Counted counted;
  uint64_t foreign = 0;
  std::thread([&] {
    Arena& arena = Arena::of_this_thread();
    const size_t mark = arena.mark();
    foreign = arena.add(Kind::tensor, counted.object(), 0);
    arena.cut(mark);
  }).join();
  CHECK(
      refusal(Arena::of_this_thread(), foreign, Kind::tensor, 0).find("not made on this thread") !=
      std::string::npos);
  // The next thread gets the arena of the one that ended.
  std::string why;
  std::thread([&] {
    Arena& arena = Arena::of_this_thread();
    arena.add(Kind::tensor, counted.object(), 0);
    why = refusal(arena, foreign, Kind::tensor, 0);
  }).join();
  CHECK(why.find("stale") != std::string::npos);
  CHECK(counted.dropped == 2);
}

TEST_CASE("arena: an object whose release adds handles leaves none behind") {
  struct Nested {
    Arena arena;
    Counted late;
    int dropped = 0;
  } nested;
  for (int i = 0; i < 40; ++i)
    nested.arena.add(Kind::tensor,
                     {&nested,
                      [](void* self) {
                        auto* nested = static_cast<Nested*>(self);
                        if (++nested->dropped <= 40)
                          nested->arena.add(Kind::tensor, nested->late.object(), 0);
                      }},
                     0);
  nested.arena.cut(0);
  CHECK(nested.dropped == 40);
  CHECK(nested.late.dropped == 40);
  CHECK(nested.arena.mark() == 0);
}

TEST_CASE("table: an owned handle lives until it is removed, once") {
  Table table(next_table_owner());
  Counted counted;
  const uint64_t handle = table.add(Kind::owned_tensor, counted.object());
  CHECK_FALSE(is_borrowed(handle));
  CHECK(table.live() == 1);
  CHECK(refusal(table, handle, Kind::owned_tensor) == "found");
  CHECK(refusal(table, handle, Kind::point) == "it is of another kind");
  CHECK(table.remove(handle));
  CHECK(counted.dropped == 1);
  CHECK_FALSE(table.remove(handle));
  CHECK(refusal(table, handle, Kind::owned_tensor) ==
        "it was released, or fetched in a run that has ended");
  const uint64_t again = table.add(Kind::owned_tensor, counted.object());
  CHECK(handle_index(again) == handle_index(handle));
  CHECK(refusal(table, handle, Kind::owned_tensor) ==
        "it was released, or fetched in a run that has ended");
  CHECK(table.live() == 1);
}

TEST_CASE("table: what is left is dropped with the table") {
  Counted counted;
  { Table(next_table_owner()).add(Kind::point, counted.object()); }
  CHECK(counted.dropped == 1);
}

TEST_CASE("table: handles of another instance and borrowed ones are told apart") {
  Table mine(next_table_owner()), other(next_table_owner());
  Counted counted;
  const uint64_t foreign = other.add(Kind::owned_tensor, counted.object());
  CHECK(refusal(mine, foreign, Kind::owned_tensor) == "it belongs to another instance");
  const uint64_t borrowed = make_handle(Kind::owned_tensor, 3, 1, 0);
  CHECK(refusal(mine, borrowed, Kind::owned_tensor).find("borrowed") != std::string::npos);
}

TEST_CASE("table: an acquired object outlives the removal of its handle") {
  struct Shared {
    int references = 1;
  } shared;
  Table table(next_table_owner());
  const uint64_t handle = table.add(
      Kind::owned_tensor, {&shared, [](void* p) { --static_cast<Shared*>(p)->references; },
                           [](void* p) { ++static_cast<Shared*>(p)->references; }});
  const char* why = nullptr;
  const Object object = table.acquire(handle, Kind::owned_tensor, &why);
  CHECK(table.remove(handle));
  CHECK(shared.references == 1);
  object.drop();
  CHECK(shared.references == 0);
}

TEST_CASE("handle: a refusal names number, kind and reason") {
  const uint64_t handle = make_handle(Kind::plan, 1, 1, 1);
  CHECK(explain(handle, Kind::tensor, "it is of another kind") ==
        "tensor handle 0x6000100001000001: it is of another kind (a plan, expected a tensor)");
  const uint64_t kept = make_handle(Kind::owned_tensor, kTableOwner | 1, 1, 1);
  CHECK(explain(kept, Kind::tensor, "gone") == "tensor handle 0x2800100001000001: gone");
  CHECK(explain(kept, Kind::plan, "odd") ==
        "plan handle 0x2800100001000001: odd (an owned tensor, expected a plan)");
  CHECK(explain(0, Kind::run, "it is 0") == "run handle 0x0: it is 0");
  CHECK(explain(~0ull, Kind::run, "odd") == "run handle 0xffffffffffffffff: odd");
}

TEST_CASE("handle: a million random numbers find nothing but what is there") {
  Arena& arena = Arena::of_this_thread();
  const size_t mark = arena.mark();
  std::vector<Counted> objects(64);
  Table table(next_table_owner());
  std::set<const void*> known;
  std::vector<uint64_t> real;
  for (Counted& object : objects) {
    known.insert(&object);
    real.push_back(arena.add(Kind::tensor, object.object(), 1));
    real.push_back(table.add(Kind::owned_tensor, object.object()));
  }
  std::mt19937_64 random(1);
  int found = 0;
  for (int i = 0; i < 1000000; ++i) {
    uint64_t handle = random();
    if (i % 4) handle = real[random() % real.size()] ^ (uint64_t{1} << random() % 64);
    if (i % 4 == 3) handle = real[random() % real.size()] + random() % 200 - 100;
    const Kind kind = Kind(random() % 14);
    const char* why = nullptr;
    const void* object =
        i & 1 ? arena.find(handle, kind, random() % 2, &why) : table.find(handle, kind, &why);
    if (object) {
      REQUIRE(known.count(object));
      ++found;
    } else {
      REQUIRE(why);
    }
    if (i % 8 == 0 && !object) {
      const bool borrowed_then = is_borrowed(handle);
      if (borrowed_then ? arena.drop(handle) : table.remove(handle))
        REQUIRE(std::find(real.begin(), real.end(), handle) != real.end());
    }
  }
  CHECK(found > 0);
  arena.cut(mark);
}
