// tar.hpp: the files in a tar archive: ustar, pax (POSIX.1-2001) and GNU long names, uncompressed.
#pragma once
#include <archive/source.hpp>
#include <functional>
#include <string>
#include <vector>

namespace containers {

using broch::archive::Source;

struct TarFile {
  std::string name;
  uint64_t header;  // where its header begins, in bytes
  uint64_t offset;  // of the content
  uint64_t size;
};

// Calls found for each regular file, in order. Throws Error if the archive is damaged, ends before
// its closing block of zeros, is compressed, or contains sparse files.
void read_tar(const Source& source, const std::function<void(TarFile)>& found);

// The last words that tell a reader of the message what to do with a compressed file; "" if the
// first bytes are not those of a compressed file.
std::string compression_of(std::string_view first_bytes);

}  // namespace containers
