// npz_fuzz.cpp: any bytes as a .npz or .npy file: rows or an Error.
#include <archive/zip.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "broch/cpp/error.hpp"
#include "files/npy_array.hpp"

namespace {

void copy_all(std::string_view bytes) {
  const files::NpyArray array = files::NpyArray::parse(bytes, "fuzz.npy");
  std::string row(array.row_bytes(), '\0');
  for (uint64_t i = 0; i < array.rows() && i < 1000; ++i) array.copy_row(i, row.data());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    if (!bytes.starts_with("PK")) {
      copy_all(bytes);
      return 0;
    }
    const broch::archive::Memory file(bytes, "fuzz.npz");
    for (const broch::archive::ZipMember& member : broch::archive::zip_members(file))
      copy_all(member.deflated ? broch::archive::unpack(file, member)
                               : file.read(member.begin, member.packed));
  } catch (const broch::Error&) {
  }
  return 0;
}
