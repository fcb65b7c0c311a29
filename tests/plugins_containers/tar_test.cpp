// tar_test.cpp: archives of WebDataset and of Python's tarfile, damaged ones, and our own.
#include "containers/tar.hpp"

#include <archive/npy_header.hpp>
#include <map>

#include "containers/decode.hpp"
#include "containers/index_cache.hpp"
#include "containers/paths.hpp"
#include "containers/tar_index.hpp"
#include "containers/tar_writer.hpp"
#include "support.hpp"

using namespace broch::archive;
using namespace containers;
using support::good;
using Contents = std::map<std::string, std::string>;

namespace {

Contents contents(const Source& source) {
  Contents files;
  read_tar(source,
           [&](const TarFile& file) { files[file.name] = source.read(file.offset, file.size); });
  return files;
}

void check_refused(const std::string& bytes, const std::string& pattern) {
  const Memory memory(bytes, "a.tar");
  support::check_refused(pattern, [&] { index_tar(memory); });
}

// Corrects the checksum of the header at this offset.
void sign(std::string& bytes, size_t offset = 0) {
  std::memset(&bytes[offset + 148], ' ', 8);
  unsigned sum = 0;
  for (size_t i = 0; i < 512; ++i) sum += static_cast<unsigned char>(bytes[offset + i]);
  std::snprintf(&bytes[offset + 148], 8, "%06o", sum);
}

}  // namespace

TEST_CASE("tar: samples of WebDataset") {
  const File file(good("webdataset.tar"));
  const TarIndex index = index_tar(file);
  REQUIRE(index.samples() == support::kCount);
  for (uint64_t i = 0; i < index.samples(); ++i) {
    const auto bytes = [&](const char* extension) {
      const TarIndex::Entry& entry = entry_of(index, i, extension, file.name());
      return file.read(entry.offset, entry.size);
    };
    CHECK(bytes("jpg") == std::string({'\xff', '\xd8', char(i)}));
    CHECK(bytes("png;jpg") == bytes("jpg"));
    CHECK(support::values<int64_t>(decode(bytes("cls"), Meaning::integer, "cls")) ==
          std::vector<int64_t>{int64_t(i) * 10});
    const std::string npy = bytes("seg.npy");
    const Component array = decode(npy, Meaning::npy, "npy");
    CHECK(array.shape == std::vector<int64_t>{2, 2});
    const float x = float(i);
    CHECK(support::values<float>(array) == std::vector<float>{x, x + 1, x + 2, x + 3});
  }
  support::check_refused(
      "byte \\d+: found a data point with the extensions .*jpg.*, expected txt; ",
      [&] { entry_of(index, 0, "txt", "a.tar"); });
  support::check_refused("tar --sort=name", [&] { entry_of(index, 0, "txt", "a.tar"); });
}

TEST_CASE("tar: long names of GNU and of pax; folders and links are left out") {
  for (const char* name : {"gnu.tar", "pax.tar"}) {
    CAPTURE(name);
    const File file(good(name));
    const std::string stem = "folder/" + std::string(150, 'x');
    CHECK(contents(file) == Contents{{stem + "0.TXT", "text 0"},
                                     {stem + "1.TXT", "text 1"},
                                     {"README", "no extension"}});
    const TarIndex index = index_tar(file);
    CHECK(index.samples() == 2);
    CHECK(index.extensions == std::vector<std::string>{"txt"});
  }
}

TEST_CASE("tar: what is written is read again") {
  const support::Folder folder;
  const std::string path = folder / "a.tar", long_name = std::string(300, 'y') + ".bin";
  TarWriter writer(path);
  writer.add("a.cls", "7");
  writer.add("a.bin", std::string(512, 'a'));
  writer.add(long_name, "");
  writer.finish();
  const File file(path);
  CHECK(contents(file) ==
        Contents{{"a.cls", "7"}, {"a.bin", std::string(512, 'a')}, {long_name, ""}});
  support::check_refused("cannot be written", [&] { TarWriter(folder / "no/folder.tar"); });
}

TEST_CASE("tar: links say how large the file is to which they lead") {
  const support::Folder folder;
  TarWriter writer(folder / "a.tar");
  writer.add("a.txt", "1");
  writer.add("b.txt", "");
  writer.finish();
  std::string bytes = support::read_file(folder / "a.tar");
  constexpr size_t kSecond = 1024;  // header
  bytes[kSecond + 156] = '1';
  bytes.replace(kSecond + 124, 12, "77777777777 ");
  sign(bytes, kSecond);
  CHECK(contents(Memory(bytes, "a.tar")) == Contents{{"a.txt", "1"}});
}

TEST_CASE("tar: a size as a binary number") {
  std::string bytes = support::read_file(good("webdataset.tar"));
  const std::string octal = bytes.substr(124, 12);
  const uint64_t size = std::stoull(octal, nullptr, 8);
  bytes.replace(124, 12, std::string("\x80") + std::string(10, '\0') + char(size));
  sign(bytes);
  CHECK(index_tar(Memory(bytes, "a.tar")).samples() == support::kCount);
}

TEST_CASE("tar: damaged and foreign archives") {
  const std::string whole = support::read_file(good("webdataset.tar"));
  check_refused("", "a.tar: byte 0: found the end of the file, expected a header .* cut short");
  check_refused(whole.substr(0, 512 * 9), "cut short");
  check_refused(whole.substr(0, 700), "cut short");
  check_refused("\x1f\x8b" + std::string(600, 'x'), "compressed file.*gunzip a.tar");
  check_refused("\x28\xb5\x2f\xfd" + std::string(600, 'x'), "compressed file.*unzstd a.tar");
  check_refused(std::string(600, 'x'), "byte 0: found a header with the checksum 'xxxxxxxx'");
  std::string changed = whole;
  changed[512 * 2] ^= 1;
  check_refused(changed, "byte 1024: found a header with the checksum");
  std::string sparse = whole;
  sparse[156] = 'S';
  sign(sparse);
  check_refused(sparse, "a sparse file");
  std::string huge = whole;
  huge.replace(124, 12, "77777777777 ");
  sign(huge);
  check_refused(huge, "an entry of 8589934591 bytes, expected at most");
  check_refused(whole + whole, "byte " + std::to_string(whole.size()) +
                                   ": found another archive behind the end of the first");
  CHECK(index_tar(Memory(whole + std::string(100000, '\0'), "a.tar")).samples() == support::kCount);
  CHECK(index_tar(Memory(whole + std::string(1000, 'x'), "a.tar")).samples() == support::kCount);

  const support::Folder folder;
  TarWriter writer(folder / "twice.tar");
  writer.add("a.txt", "1");
  writer.add("a.TXT", "2");
  writer.finish();
  support::check_refused("a second file 'a.TXT'", [&] { index_tar(File(folder / "twice.tar")); });

  // Frames of a film, which are no data points of their own by the rules of WebDataset.
  TarWriter film(folder / "film.tar");
  for (int i = 0; i < 100; ++i) film.add("frame." + std::to_string(i), "");
  film.finish();
  const TarIndex frames = index_tar(File(folder / "film.tar"));
  CHECK(frames.samples() == 1);
  support::check_refused("the extensions 0, 1, .*, 29, …, expected jpg",
                         [&] { entry_of(frames, 0, "jpg", "film.tar"); });
}

TEST_CASE("decode: numbers as text, arrays, and their messages") {
  CHECK(support::values<int64_t>(decode(" -12\n", Meaning::integer, "a")) ==
        std::vector<int64_t>{-12});
  CHECK(support::values<float>(decode("0.5", Meaning::real, "a")) == std::vector<float>{0.5});
  CHECK(support::values<float>(decode("1e-60", Meaning::real, "a")) == std::vector<float>{0});
  support::check_refused("^a: found 'x', expected an integer",
                         [] { decode("x", Meaning::integer, "a"); });
  support::check_refused("found '', expected a number", [] { decode("", Meaning::real, "a"); });
  const Component array = values_of<int64_t>(kInt64, {1, 2, 3, 4, 5, 6}, {2, 3});
  const std::string npy = npy_of(array);
  CHECK(npy.find('\n') % 64 == 63);
  const Component again = decode(npy, Meaning::npy, "a");
  CHECK(again.shape == array.shape);
  CHECK(again.bytes() == array.bytes());
  const std::string scalar = npy_of(scalar_of(kInt64, int64_t{7}));
  CHECK(decode(scalar, Meaning::npy, "a").shape.empty());
  CHECK(support::values<int64_t>(decode(scalar, Meaning::npy, "a")) == std::vector<int64_t>{7});
  const broch_dl_type half{BROCH_DL_FLOAT, 16, 1};
  CHECK(same_type(decode(npy_of(scalar_of(half, int16_t{0})), Meaning::npy, "a").type, half));
  support::check_refused("a: byte 128: found 40 bytes of data, expected as many as the shape",
                         [&] { decode(std::string_view(npy).substr(0, 168), Meaning::npy, "a"); });
}

TEST_CASE("decode: arrays of another order, and of types that a data point does not have") {
  using namespace std::string_literals;
  std::string columns = npy_header("|u1", {2, 3}) + "adbecf";
  columns.replace(columns.find("False"), 5, "True ");
  const Component turned = decode(columns, Meaning::npy, "a");
  CHECK(turned.shape == std::vector<int64_t>{2, 3});
  CHECK(turned.bytes() == "abcdef");
  std::string none = npy_header("<f4", {0, 3});
  none.replace(none.find("False"), 5, "True ");
  CHECK(decode(none, Meaning::npy, "a").shape == std::vector<int64_t>{0, 3});
  for (const char* descr : {">f4", "<u2", ">i8"}) {
    const std::string nothing = npy_header(descr, {0, 4});  // which has to stay
    CHECK(decode(nothing, Meaning::npy, "a").shape == std::vector<int64_t>{0, 4});
  }
  const std::string big = npy_header(">i4", {2}) + "\0\0\0\1\0\0\1\0"s;
  CHECK(support::values<int32_t>(decode(big, Meaning::npy, "a")) == std::vector<int32_t>{1, 256});
  const Component depth = decode(npy_header("<u2", {}) + "\xff\xff", Meaning::npy, "a");
  CHECK(depth.shape.empty());
  CHECK(support::values<int32_t>(depth) == std::vector<int32_t>{65535});
  const std::string odd = npy_header("<u8", {1}) + std::string(8, 'x');
  support::check_refused("a: found elements of type '<u8', expected numbers.*astype\\('int64'\\)",
                         [&] { decode(odd, Meaning::npy, "a"); });
}

TEST_CASE("paths: ranges, lists and patterns") {
  using Paths = std::vector<std::string>;
  CHECK(expand_paths({"a-{08..11}.tar", "b"}) ==
        Paths{"a-08.tar", "a-09.tar", "a-10.tar", "a-11.tar", "b"});
  CHECK(expand_paths({"{x,y}{1..2}{z}"}) == Paths{"x1{z}", "x2{z}", "y1{z}", "y2{z}"});
  CHECK(expand_paths({"{3..1}", "{"}) == Paths{"{3..1}", "{"});
  CHECK(expand_paths({good("*.tar")}) ==
        Paths{good("gnu.tar"), good("pax.tar"), good("webdataset.tar")});
  support::check_refused("none\\*: found no file", [] { expand_paths({"none*"}); });
  support::check_refused("1,000,000", [] { expand_paths({"{0..999}{0..1001}"}); });
  support::check_refused("1,000,000", [] { expand_paths({"{0..99999999999}"}); });
}

TEST_CASE("index: kept beside the file or in a folder, as long as the file stays the same") {
  const support::Folder folder;
  const std::string path = folder.write("a.tar", support::read_file(good("webdataset.tar")));
  for (const std::string& where : {std::string(), folder / "indices"}) {
    CAPTURE(where);
    const IndexCache cache(where, "tar");
    const File file(path);
    const TarIndex index = index_tar(file);
    CHECK_FALSE(cache.load(file));
    REQUIRE(cache.save(file, text_of(index)));
    const auto text = cache.load(file);
    REQUIRE(text);
    const auto again = parse_tar_index(*text, file.size());
    REQUIRE(again);
    CHECK(again->starts == index.starts);
    CHECK(again->extensions == index.extensions);
    CHECK(text_of(*again) == *text);
    CHECK_FALSE(parse_tar_index(*text, 1000));
    CHECK_FALSE(IndexCache(where, "other").load(file));
    std::string damaged = support::read_file(cache.path_of(file));
    damaged.back() ^= 1;
    broch::test::write_file(cache.path_of(file), damaged);
    CHECK_FALSE(cache.load(file));
  }
  const File first(path);
  const IndexCache cache("", "tar");
  REQUIRE(cache.save(first, "x"));
  broch::test::write_file(cache.path_of(first) + ".4711", "of a program that was killed");
  CHECK(expand_paths({folder / "a*"}) == std::vector<std::string>{path});
  folder.write("a.tar", "another size");
  CHECK_FALSE(cache.load(File(path)));
  CHECK_FALSE(IndexCache("/dev/null/no", "tar").save(first, "x"));
}
