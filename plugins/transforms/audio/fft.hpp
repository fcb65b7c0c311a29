// fft.hpp: the discrete Fourier transform of any length.
#pragma once
#include <complex>
#include <cstddef>
#include <vector>

namespace audio {

using Complex = std::complex<double>;

// X[k] = sum over j of x[j] exp(-2 pi i j k / n). The time is proportional to n times the sum of
// the prime factors of n. Const functions can be called from any thread.
class Fft {
 public:
  explicit Fft(size_t n);
  size_t size() const { return turns_.size(); }
  // in and out have n elements and do not overlap.
  void transform(const Complex* in, Complex* out) const;

 private:
  void transform(const Complex* in, Complex* out, size_t n, size_t stride, size_t level) const;

  std::vector<size_t> factors_;
  std::vector<Complex> turns_;  // exp(-2 pi i k / n)
};

}  // namespace audio
