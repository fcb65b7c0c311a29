// gloo_engine.cpp: what broch_gloo.so exports.
#include "gloo.hpp"

extern "C" __attribute__((visibility("default"))) broch::dist::Group* broch_dist_join(
    const broch::dist::Ranks& ranks, std::chrono::milliseconds timeout) {
  return new broch::dist::Gloo(ranks, timeout);
}
