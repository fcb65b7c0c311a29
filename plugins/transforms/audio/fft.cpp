// fft.cpp: decimation in time with one factor of n after another. Source: Cooley and Tukey, "An
// algorithm for the machine calculation of complex Fourier series", 1965.
#include "audio/fft.hpp"

#include <cmath>
#include <numbers>

namespace audio {
namespace {

// operator* would also look for infinities.
Complex times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

Fft::Fft(size_t n) : turns_(n) {
  size_t left = n;
  for (size_t factor = 4; left > 1;) {
    if (left % factor == 0) {
      factors_.push_back(factor);
      left /= factor;
    } else {
      factor = factor == 4 ? 2 : factor == 2 ? 3 : factor + 2;
      if (factor * factor > left && left % factor != 0 && factor > 2) factor = left;
    }
  }
  for (size_t k = 0; k < n; ++k)
    turns_[k] = std::polar(1.0, -2 * std::numbers::pi * double(k) / double(n));
}

void Fft::transform(const Complex* in, Complex* out) const {
  if (size() == 1)
    out[0] = in[0];
  else
    transform(in, out, size(), 1, 0);
}

// Transforms in[0], in[stride], …, n elements: first each of the p interleaved parts into its
// quarter, third, … of out, then joins them.
void Fft::transform(const Complex* in, Complex* out, size_t n, size_t stride, size_t level) const {
  const size_t p = factors_[level], m = n / p;
  for (size_t q = 0; q < p; ++q) {
    if (m == 1)
      out[q] = in[q * stride];
    else
      transform(in + q * stride, out + q * m, m, stride * p, level + 1);
  }
  if (p == 2) {
    for (size_t k = 0; k < m; ++k) {
      const Complex a = out[k], b = times(out[k + m], turns_[k * stride]);
      out[k] = a + b;
      out[k + m] = a - b;
    }
    return;
  }
  if (p == 4) {
    for (size_t k = 0; k < m; ++k) {
      const Complex a = out[k], b = times(out[k + m], turns_[k * stride]),
                    c = times(out[k + 2 * m], turns_[2 * k * stride]),
                    d = times(out[k + 3 * m], turns_[3 * k * stride]);
      const Complex even = a + c, odd = b + d, difference = a - c;
      const Complex turned(b.imag() - d.imag(), d.real() - b.real());  // (b - d) / i
      out[k] = even + odd;
      out[k + m] = difference + turned;
      out[k + 2 * m] = even - odd;
      out[k + 3 * m] = difference - turned;
    }
    return;
  }
  std::vector<Complex> parts(p);
  for (size_t k = 0; k < m; ++k) {
    for (size_t q = 0; q < p; ++q) parts[q] = times(out[q * m + k], turns_[q * k * stride]);
    for (size_t r = 0; r < p; ++r) {
      Complex sum = 0;
      for (size_t q = 0; q < p; ++q) sum += times(parts[q], turns_[q * r * m * stride % size()]);
      out[r * m + k] = sum;
    }
  }
}

}  // namespace audio
