// bad_checkpoint_test.cpp: classes of bad checkpoints, each with what the message must say, and
// seeded mutations: a change is noticed, always.
#include <fcntl.h>

#include <random>

#include "store/checkpoint.hpp"
#include "support.hpp"

using namespace broch::store;
using broch::base::Error;
using broch::base::Exit;

namespace {

const std::string kDamaged = "the file is damaged or no safetensors file";
const std::string kChanged = "was damaged, or changed by another program";
const std::string kForeign = "session_init";
const std::string kNotOurs = "not written by this program";

// Length, JSON and data. Structure is looked at before checksums, so no sums are needed.
std::string raw(const std::string& json, size_t data_size = 0) {
  const uint64_t length = json.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + json +
         std::string(data_size, 'd');
}

std::string tensor(const std::string& fields) { return "{\"a\":{" + fields + "}}"; }

std::string tensors(const std::string& first, const std::string& second) {
  const std::string head = R"({"dtype":"U8","shape":[4],"data_offsets":)";
  return "{\"a\":" + head + first + "},\"b\":" + head + second + "}}";
}

std::string checkpoint_bytes(int64_t step, size_t weights = 6) {
  const Folder folder;
  return read_file(write_checkpoint(folder.path(), "model", Sample(step, weights).contents));
}

// A file with right checksums around contents that are wrong.
std::string sealed(std::vector<TensorView> tensors, Metadata metadata) {
  const Folder folder;
  write_safetensors(folder / "a", std::move(tensors), std::move(metadata));
  return read_file(folder / "a");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string flipped(std::string text, size_t at) {
  text.at(at) ^= 0x04;
  return text;
}

struct Bad {
  const char* what;
  std::string bytes;
  std::string found, expected, next;  // expressions
};

void check(const std::filesystem::path& path, const Bad& bad) {
  INFO(bad.what);
  const std::string text = refusal(Exit::checkpoint, [&] { read_checkpoint(path); });
  INFO(text);
  CHECK(text.starts_with(path.string() + ": "));
  const size_t expected = text.find(", expected "), hint = text.find("\n  hint: ");
  CHECK(matches(text.substr(path.string().size(), std::min(expected, hint)), bad.found));
  if (bad.expected.empty()) {
    CHECK(expected == std::string::npos);
  } else {
    REQUIRE(expected != std::string::npos);
    CHECK(matches(text.substr(expected), bad.expected));
  }
  REQUIRE(hint != std::string::npos);
  CHECK(matches(text.substr(hint), bad.next));
}

void check_all(const std::vector<Bad>& table) {
  const Folder folder;
  for (const Bad& bad : table) {
    write_file(folder / "bad.safetensors", bad.bytes);
    check(folder / "bad.safetensors", bad);
  }
}

const std::string kScalar = R"("dtype":"U8","shape":[4],"data_offsets":[0,4])";

}  // namespace

TEST_CASE("bad checkpoint: sizes and text that are no header") {
  check_all({
      {"empty file", "", "the file has 0 bytes", "a header length and a header", kDamaged},
      {"cut in the length", "\1\2\3\4\5", "the file has 5 bytes", "a header length", kDamaged},
      {"only the length", raw("").substr(0, 8), "the file has 8 bytes", "a header", kDamaged},
      {"length beyond the file", std::string("\x7f\0\0\0\0\0\0\0{}", 10),
       "header length of 127 in a file of 10 bytes", "inside the file", kDamaged},
      {"length of 2^64-1", std::string(8, '\xff') + "{}", "header length of 18446744073709551615",
       "inside the file", kDamaged},
      {"blank before the header", raw(" {}"), "does not start with '\\{'", "an object", kDamaged},
      {"an array", raw("[ ]"), "does not start with '\\{'", "an object", kDamaged},
      {"cut JSON", raw("{\"a\":{"), "no JSON at its byte", "a safetensors header", kDamaged},
      {"text after the JSON", raw("{} x"), "no JSON at its byte 4", "a safetensors", kDamaged},
      {"not UTF-8", raw("{\"\xff\":{}}"), "no JSON at its byte", "a safetensors", kDamaged},
      {"deep arrays", raw("{\"a\":{\"shape\":" + std::string(100'000, '[')), "has an array in",
       "a list of sizes", kDamaged},
      {"deep objects", raw("{\"a\":{\"shape\":{\"b\":{}}}}"), "has an object in 'shape'",
       "a list of sizes", kDamaged},
  });
}

TEST_CASE("bad checkpoint: headers of another shape") {
  const std::string offsets = R"("data_offsets":[0,4])";
  check_all({
      {"two tensors of a name", raw("{\"a\":{" + kScalar + "},\"a\":{" + kScalar + "}}", 4),
       "'a' occurs twice", "unique names", kDamaged},
      {"two metadata of a key", raw(R"({"__metadata__":{"k":"1","k":"2"}})"),
       "metadata 'k' occurs twice", "unique keys", kDamaged},
      {"metadata that is a number", raw(R"({"__metadata__":{"k":1}})"), "metadata 'k' is a number",
       "a string", kDamaged},
      {"a field twice", raw(tensor(kScalar + ",\"dtype\":\"U8\""), 4), "two fields 'dtype'",
       "one of each", kDamaged},
      {"an unknown field", raw(tensor(kScalar + ",\"x\":1"), 4), "has a field 'x'",
       "dtype, shape and data_offsets", kDamaged},
      {"a missing field", raw(tensor("\"dtype\":\"U8\",\"shape\":[4]"), 4), "lacks a field",
       "dtype, shape and data_offsets", kDamaged},
      {"an unknown dtype", raw(tensor("\"dtype\":\"Q4\",\"shape\":[4]," + offsets), 4),
       "dtype 'Q4'", "BOOL, U8", kDamaged},
      {"a negative size", raw(tensor("\"dtype\":\"U8\",\"shape\":[-4]," + offsets), 4),
       "a negative number in 'shape'", "a list of sizes", kDamaged},
      {"a fraction", raw(tensor("\"dtype\":\"U8\",\"shape\":[4.5]," + offsets), 4),
       "a fraction in 'shape'", "a list of sizes", kDamaged},
      {"a number beyond 2^64", raw(tensor(R"("dtype":"U8","shape":[99999999999999999999999])"), 4),
       "a fraction in 'shape'", "a list of sizes", kDamaged},
      {"nine dimensions", raw(tensor("\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,4]"), 4),
       "more than 8 numbers in 'shape'", "at most 8 dimensions", kDamaged},
      {"a shape that overflows",
       raw(tensor("\"dtype\":\"F64\",\"shape\":[4294967296,4294967296]," + offsets), 4),
       "more than 2\\^63 bytes", "a size that fits", kDamaged},
      {"three offsets", raw(tensor(R"("dtype":"U8","shape":[4],"data_offsets":[0,4,8])"), 4),
       "has 3 offsets", "two offsets", kDamaged},
      {"null", raw("{\"a\":null}"), "'a' is null", "an object", kDamaged},
  });
}

TEST_CASE("bad checkpoint: tensors that do not tile the data") {
  const std::string good = checkpoint_bytes(1);
  check_all({
      {"overlap", raw(tensors("[0,4]", "[2,6]"), 6), "'b' has bytes 2-6, which overlap",
       "bytes from 4", kDamaged},
      {"gap", raw(tensors("[0,4]", "[5,9]"), 9), "'b' has bytes 5-9, after a gap", "bytes from 4",
       kDamaged},
      {"end before begin", raw(tensors("[0,4]", "[4,0]"), 8), "'b' has bytes 4-0", "4 bytes for",
       kDamaged},
      {"size unlike the shape", raw(tensors("[0,4]", "[4,9]"), 9), "'b' has bytes 4-9",
       "4 bytes for its dtype and shape", kDamaged},
      {"offset of 2^62", raw(tensors("[0,4]", "[4611686018427387904,4611686018427387908]"), 8),
       "after a gap", "bytes from 4", kDamaged},
      {"cut by a byte", good.substr(0, good.size() - 1), "the file has [0-9]+ bytes of data",
       "where its last tensor ends", kDamaged},
      {"a byte more", good + "x", "the file has [0-9]+ bytes of data", "where its last tensor ends",
       kDamaged},
      {"cut in the header", good.substr(0, 100), "header length of [0-9]+ in a file of 100",
       "inside the file", kDamaged},
  });
}

TEST_CASE("bad checkpoint: bytes that changed under right structure") {
  const std::string good = checkpoint_bytes(1);
  const std::string large = checkpoint_bytes(1, 600'000), older = checkpoint_bytes(2, 600'000);
  const size_t mib = 1 << 20, data = 8 + static_cast<unsigned char>(large[0]) +
                                     256 * static_cast<unsigned char>(large[1]);
  std::string swapped = large;
  std::swap_ranges(swapped.begin() + data, swapped.begin() + data + mib,
                   swapped.begin() + data + mib);
  std::string mixed = large;
  mixed.replace(data + mib, mib, older, data + mib, mib);
  check_all({
      {"flipped bit in a name", replaced(good, "\"conv/W\":", "\"conv/V\":"),
       "the header has another checksum", "the checksum it was written with", kChanged},
      {"flipped bit in metadata", replaced(good, "bitwise", "bitwisd"),
       "the header has another checksum", "the checksum it was", kChanged},
      {"flipped bit in the padding", replaced(good, "} ", "}\t"), "the header has another checksum",
       "the checksum it was", kChanged},
      {"flipped bit in a checksum", flipped(good, good.find("broch.crc32c") + 16),
       "the header has another checksum", "the checksum it was", kChanged},
      {"flipped bit in the data", flipped(good, good.size() - 1), "data from byte 0 on, at tensor",
       "the checksum it was", kChanged},
      {"swapped chunks", swapped, "data from byte 0 on, at tensor 'cost/EMA'",
       "the checksum it was", kChanged},
      {"a chunk of an older checkpoint", mixed, "data from byte 1048576 on, at tensor 'conv/W'",
       "the checksum it was", kChanged},
      {"checksums renamed", replaced(good, "broch.crc32c", "broch.crc32d"), "no checksums",
       "a checkpoint of a run", kForeign},
  });
}

TEST_CASE("bad checkpoint: sound files with other contents") {
  const std::string one = "x";
  const auto named = [&](std::string name) {
    return std::vector<TensorView>{{std::move(name), Dtype::u8, {1}, bytes_of(one)}};
  };
  const Metadata format{{"broch.checkpoint", "1"}};
  const auto with = [&](Metadata more) {
    more.insert(format.begin(), format.end());
    return more;
  };
  check_all({
      {"no checkpoint", sealed({}, {}), "no metadata 'broch.checkpoint'", "a checkpoint of a run",
       kForeign},
      {"a newer format", sealed({}, {{"broch.checkpoint", "2"}}), "checkpoint format '2'",
       "format 1", "the version of broch that wrote it"},
      {"a variable without collections", sealed(named("a"), format),
       "no metadata 'broch\\.collections/a'", "one for each tensor", kNotOurs},
      {"a variable without a scope",
       sealed(named("a"), with({{"broch.collections/a", "TRAINABLE"}})), "'a' in no or several",
       "one of GLOBAL and LOCAL", kNotOurs},
      {"collections without a variable", sealed({}, with({{"broch.collections/a", "GLOBAL"}})),
       "metadata 'broch.collections/a'", "a variable of that name", kNotOurs},
      {"a counter that is no number", sealed({}, with({{"broch.counter/epoch_num", "1x"}})),
       "'broch.counter/epoch_num' is '1x'", "a whole number", kNotOurs},
      {"a state without version", sealed(named("broch.state/s"), with({{"broch.state/s", "id"}})),
       "metadata 'broch.state/s'", "a component and a version", kNotOurs},
      {"a state without bytes", sealed({}, with({{"broch.state/s", "id 1"}})),
       "metadata 'broch.state/s'", "a tensor of that name", kNotOurs},
      {"an unknown reserved tensor", sealed(named("broch.x"), format), "tensor 'broch.x'",
       "no unknown name", kNotOurs},
  });
}

TEST_CASE("bad checkpoint: things that are no readable file") {
  const Folder folder;
  std::filesystem::create_directory(folder / "folder.safetensors");
  check(folder / "folder.safetensors",
        {"directory", "", "is a directory", "a regular file", "check the path"});
  check(folder / "none.safetensors",
        {"missing", "", "cannot be opened: No such file", "", "check the path"});
  mkfifo((folder / "pipe.safetensors").c_str(), 0600);
  check(folder / "pipe.safetensors",
        {"pipe", "", "is not a file", "a regular file", "check the path"});
  write_file(folder / "huge.safetensors", std::string("\x01\xe1\xf5\x05\0\0\0\0{}", 10));
  std::filesystem::resize_file(folder / "huge.safetensors", 200'000'000);
  check(folder / "huge.safetensors",
        {"header above the limit", "", "header length of 100000001", "at most 100 MB", kDamaged});
}

TEST_CASE("bad checkpoint: a forbidden file is an error that names the permission") {
  const Folder folder;
  write_file(folder / "a.safetensors", checkpoint_bytes(1));
  chmod(folder.path().c_str(), 0755);
  chmod((folder / "a.safetensors").c_str(), 0);
  const bool was_root = geteuid() == 0;
  if (was_root) REQUIRE(seteuid(65534) == 0);  // root may read everything
  check(folder / "a.safetensors", {"forbidden", "", "cannot be opened: Permission denied", "",
                                   "check the permissions of the file"});
  if (was_root) REQUIRE(seteuid(0) == 0);
}

namespace {

// One of the ways in which storage damages a file.
std::string mutated(std::string bytes, const std::string& older, std::mt19937& random) {
  const auto below = [&](size_t bound) {
    return std::uniform_int_distribution<size_t>(0, bound - 1)(random);
  };
  const size_t at = below(bytes.size());
  const size_t length = 1 + below(std::min<size_t>(64, bytes.size() - at));
  switch (below(6)) {
    case 0:
      for (size_t flips = 1 + below(8); flips > 0; --flips)
        bytes[below(bytes.size())] ^= static_cast<char>(1u << below(8));
      break;
    case 1:
      bytes.replace(at, length, length, '\0');
      break;
    case 2:
      bytes.resize(at);
      break;
    case 3:
      bytes.insert(at, length, static_cast<char>(below(256)));
      break;
    case 4:
      bytes.erase(at, length);
      break;
    default:
      bytes.replace(at, length, older, at, length);
      break;
  }
  return bytes;
}

// True when the bytes are refused properly.
bool is_refused(const std::string& bytes) {
  try {
    parse_checkpoint(bytes_of(bytes), "mutated");
    return false;
  } catch (const Error& error) {
    return error.exit() == Exit::checkpoint;
  }
}

}  // namespace

TEST_CASE("bad checkpoint: each of 100,000 seeded mutations is noticed or changes nothing") {
  constexpr unsigned kSeed = 4711;
  INFO("seed " << kSeed);
  std::mt19937 random(kSeed);
  const std::string good = checkpoint_bytes(100), older = checkpoint_bytes(200);
  REQUIRE(good.size() == older.size());
  REQUIRE_FALSE(is_refused(good));
  int changed = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::string bytes = mutated(good, older, random);
    if (bytes == good) continue;
    ++changed;
    if (!is_refused(bytes)) FAIL("mutation " << i << " passed");
  }
  CHECK(changed > 80'000);
}

TEST_CASE("bad checkpoint: every single flipped bit and every truncation is noticed") {
  const std::string good = checkpoint_bytes(100);
  for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bytes = good;
    bytes[bit / 8] ^= static_cast<char>(1u << (bit % 8));
    if (!is_refused(bytes)) FAIL("bit " << bit << " passed");
  }
  for (size_t size = 0; size < good.size(); ++size)
    if (!is_refused(good.substr(0, size))) FAIL("truncation to " << size << " passed");
}
