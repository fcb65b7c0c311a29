// plugin_struct_test.cpp: structs of plugins with an older or a newer header.
#include "abi/plugin_struct.hpp"

#include <doctest/doctest.h>

#include <functional>

#include "abi/serve.hpp"

using namespace broch::abi;

namespace {

struct Known {
  uint32_t struct_size, reserved;
  double first, second;
};
struct Newer {
  Known known;
  uint64_t third;
};

broch_status status_of(const std::function<void()>& call) {
  try {
    call();
    return BROCH_OK;
  } catch (const CallError& error) {
    return error.status();
  }
}

Known read(const Newer& newer) { return read_struct(&newer.known, "f", "known"); }

}  // namespace

TEST_CASE("struct: a shorter one has zeros for what it lacks") {
  Newer older{{offsetof(Known, second), 0, 1.5, 2.5}, 7};
  CHECK(read(older).first == 1.5);
  CHECK(read(older).second == 0);
}

TEST_CASE("struct: a longer one may be used as long as it says nothing that is not known") {
  Newer newer{{sizeof(Newer), 0, 1.5, 2.5}, 0};
  CHECK(read(newer).second == 2.5);
  newer.third = uint64_t{1} << 63;
  CHECK(status_of([&] { read(newer); }) == BROCH_E_UNIMPLEMENTED);
  newer.known.struct_size = sizeof(Known);  // then it ends before
  CHECK(status_of([&] { read(newer); }) == BROCH_OK);
}

TEST_CASE("struct: one without a size is refused, also to write to") {
  Newer none{{7, 0, 0, 0}, 0};
  CHECK(status_of([&] { read(none); }) == BROCH_E_INVALID_ARGUMENT);
  CHECK(status_of([&] { write_struct(&none.known, Known{}, "f", "known"); }) ==
        BROCH_E_INVALID_ARGUMENT);
  CHECK(status_of([] { read_struct<Known>(nullptr, "f", "known"); }) == BROCH_E_INVALID_ARGUMENT);
}

TEST_CASE("struct: what is written keeps the size and stops there") {
  Newer older{{offsetof(Known, second), 0, 0, 4}, 5};
  write_struct(&older.known, Known{0, 0, 1, 2}, "f", "known");
  CHECK(older.known.struct_size == offsetof(Known, second));
  CHECK(older.known.first == 1);
  CHECK(older.known.second == 4);
  CHECK(older.third == 5);
}

TEST_CASE("struct: what is written to a longer one has zeros for what is not known") {
  Newer newer{{sizeof(Newer), 0, 0, 0}, 5};
  write_struct(&newer.known, Known{0, 0, 1, 2}, "f", "known");
  CHECK(newer.known.struct_size == sizeof(Newer));
  CHECK(newer.known.second == 2);
  CHECK(newer.third == 0);
}

TEST_CASE("flags: bits that are not known are refused") {
  CHECK(status_of([] { require_flags(3, 7, "f", "flags"); }) == BROCH_OK);
  CHECK(status_of([] { require_flags(8, 7, "f", "flags"); }) == BROCH_E_INVALID_ARGUMENT);
}
