// isa.cpp: the widest vector instructions of this processor, and their limits.
#include "kernels/isa.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string_view>

namespace broch::kernels {
namespace {

constexpr const char* kNames[] = {"generic", "avx2", "avx512"};

std::string_view word_in(const char* variable) noexcept {
  const char* text = std::getenv(variable);
  return text ? text : "";
}

// LibTorch's word for Isa::generic is "default". Words other than these do not limit.
Isa limit_in(const char* variable) noexcept {
  const std::string_view word = word_in(variable);
  if (word == "generic" || word == "default") return Isa::generic;
  return word == "avx2" ? Isa::avx2 : Isa::avx512;
}

Isa at_start() noexcept {
  return std::min({hardware_isa(), limit_in("BROCH_ISA"), limit_in("ATEN_CPU_CAPABILITY")});
}

std::atomic<Isa>& current() noexcept {
  static std::atomic<Isa> isa = at_start();
  return isa;
}

}  // namespace

Isa hardware_isa() noexcept {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (avx2) return avx512 ? Isa::avx512 : Isa::avx2;
#endif
  return Isa::generic;
}

Isa isa() noexcept { return current().load(std::memory_order_relaxed); }

void limit_isa(Isa widest) noexcept { current() = std::min(hardware_isa(), widest); }

std::string_view unknown_isa() noexcept {
  const std::string_view word = word_in("BROCH_ISA");
  const auto* const known = std::ranges::find(kNames, word);
  return known == std::end(kNames) ? word : std::string_view();
}

const char* isa_name() noexcept { return kNames[static_cast<int>(isa())]; }

}  // namespace broch::kernels
