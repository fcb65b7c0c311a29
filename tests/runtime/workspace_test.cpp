// workspace_test.cpp: memory that grows in its place.
#include "runtime/workspace.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>

using broch::runtime::Workspace;

TEST_CASE("workspace: grows without moving and keeps what it holds") {
  Workspace workspace;
  std::byte* const small = workspace.at_least(100);
  CHECK(reinterpret_cast<uintptr_t>(small) % 4096 == 0);
  std::memset(small, 7, 100);
  constexpr size_t kLarge = 1 << 24;
  std::byte* const large = workspace.at_least(kLarge);
  CHECK(large == small);
  CHECK(large[99] == std::byte{7});
  CHECK(large[kLarge - 1] == std::byte{0});
  CHECK(workspace.at_least(1) == small);
  CHECK(Workspace().at_least(0) != nullptr);
}

TEST_CASE("workspace: reads as zeros once it was forgotten") {
  Workspace workspace;
  workspace.forget();
  std::byte* const at = workspace.at_least(10'000);
  std::memset(at, 0xFF, 10'000);
  workspace.forget();
  CHECK(at[0] == std::byte{0});
  CHECK(at[9'999] == std::byte{0});
}
