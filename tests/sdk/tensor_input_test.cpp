// tensor_input_test.cpp: the cursors of an input source whose points a function makes.
#include <doctest/doctest.h>

#include <broch/cpp/tensor_input.hpp>

namespace {

class NoInput final : public broch::TensorInput {
 public:
  bool tensors(uint64_t, uint32_t, broch::PointWriter&) override { return false; }
};

}  // namespace

TEST_CASE("tensor input: a cursor of another source is refused, and says so") {
  NoInput input;
  input.resume({"", "0", "41", "41"});
  for (const char* cursor : {"x", "1x", "-1", " 1", "0:7", "18446744073709551616"}) {
    CAPTURE(cursor);
    CHECK_THROWS_WITH_AS(input.resume({cursor}), doctest::Contains("expected a number"),
                         broch::Error);
  }
}
