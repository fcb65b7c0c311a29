// build_id.hpp: the name that a linker gives each build of a library.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace broch::base {

// The GNU build-id among the notes of a segment of an ELF file, in hexadecimal; "" without one.
// align: of the segment. Reads nothing outside of the notes, whatever they say.
std::string build_id_of(std::span<const unsigned char> notes, uint64_t align);

}  // namespace broch::base
