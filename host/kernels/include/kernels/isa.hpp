// isa.hpp: which vector instructions the kernels use; each kernel is compiled for all of them.
#pragma once
#include <string_view>

namespace broch::kernels {

enum class Isa { generic, avx2, avx512 };

// The instructions in use: the widest that the processor has, at most what BROCH_ISA
// (generic|avx2|avx512) and ATEN_CPU_CAPABILITY (default|avx2|avx512) allow, at most the limit.
Isa isa() noexcept;

// Sets the limit for the whole process, over that of the environment; what the processor lacks is
// never chosen. Plans made before keep their choice.
void limit_isa(Isa widest) noexcept;

// What BROCH_ISA says where that is none of its words, and limits nothing; else "".
std::string_view unknown_isa() noexcept;

// "generic", "avx2" or "avx512": what isa() returns.
const char* isa_name() noexcept;

// What the processor has, whatever the limit.
Isa hardware_isa() noexcept;

}  // namespace broch::kernels
