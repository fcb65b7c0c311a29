// checksum_test.cpp: checksums against published vectors.
#include "base/checksum.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

#include "crc32c.hpp"

using namespace broch::base;

namespace {

std::vector<unsigned char> counting(size_t size) {
  std::vector<unsigned char> bytes(size);
  std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
  return bytes;
}

}  // namespace

TEST_CASE("checksum: crc32c gives the vectors of RFC 3720, appendix B.4") {
  const std::vector<unsigned char> zeros(32, 0), ones(32, 0xFF), up = counting(32);
  const std::vector<unsigned char> down(up.rbegin(), up.rend());
  CHECK(crc32c("123456789", 9) == 0xE3069283u);
  CHECK(crc32c(zeros.data(), 32) == 0x8A9136AAu);
  CHECK(crc32c(ones.data(), 32) == 0x62A8AB43u);
  CHECK(crc32c(up.data(), 32) == 0x46DD794Eu);
  CHECK(crc32c(down.data(), 32) == 0x113FDB5Cu);
  CHECK(crc32c(nullptr, 0) == 0u);
}

TEST_CASE("checksum: the tables and the instruction agree at every length and offset") {
  const std::vector<unsigned char> bytes = counting(300);
  for (size_t start = 0; start < 9; ++start)
    for (size_t size = 0; size < 260; ++size)
      REQUIRE(~crc32c_by_tables(&bytes[start], size, ~0u) == crc32c(&bytes[start], size));
}

TEST_CASE("checksum: crc32c of parts continues to that of the whole") {
  const std::vector<unsigned char> bytes = counting(100);
  const uint32_t first = crc32c(bytes.data(), 37);
  CHECK(crc32c(bytes.data() + 37, 63, first) == crc32c(bytes.data(), 100));
}

TEST_CASE("checksum: the masked form is the one in TensorFlow's record files") {
  // The length field 24 that opens every event file written by TensorBoard 2.x.
  const unsigned char length[8] = {24, 0, 0, 0, 0, 0, 0, 0};
  CHECK(masked_crc32c(length, 8) == 0x224B7FA3u);
}

TEST_CASE("checksum: xxh128 gives the reference values of XXH3") {
  CHECK(xxh128("", 0) == "99aa06d3014798d86001c324468d497f");
}
