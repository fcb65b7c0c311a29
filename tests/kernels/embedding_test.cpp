// embedding_test.cpp: rows, bags and scattered gradients against plain loops.
#include "kernels/embedding.hpp"

#include "support.hpp"

using namespace broch::kernels;

namespace {

const std::vector<int64_t> kIndices{4, 0, 4, 2, 6, 6, 1, 0, 4, 3, 5, 5, 5, 2, 1, 0, 6, 3, 3, 4, 2};
const std::vector<int64_t> kOffsets{0, 3, 3, 10};
constexpr int64_t kRows = 7;

}  // namespace

TEST_CASE("embedding: rows without bags are copies and repeated rows add up their gradients") {
  with_each_isa([] {
    const auto size = static_cast<int64_t>(kIndices.size());
    for (const int64_t width : {1, 16, 37}) {
      const Floats table = random_floats(kRows * width), d_out = random_floats(size * width, 2);
      Floats out(size * width), gradient = table;
      std::vector<double> expected(table.begin(), table.end());
      embedding_bag({table.data(), width}, {kIndices.data(), size, nullptr, size}, 0, size,
                    out.data(), width);
      scatter_add_rows({kIndices.data(), size, width, width, -0.5f}, d_out.data(), gradient.data());
      for (int64_t i = 0; i < size * width; ++i) {
        const int64_t row = kIndices[i / width];
        CHECK(out[i] == table[row * width + i % width]);
        expected[row * width + i % width] -= 0.5 * d_out[i];
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
          expected_gradient[kIndices[n] * width + j] += share * d_out[bag * width + j];
        }
        Floats spread(4 * (width + 3), kNaN);
        embedding_bag({table.data(), width}, bags, 0, 1, spread.data(), width + 3);
        embedding_bag({table.data(), width}, bags, 1, 4, spread.data() + width + 3, width + 3);
        for (int64_t bag = 0; bag < 4; ++bag)
          std::copy_n(&spread[bag * (width + 3)], width, &out[bag * width]);
        CHECK(std::isnan(spread[width]));
        embedding_bag_backward(bags, {d_out.data(), width, width}, gradient.data());
        CHECK(difference(out, expected) < 1e-6);
        CHECK(difference(gradient, expected_gradient) < 2e-6);
      }
    }
  });
}

TEST_CASE("embedding: a look-up without offsets copies the bits of its rows") {
  with_each_isa([] {
    Floats table = random_floats(kRows * 16), out(3 * 20);
    table[0] = -0.0f;
    embedding_bag({table.data(), 16}, {kIndices.data(), 3, nullptr, 3}, 1, 3, out.data(), 20);
    CHECK(std::signbit(out[0]));
    CHECK(out[20 + 5] == table[4 * 16 + 5]);
  });
}

TEST_CASE("merged rows: add up to the bits of the whole gradient, each row once") {
  constexpr int64_t kSize = 600, kTable = 200, kStrange = 1'000'003;
  std::vector<int64_t> indices(kSize), offsets;
  for (int64_t i = 0; i < kSize; ++i) indices[i] = i * i * kStrange % kTable;
  for (int64_t i = 0; i < kSize; i += 3) offsets.push_back(i / 6 * 6);  // every second one is empty
  with_each_isa([&] {
    for (const bool in_bags : {false, true})
      for (const int64_t padding : {int64_t{-1}, indices[7]})
        for (const int64_t width : {1, 16, 37}) {
          const auto count = in_bags ? static_cast<int64_t>(offsets.size()) : kSize;
          const int64_t* const starts = in_bags ? offsets.data() : nullptr;
          const Bags bags{indices.data(), kSize, starts, count, false, padding};
          Floats d_out = random_floats(count * (width + 5), 3), rows(kSize * width, kNaN);
          d_out[0] = -0.0f;  // zeros have a sign, and the whole gradient none
          Floats whole(kTable * width), summed(kTable * width);
          const BagRows from{d_out.data(), width, width + 5};
          std::vector<int32_t> slots(slots_to_merge(kSize), 7);
          embedding_bag_backward(bags, from, whole.data());
          CHECK(meets_thrice(bags, slots.data()));
          merge_rows(bags, from, {rows.data(), width, slots.data()});
          if (!in_bags) {  // and in place, but for the sign of zeros
            merge_rows(bags, from, {d_out.data(), width + 5, slots.data()});
            for (int64_t i = 0; i < kSize * width; ++i)
              CHECK(d_out[i / width * (width + 5) + i % width] == rows[i]);
          }
          std::vector<bool> seen(kTable);
          for (int64_t i = 0; i < kSize; ++i) {
            const int64_t row = indices[i];
            for (int64_t j = 0; j < width; ++j) {
              const float value = rows[i * width + j];
              const bool has_sum = !seen[row] && row != padding;
              CHECK(!(!has_sum && value != 0));
              CHECK(!std::signbit(value == 0 ? value : 1));
              if (has_sum) summed[row * width + j] = value;
            }
            seen[row] = true;
          }
          CHECK(summed == whole);
        }
  });
}

TEST_CASE("embedding: indices outside of the table and offsets that fall are not valid") {
  const auto size = static_cast<int64_t>(kIndices.size());
  const auto valid = [&](std::vector<int64_t> indices, std::vector<int64_t> offsets) {
    return are_valid({indices.data(), size, offsets.data(), 4}, kRows);
  };
  CHECK(valid(kIndices, kOffsets));
  CHECK(valid(kIndices, {0, 0, size, size}));
  for (const int64_t index : {int64_t{-1}, kRows, int64_t{1} << 40}) {
    std::vector<int64_t> indices = kIndices;
    indices.back() = index;
    CHECK_FALSE(valid(indices, kOffsets));
  }
  CHECK_FALSE(valid(kIndices, {0, 4, 3, 10}));
  CHECK_FALSE(valid(kIndices, {1, 3, 3, 10}));
  CHECK_FALSE(valid(kIndices, {0, 3, 3, size + 1}));
}

TEST_CASE("merged rows: only a row of three or more has an order, and another one is followed") {
  constexpr float kBig = 0x1p30f;  // beside it 1 is lost
  const std::vector<int64_t> twice{4, 7, 4, 9}, thrice{4, 7, 4, 4}, places{2, 3, 1, 0};
  const Floats d_out{1, 2, kBig, -kBig};
  with_each_isa([&] {
    std::vector<int32_t> slots(slots_to_merge(4));
    Floats rows(4, kNaN);
    const MergedRows to{rows.data(), 1, slots.data()};
    const auto merge = [&](const std::vector<int64_t>& indices) {
      const Bags bags{indices.data(), 4, nullptr, 4};
      merge_rows(bags, {d_out.data(), 1, 1}, to);
      return meets_thrice(bags, slots.data());
    };
    CHECK_FALSE(merge(twice));
    CHECK(rows == Floats{kBig, 2, 0, -kBig});
    CHECK(merge(thrice));
    CHECK(rows == Floats{0, 2, 0, 0});
    const std::vector<int64_t> offsets{0, 1, 2, 3};
    const Bags bags{thrice.data(), 4, offsets.data(), 4};
    std::vector<int64_t> bag_of(4);
    bag_of_each(bags, bag_of.data());
    merge_rows_in({places.data(), bag_of.data()}, bags, {d_out.data(), 1, 1}, to);
    CHECK(rows == Floats{0, 2, 1, 0});
  });
}
