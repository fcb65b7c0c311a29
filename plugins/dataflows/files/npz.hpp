// npz.hpp: the members of a zip file, as numpy.savez and numpy.savez_compressed write it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace files {

struct ZipMember {
  std::string name;         // "x.npy"
  std::string_view packed;  // its bytes in the file, borrowed
  uint64_t size = 0;        // unpacked
  uint32_t crc = 0;         // of the unpacked bytes
  bool deflated = false;
};

// bytes: the whole file. place: its name in messages. Large files (Zip64) are understood, encrypted
// ones and other methods than stored and deflate are refused. Throws Error with the byte.
std::vector<ZipMember> zip_members(std::string_view bytes, const std::string& place);

// The member NAME.npy of the array; with name "" the only member. Throws Error that lists them.
const ZipMember& member_named(const std::vector<ZipMember>& members, const std::string& name,
                              const std::string& place);

// The unpacked bytes of a deflated member, checked against its size and checksum.
std::string unpack(const ZipMember& member, const std::string& place);

}  // namespace files
