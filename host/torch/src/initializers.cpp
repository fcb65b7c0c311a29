// initializers.cpp: uniform, normal and orthogonal initial values, scaled by the fan-in and
// fan-out.
//
// Computed one by one in double, so that the values depend on this source alone and not on a
// kernel.
#include "initializers.hpp"

#include <cmath>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/philox.hpp"
#include "base/text.hpp"

namespace broch::libtorch {
namespace {

using base::NormalDraws;
using base::PhiloxStream;

[[noreturn]] void refuse(const std::string& found, const std::string& expected,
                         const std::string& hint) {
  throw base::Error(base::Exit::training,
                    base::Diagnostic{"initializer", "found " + found, expected, hint});
}

double at_least(double least, double value, const char* what) {
  if (!(value >= least && std::isfinite(value))) {
    refuse(std::string(what) + " " + base::shortest(value),
           "a finite number, at least " + base::shortest(least), "set it in the variable's spec");
  }
  return value;
}

double scale_of(const broch_variable_spec& spec) {
  if (!(spec.a > 0 && std::isfinite(spec.a))) {
    refuse("scale a = " + base::shortest(spec.a), "a finite number above 0",
           "1 is the usual scale; for zeros take the initializer constant");
  }
  return spec.a;
}

struct Fans {
  double in, out;
};
// Weights are (out, in) or (out, in, k…); a bias has no fans.
Fans fans_of(const broch_variable_spec& spec) {
  if (spec.rank < 2) {
    refuse("a shape of rank " + std::to_string(spec.rank), "rank 2 or more: (out, in, …)",
           "give a bias a constant or a uniform range");
  }
  double kernel = 1;
  for (uint32_t i = 2; i < spec.rank; ++i) kernel *= static_cast<double>(spec.shape[i]);
  return {static_cast<double>(spec.shape[1]) * kernel, static_cast<double>(spec.shape[0]) * kernel};
}

size_t elements_of(const broch_variable_spec& spec) {
  size_t count = 1;
  for (uint32_t i = 0; i < spec.rank; ++i) count *= static_cast<size_t>(spec.shape[i]);
  return count;
}

void fill_uniform(std::vector<double>& values, PhiloxStream& stream,
                  const broch_variable_spec& spec, double low, double high) {
  const double range = high - low;
  for (double& value : values) {
    const double u = spec.dtype == BROCH_FLOAT64 ? stream.uniform53() : stream.uniform24();
    value = low + range * u;
  }
}

void fill_normal(std::vector<double>& values, PhiloxStream& stream, double mean, double deviation,
                 double bound) {
  NormalDraws draws(stream);
  for (double& value : values) {
    double z = draws.next();
    while (std::abs(z) > bound) z = draws.next();
    value = mean + deviation * z;
  }
}

// Uses eight sums, so that their order is the same for every vector width.
double dot(std::span<const double> a, std::span<const double> b) {
  double lanes[8] = {};
  size_t i = 0;
  for (; i + 8 <= a.size(); i += 8) {
    for (size_t lane = 0; lane < 8; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
  }
  double sum = 0;
  for (; i < a.size(); ++i) sum += a[i] * b[i];
  for (const double lane : lanes) sum += lane;
  return sum;
}

// The Gram-Schmidt process on normal vectors, with two passes for each vector. The result is the Q
// of a QR decomposition whose R has a positive diagonal (Saxe et al. 2013).
void fill_orthogonal(std::vector<double>& values, PhiloxStream& stream,
                     const broch_variable_spec& spec) {
  const auto rows = static_cast<size_t>(spec.shape[0]);
  const size_t columns = rows ? values.size() / rows : 0;
  const bool tall = rows > columns;
  const size_t count = tall ? columns : rows, length = tall ? rows : columns;
  std::vector<double> vectors(values.size());
  fill_normal(vectors, stream, 0, 1, HUGE_VAL);
  const auto vector = [&](size_t i) { return std::span(vectors).subspan(i * length, length); };
  for (size_t i = 0; i < count; ++i) {
    for (int pass = 0; pass < 2; ++pass) {
      for (size_t j = 0; j < i; ++j) {
        const double share = dot(vector(i), vector(j));
        for (size_t k = 0; k < length; ++k) vector(i)[k] -= share * vector(j)[k];
      }
    }
    const double norm = std::sqrt(dot(vector(i), vector(i)));
    for (double& value : vector(i)) value /= norm;
  }
  for (size_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < length; ++k) {
      values[tall ? k * columns + i : i * columns + k] = spec.a * vector(i)[k];
    }
  }
}

}  // namespace

std::vector<double> drawn_values(const broch_variable_spec& spec, uint64_t key) {
  std::vector<double> values(elements_of(spec));
  PhiloxStream stream(key, 0);
  switch (spec.initializer) {
    case BROCH_INIT_UNIFORM:
      at_least(spec.a, spec.b, "upper end b =");
      fill_uniform(values, stream, spec, spec.a, spec.b);
      return values;
    case BROCH_INIT_NORMAL:
      fill_normal(values, stream, spec.a, at_least(0, spec.b, "standard deviation b ="), HUGE_VAL);
      return values;
    case BROCH_INIT_TRUNCATED_NORMAL:
      fill_normal(values, stream, spec.a, at_least(0, spec.b, "standard deviation b ="), 2);
      return values;
    case BROCH_INIT_HE_NORMAL:
      fill_normal(values, stream, 0, std::sqrt(2 * scale_of(spec) / fans_of(spec).in), HUGE_VAL);
      return values;
    case BROCH_INIT_GLOROT_UNIFORM: {
      const Fans fans = fans_of(spec);
      const double limit = scale_of(spec) * std::sqrt(6 / (fans.in + fans.out));
      fill_uniform(values, stream, spec, -limit, limit);
      return values;
    }
    case BROCH_INIT_LECUN_UNIFORM: {
      const double limit = scale_of(spec) / std::sqrt(fans_of(spec).in);
      fill_uniform(values, stream, spec, -limit, limit);
      return values;
    }
    case BROCH_INIT_ORTHOGONAL:
      scale_of(spec);
      fans_of(spec);
      fill_orthogonal(values, stream, spec);
      return values;
    default:
      refuse("code " + std::to_string(spec.initializer), "one of BROCH_INIT_…",
             "rebuild the plugin with this host's headers, or take one of ext/variables.h");
  }
}

}  // namespace broch::libtorch
