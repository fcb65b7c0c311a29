// rng.cpp: broch.rng/1: random numbers for instances.
#include <numeric>
#include <utility>

#include "abi/seeds.hpp"
#include "abi/serve.hpp"
#include "base/hash.hpp"
#include "base/philox.hpp"
#include "tables.hpp"

namespace broch::abi {
namespace {

using base::PhiloxStream;

// The body of each function here: draw(stream) fills the `n` elements of `out`.
template <class T, class Draw>
broch_status draw(const broch_host* host, const char* function, const char* stream, uint64_t index,
                  const T* out, uint64_t n, Draw&& draw) {
  return serve(host, function, kAnyRole | kNoScope, [&](Instance& instance) {
    given(stream, function, "stream");
    if (n) given(out, function, "the array to fill");
    PhiloxStream words(base::hash64(stream, seed_of(instance)), index);
    draw(words);
    return BROCH_OK;
  });
}

broch_status bits(const broch_host* host, const char* stream, uint64_t index, uint64_t* words,
                  uint64_t n) {
  return draw(host, "broch.rng/1 bits", stream, index, words, n, [&](PhiloxStream& from) {
    for (uint64_t i = 0; i < n; ++i) words[i] = from.word64();
  });
}

broch_status uniform(const broch_host* host, const char* stream, uint64_t index, double* values,
                     uint64_t n) {
  return draw(host, "broch.rng/1 uniform", stream, index, values, n, [&](PhiloxStream& from) {
    for (uint64_t i = 0; i < n; ++i) values[i] = from.uniform53();
  });
}

broch_status normal(const broch_host* host, const char* stream, uint64_t index, double* values,
                    uint64_t n) {
  return draw(host, "broch.rng/1 normal", stream, index, values, n, [&](PhiloxStream& from) {
    base::NormalDraws draws(from);
    for (uint64_t i = 0; i < n; ++i) values[i] = draws.next();
  });
}

broch_status below(const broch_host* host, const char* stream, uint64_t index, uint64_t bound,
                   uint64_t* values, uint64_t n) {
  return draw(host, "broch.rng/1 below", stream, index, values, n, [&](PhiloxStream& from) {
    if (bound == 0)
      throw CallError(BROCH_E_INVALID_ARGUMENT,
                      "broch.rng/1 below: bound is 0, expected 1 or more");
    for (uint64_t i = 0; i < n; ++i) values[i] = from.below(bound);
  });
}

// The shuffle of Fisher and Yates, starting from the end.
broch_status permutation(const broch_host* host, const char* stream, uint64_t index,
                         uint64_t* order, uint64_t n) {
  return draw(host, "broch.rng/1 permutation", stream, index, order, n, [&](PhiloxStream& from) {
    std::iota(order, order + n, uint64_t{0});
    for (uint64_t i = n; i > 1; --i) std::swap(order[i - 1], order[from.below(i)]);
  });
}

}  // namespace

constinit const broch_host_rng kRngTable = {
    sizeof(broch_host_rng), 0, bits, uniform, normal, below, permutation};

}  // namespace broch::abi
