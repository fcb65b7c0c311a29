// isa.hpp: which vector instructions the kernels use. Each kernel is compiled for all of them.
#pragma once
#include <string_view>

namespace broch::kernels {

enum class Isa { generic, avx2, avx512 };

// The instructions in use: the widest that the processor has and that BROCH_ISA
// (generic|avx2|avx512), ATEN_CPU_CAPABILITY (default|avx2|avx512) and limit_isa() allow.
Isa isa() noexcept;

// Sets the limit for the whole process, in place of that of the environment. What the processor
// does not have is never chosen. Plans that exist already keep their choice.
void limit_isa(Isa widest) noexcept;

// The value of BROCH_ISA if it is none of the words above, in which case it limits nothing;
// otherwise "".
std::string_view unknown_isa() noexcept;

// The name of isa(): "generic", "avx2" or "avx512".
const char* isa_name() noexcept;

// The widest instructions of the processor, without limits.
Isa hardware_isa() noexcept;

}  // namespace broch::kernels
