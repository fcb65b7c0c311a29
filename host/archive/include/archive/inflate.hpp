// inflate.hpp: unpacks what zlib has packed, up to a limit that the caller knows.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace broch::archive {

enum class Wrapping { raw, zlib, gzip };  // RFC 1951, 1950, 1952

bool is_gzip(std::string_view bytes);

// All that is packed. Throws Error that begins with place: damaged, cut short, bytes behind the
// end, or more than limit bytes. A gzip file may consist of several members.
std::string inflate(std::string_view packed, Wrapping wrapping, uint64_t limit,
                    const std::string& place);

// The CRC-32 of zip and gzip. before: that of the bytes in front of these.
uint32_t crc32_of(std::string_view bytes, uint32_t before = 0);

}  // namespace broch::archive
