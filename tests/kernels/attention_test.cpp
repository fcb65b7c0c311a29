// attention_test.cpp: attention over strided heads and its gradients against sums in double.
#include "kernels/attention.hpp"

#include "support.hpp"

using namespace broch::kernels;

namespace {

using Doubles = std::vector<double>;

struct Plain {
  Doubles o, log_sums, dq, dk, dv;
};

// One head: all of (positions, features), contiguous. mask: (positions, positions) or null.
Plain plain(const Attention& shape, const float* q, const float* k, const float* v,
            const float* d_o, int64_t row, int64_t d_row, const float* mask) {
  const int64_t T = shape.positions, D = shape.features;
  const auto size = static_cast<size_t>(T * D);
  Plain out{Doubles(size), Doubles(T), Doubles(size), Doubles(size), Doubles(size)};
  for (int64_t i = 0; i < T; ++i) {
    const int64_t seen = shape.causal ? i + 1 : T;
    Doubles share(seen), change(seen);
    double sum = 0, mean = 0;
    for (int64_t j = 0; j < seen; ++j) {
      double score = 0;
      for (int64_t d = 0; d < D; ++d) score += double{q[i * row + d]} * k[j * row + d];
      sum += share[j] = std::exp(score * shape.scale + (mask ? mask[i * T + j] : 0));
    }
    if (sum == 0) continue;  // it attends to nothing
    out.log_sums[i] = std::log(sum);
    for (int64_t j = 0; j < seen; ++j) {
      share[j] /= sum;
      for (int64_t d = 0; d < D; ++d) {
        out.o[i * D + d] += share[j] * v[j * row + d];
        change[j] += double{d_o[i * d_row + d]} * v[j * row + d];
        out.dv[j * D + d] += share[j] * d_o[i * d_row + d];
      }
      mean += share[j] * change[j];
    }
    for (int64_t j = 0; j < seen; ++j) {
      const double slope = share[j] * (change[j] - mean) * shape.scale;
      for (int64_t d = 0; d < D; ++d) {
        out.dq[i * D + d] += slope * k[j * row + d];
        out.dk[j * D + d] += slope * q[i * row + d];
      }
    }
  }
  return out;
}

// Part of a tensor (B, T, parts, H, D), as a packed projection holds q, k and v.
template <class Heads, class Data>
Heads part(const Attention& shape, Data* data, int64_t parts, int64_t number) {
  const int64_t width = shape.heads * shape.features, position = parts * width;
  return {data + number * width, shape.positions * position, shape.features, position};
}

Floats head(const Attention& shape, const HeadsOut& from, int64_t b, int64_t h) {
  Floats values;
  for (int64_t t = 0; t < shape.positions; ++t) {
    const float* const row = from.data + b * from.batch + h * from.head + t * from.position;
    values.insert(values.end(), row, row + shape.features);
  }
  return values;
}

void check(const Attention& shape) {
  const int64_t T = shape.positions, B = shape.batches, H = shape.heads;
  const int64_t size = B * T * H * shape.features;
  const Floats qkv = random_floats(3 * size, 1), d_o = random_floats(size, 2);
  Floats gradients(3 * size, kNaN), o(size, kNaN), log_sums(B * H * T);
  Floats scratch(attention_scratch(shape) + 1, kNaN);
  const auto in = [&](int64_t i) { return part<HeadsIn>(shape, qkv.data(), 3, i); };
  const auto out = [&](int64_t i) { return part<HeadsOut>(shape, gradients.data(), 3, i); };
  const HeadsOut o_heads = part<HeadsOut>(shape, o.data(), 1, 0);
  const HeadsIn o_in = part<HeadsIn>(shape, o.data(), 1, 0);
  const HeadsIn d_heads = part<HeadsIn>(shape, d_o.data(), 1, 0);
  for (const int64_t begin : {int64_t{0}, int64_t{1}}) {
    const int64_t end = begin ? B * H : 1;
    attention(shape, in(0), in(1), in(2), o_heads, log_sums.data(), begin, end, scratch.data());
    attention_backward(shape, d_heads, in(0), in(1), in(2), o_in, log_sums.data(),
                       {out(0), out(1), out(2)}, begin, end, scratch.data());
  }
  CHECK(std::isnan(scratch.back()));
  for (int64_t i = 0; i < B * H; ++i) {
    const auto at = [&](const HeadsIn& heads) {
      return heads.data + i / H * heads.batch + i % H * heads.head;
    };
    const Plain expected =
        plain(shape, at(in(0)), at(in(1)), at(in(2)), at(d_heads), in(0).position, d_heads.position,
              shape.mask.data ? at(shape.mask) : nullptr);
    const auto error = [&](const HeadsOut& heads, const Doubles& with) {
      return difference(head(shape, heads, i / H, i % H), with);
    };
    CHECK(error(o_heads, expected.o) < 1e-5);
    CHECK(difference(Floats(log_sums.begin() + i * T, log_sums.begin() + (i + 1) * T),
                     expected.log_sums) < 1e-5);
    CHECK(error(out(0), expected.dq) < 2e-5);
    CHECK(error(out(1), expected.dk) < 2e-5);
    CHECK(error(out(2), expected.dv) < 2e-5);
  }
}

}  // namespace

TEST_CASE("attention: output and gradients of every length, plain and causal") {
  with_each_isa([] {
    for (const bool causal : {false, true}) {
      for (const int64_t positions : {1, 5, 16, 33, 64, 70}) {
        for (const int64_t features : {3, 16, 40}) {
          INFO(positions, " positions, ", features, " features, causal ", causal);
          check({2, 3, positions, features, 0.37f, causal});
        }
      }
    }
  });
}

TEST_CASE("attention: a query whose scores are not numbers has no numbers as its output") {
  with_each_isa([] {
    for (const int64_t positions : {5, 40}) {
      CAPTURE(positions);
      const Attention shape{1, 1, positions, 3, 0.37f, false};
      Floats qkv = random_floats(9 * positions, 1), o(3 * positions, 0), log_sums(positions);
      Floats scratch(attention_scratch(shape));
      const auto in = [&](int64_t i) { return part<HeadsIn>(shape, qkv.data(), 3, i); };
      for (const int64_t d : {0, 1, 2}) qkv[9 + d] = kNaN;  // the second query
      attention(shape, in(0), in(1), in(2), part<HeadsOut>(shape, o.data(), 1, 0), log_sums.data(),
                0, 1, scratch.data());
      for (int64_t i = 0; i < 3 * positions; ++i) CHECK(std::isnan(o[i]) == (i / 3 == 1));
    }
  });
}

TEST_CASE("attention: a mask is added to the scores, and a query may attend to nothing") {
  with_each_isa([] {
    for (const int64_t positions : {1, 5, 33, 64}) {
      for (const bool by_head : {false, true}) {
        INFO(positions, " positions, a mask for each head ", by_head);
        const int64_t area = positions * positions;
        Floats mask = random_floats(6 * area, 5);
        for (size_t i = 0; i < mask.size(); ++i)
          if (i % 3 == 0) mask[i] = -kInfinity;
        for (int64_t i = 0; i < positions; ++i) mask[i] = -kInfinity;  // the first query
        Attention shape{2, 3, positions, 16, 0.37f, false};
        shape.mask = {mask.data(), by_head ? 3 * area : area, by_head ? area : 0, positions};
        check(shape);
      }
    }
  });
}
