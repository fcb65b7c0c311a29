// npy_test.cpp: arrays of .npy and .npz files hold what numpy reads from them
// (reference/make_data_files.py).
#include <archive/zip.hpp>
#include <archive/zip_writer.hpp>

#include "files/npy_array.hpp"
#include "support.hpp"

using namespace support;
using files::NpyArray;

namespace {

std::string rows_of(const NpyArray& array) {
  std::string bytes(array.rows() * array.row_bytes(), '\0');
  // From the last row to the first: a row does not depend on those before.
  for (uint64_t row = array.rows(); row-- > 0;)
    array.copy_row(row, bytes.data() + row * array.row_bytes());
  return bytes;
}

std::string shape_of(const NpyArray& array) {
  std::string text;
  for (const int64_t extent : array.row_shape())
    text += (text.empty() ? "" : ",") + std::to_string(extent);
  return text.empty() ? "-" : text;
}

std::string npy(const std::string& descr, const std::string& shape, const std::string& data) {
  const std::string dict =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  std::string bytes("\x93NUMPY\1\0", 8);
  bytes += {char(dict.size()), '\0'};
  return bytes + dict + data;
}

}  // namespace

TEST_CASE("npy: every type, byte order and order of elements") {
  size_t lines = 0;
  for (const auto& fields : fields_of(good("arrays.txt"))) {
    CAPTURE(fields[0]);
    const NpyArray array = NpyArray::open(good(fields[0]), fields[1] == "-" ? "" : fields[1]);
    const std::string kind = fields[2];
    CHECK(array.type().bits == 8 * std::stoi(kind.substr(1)));
    CHECK(shape_of(array) == fields[3]);
    CHECK(hex(rows_of(array)) == fields[4]);
    ++lines;
  }
  CHECK(lines == 15);
}

TEST_CASE("npy: what cannot be read says why") {
  const auto parse = [](const std::string& bytes) {
    return [bytes] { NpyArray::parse(bytes, "a.npy"); };
  };
  check_refusal(parse(npy("<f4", "(2, 2)", std::string(15, 'x'))),
                "a.npy: byte [0-9]+: found 15 .*16");
  check_refusal(parse(npy("<u8", "(1,)", std::string(8, 'x'))), "'<u8'");
  check_refusal(parse(npy("|V2", "(1,)", "xx")), "bfloat16");
  check_refusal(parse(npy("<f4", "()", "xxxx")), "without dimensions");
  check_refusal(parse(npy("<f4", "(0, 2)", "")), "without elements");
  check_refusal(parse(npy("<f4", "(9223372036854775807, 4)", "xxxx")), "2\\^64");
}

TEST_CASE("zip: as many members as there can be without a Zip64 directory") {
  std::string bytes;
  broch::archive::ZipWriter zip([&](std::string_view part) { bytes += part; });
  constexpr size_t kMost = 65535, kZip64 = 56 + 20, kEnd = 22;
  for (size_t i = 0; i < kMost; ++i) zip.begin(std::to_string(i), 0, 0);
  zip.finish();
  // Python's zipfile writes none for so many.
  bytes.erase(bytes.size() - kEnd - kZip64, kZip64);
  const auto members = broch::archive::zip_members(broch::archive::Memory(bytes, "z.zip"));
  REQUIRE(members.size() == kMost);
  CHECK(members.back().name == "65534");
}

TEST_CASE("npz: arrays by name, and damage") {
  check_refusal([] { NpyArray::open(good("stored.npz")); }, "2 arrays, expected one of 'x', 'y'");
  check_refusal([] { NpyArray::open(good("stored.npz"), "z"); }, "no array 'z'");
  check_refusal([] { NpyArray::open(good("f2.npy"), "z"); }, "for a .npz file only");
  check_refusal([] { NpyArray::open(good("none.npy")); }, "none.npy: found no such file");
  Folder folder;
  for (const char* name : {"packed.npz", "stored.npz"}) {
    CAPTURE(name);
    std::string bytes = read_file(good(name));
    const auto members = broch::archive::zip_members(broch::archive::Memory(bytes, name));
    REQUIRE(members.size() == 2);
    CHECK(members[0].deflated == (name == std::string("packed.npz")));
    // A bit of the elements of the first member.
    bytes[members[0].begin + members[0].packed - 1] ^= 1;
    const std::string damaged = folder.write("damaged.npz", bytes);
    CHECK(refusal([&] { NpyArray::open(damaged, "x"); }) != "");
    if (!members[0].deflated)
      check_refusal([&] { NpyArray::open(damaged, "x"); }, "npz: 'x.npy': found another checksum");
    CHECK(refusal([&] { NpyArray::open(damaged, "y"); }) == "");
    const std::string cut = folder.write("cut.npz", bytes.substr(0, bytes.size() - 30));
    check_refusal([&] { NpyArray::open(cut, "x"); }, "no directory of a zip file");
  }
}
