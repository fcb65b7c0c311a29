// zip.hpp: the members of a zip file, as numpy.savez and torch.save write it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "archive/source.hpp"

namespace broch::archive {

struct ZipMember {
  std::string name;                // "x.npy"
  uint64_t begin = 0, packed = 0;  // its bytes in the file
  uint64_t size = 0;               // unpacked
  uint32_t crc = 0;                // of the unpacked bytes
  bool deflated = false;
};

// Large files (Zip64) are understood, encrypted ones and other methods than stored and deflate are
// refused. Throws Error with the byte.
std::vector<ZipMember> zip_members(const Source& file);

// The file and the member, for messages.
std::string place_of(const Source& file, const ZipMember& member);

// The unpacked bytes of a deflated member, checked against its size and checksum.
std::string unpack(const Source& file, const ZipMember& member);
// Compares the checksum of a stored member. Takes half a second per GiB if the file is cached.
// Where it is 0, there is none: torch.serialization.skip_data reserves room for elements that are
// written later, and set_crc32_options(False) leaves checksums out.
void check_stored(const Source& file, const ZipMember& member);

}  // namespace broch::archive
