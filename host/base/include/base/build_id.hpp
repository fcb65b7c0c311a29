// build_id.hpp: the name that a linker gives each build of a library.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace broch::base {

// Finds the GNU build ID in `notes`, the content of a note segment of an ELF file, and returns it
// in hexadecimal, or "" if there is none. `align` is the alignment of the segment. The notes may be
// malformed: the function never reads outside of them.
std::string build_id_of(std::span<const unsigned char> notes, uint64_t align);

}  // namespace broch::base
