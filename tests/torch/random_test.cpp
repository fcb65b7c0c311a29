// random_test.cpp: draws depend on key and counter, and on nothing else.
#include <thread>

#include "fixture.hpp"

using namespace broch::runtime;

namespace {

const char* kRandn = "aten::randn.generator(SymInt[] size, *, Generator? generator) -> Tensor";
const char* kBernoulli =
    "aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor";
const char* kDropout = "aten::dropout(Tensor input, float p, bool train) -> Tensor";
const char* kRandLike = "aten::rand_like(Tensor self) -> Tensor";

const std::vector<int64_t> kSize{1000};

std::vector<double> randn(uint64_t key, uint64_t counter) {
  CountingDraws draws(key, counter);
  const auto guard = backend().enter(false, &draws);
  return numbers(call1(kRandn, {list(kSize), none()}));
}
std::vector<double> without_argument(const char* schema, uint64_t key, uint64_t counter) {
  CountingDraws draws(key, counter);
  const auto guard = backend().enter(false, &draws);
  const Tensor ones = floats(std::vector<float>(1000, 1), {1000});
  std::vector<RawValue> args{of(ones)};
  if (schema == kDropout) args.insert(args.end(), {of(0.5), of(true)});
  return numbers(call1(schema, args));
}

}  // namespace

TEST_CASE("random: the same key and counter give the same bits, others do not") {
  CHECK(randn(1, 5) == randn(1, 5));
  CHECK(randn(1, 5) != randn(1, 6));
  CHECK(randn(1, 5) != randn(2, 5));
  CHECK(randn(1, 5) != randn(1 + (uint64_t{1} << 32), 5));
  CHECK(randn(1, 5) != randn(1, 5 + (uint64_t{1} << 32)));
}

TEST_CASE("random: operators without a generator argument are keyed too") {
  for (const char* schema : {kDropout, kRandLike}) {
    CAPTURE(schema);
    CHECK(without_argument(schema, 1, 5) == without_argument(schema, 1, 5));
    CHECK(without_argument(schema, 1, 5) != without_argument(schema, 1, 6));
    CHECK(without_argument(schema, 1, 5) != without_argument(schema, 1 + (uint64_t{1} << 32), 5));
  }
}

TEST_CASE("random: draws do not depend on what was drawn before, nor on the thread") {
  const std::vector<double> expected = randn(3, 3);
  randn(9, 9);
  without_argument(kDropout, 9, 9);
  CHECK(randn(3, 3) == expected);
  std::vector<double> elsewhere;
  std::thread([&] { elsewhere = randn(3, 3); }).join();
  CHECK(elsewhere == expected);
}

TEST_CASE("random: a leftover of a normal pair does not reach the next call") {
  const std::vector<int64_t> odd{1};
  CountingDraws draws(1);
  const auto guard = backend().enter(false, &draws);
  const std::vector<double> first = numbers(call1(kRandn, {list(odd), none()}));
  draws.counter = 0;
  CHECK(numbers(call1(kRandn, {list(odd), none()})) == first);
}

TEST_CASE("random: the draws have the moments they should") {
  const std::vector<double> values = randn(7, 0);
  double sum = 0, squares = 0;
  for (const double x : values) sum += x, squares += x * x;
  CHECK(std::abs(sum / 1000) < 0.15);
  CHECK(squares / 1000 == doctest::Approx(1).epsilon(0.15));
  double kept = 0;
  for (const double x : without_argument(kDropout, 7, 0)) kept += x > 0;
  CHECK(kept / 1000 == doctest::Approx(0.5).epsilon(0.15));
}

TEST_CASE("random: the source is asked once a call, by the operator's name") {
  CountingDraws draws(1);
  const auto guard = backend().enter(false, &draws);
  call1(kBernoulli, {of(floats({1}, {1})), of(0.5)});
  CHECK(draws.counter == 1);
  CHECK(draws.last == "aten::bernoulli.p");
  call1("aten::relu(Tensor self) -> Tensor", {of(floats({1}, {1}))});
  CHECK(draws.counter == 1);
}

TEST_CASE("random: without a source of draws there is an error") {
  const auto check = [] {
    try {
      call(kRandn, {list(kSize), none()});
      FAIL("no source");
    } catch (const OperatorError& error) {
      CHECK(error.status() == BROCH_E_FAILED_PRECONDITION);
      CHECK(has(error.what(), "a call inside a tower function or an operation"));
    }
  };
  check();
  const auto guard = backend().enter(false, nullptr);
  check();
}

TEST_CASE("random: the inner guard's source counts, then the outer's again") {
  CountingDraws outer(1), inner(2);
  const auto guard = backend().enter(false, &outer);
  {
    const auto nested = backend().enter(false, &inner);
    call1(kRandn, {list(kSize), none()});
  }
  CHECK(inner.counter == 1);
  call1(kRandn, {list(kSize), none()});
  CHECK(outer.counter == 1);
}
