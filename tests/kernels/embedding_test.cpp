// embedding_test.cpp: gathers, bags and scattered gradients against plain loops.
#include "kernels/embedding.hpp"

#include "support.hpp"

using namespace broch::kernels;

namespace {

const std::vector<int64_t> kIndices{4, 0, 4, 2, 6, 6, 1, 0, 4, 3, 5, 5, 5, 2, 1, 0, 6, 3, 3, 4, 2};
const std::vector<int64_t> kOffsets{0, 3, 3, 10};
constexpr int64_t kRows = 7;

}  // namespace

TEST_CASE("embedding: gathered rows are copies and repeated rows add up their gradients") {
  with_each_isa([] {
    const auto size = static_cast<int64_t>(kIndices.size());
    for (const int64_t width : {1, 16, 37}) {
      const Floats table = random_floats(kRows * width), d_out = random_floats(size * width, 2);
      Floats out(size * width), gradient = table;
      std::vector<double> expected(table.begin(), table.end());
      gather_rows({table.data(), width}, kIndices.data(), size, out.data());
      scatter_add_rows({kIndices.data(), size, width, 3, -0.5f}, d_out.data(), gradient.data());
      for (int64_t i = 0; i < size * width; ++i) {
        const int64_t row = kIndices[i / width];
        CHECK(out[i] == table[row * width + i % width]);
        if (row != 3) expected[row * width + i % width] -= 0.5 * d_out[i];
      }
      CHECK(difference(gradient, expected) < 1e-6);
    }
  });
}

TEST_CASE("embedding bag: sums and means, an empty bag and the last one") {
  with_each_isa([] {
    const auto size = static_cast<int64_t>(kIndices.size());
    for (const bool mean : {false, true}) {
      for (const int64_t width : {1, 16, 37}) {
        const Bags bags{kIndices.data(), size, kOffsets.data(), 4, mean};
        const Floats table = random_floats(kRows * width), d_out = random_floats(4 * width, 2);
        Floats out(4 * width, kNaN), gradient(kRows * width);
        std::vector<double> expected(4 * width), expected_gradient(kRows * width);
        for (int64_t i = 0; i < size * width; ++i) {
          const int64_t n = i / width, j = i % width, bag = n < 3 ? 0 : n < 10 ? 2 : 3;
          const double share = !mean ? 1 : bag == 0 ? 1.0 / 3 : bag == 2 ? 1.0 / 7 : 1.0 / 11;
          expected[bag * width + j] += share * table[kIndices[n] * width + j];
          expected_gradient[kIndices[n] * width + j] += 2 * share * d_out[bag * width + j];
        }
        embedding_bag({table.data(), width}, bags, 0, 1, out.data());
        embedding_bag({table.data(), width}, bags, 1, 4, out.data() + width);
        embedding_bag_backward(bags, d_out.data(), width, 2, gradient.data());
        CHECK(difference(out, expected) < 1e-6);
        CHECK(difference(gradient, expected_gradient) < 2e-6);
      }
    }
  });
}
