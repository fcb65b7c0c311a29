// weights_test.cpp: files of PyTorch, NumPy and safetensors hold what these programs read from them
// (reference/make_weights.py).
#include "weights/weights.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "archive/inflate.hpp"
#include "archive/zip_writer.hpp"
#include "base/error.hpp"
#include "folder.hpp"
#include "matches.hpp"

using namespace broch;
namespace fs = std::filesystem;
using test::Folder;
using test::read_file;

namespace {

fs::path good(const std::string& name) { return fs::path(GOOD_DIR) / name; }

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes)
    for (const int shift : {4, 0}) text += "0123456789abcdef"[uint8_t(byte) >> shift & 15];
  return text.empty() ? "-" : text;
}

// By name: "TYPE|SHAPE|BYTES".
using Contents = std::map<std::string, std::string>;

Contents contents(const weights::Weights& weights) {
  Contents all;
  for (size_t i = 0; i < weights.tensors().size(); ++i) {
    const weights::Tensor& tensor = weights.tensors()[i];
    std::string shape;
    for (const int64_t extent : tensor.shape)
      shape += (shape.empty() ? "" : ",") + std::to_string(extent);
    std::vector<std::byte> room;
    const std::span<const std::byte> bytes = weights.read(i, room);
    CHECK(bytes.size() == tensor.bytes());
    all[tensor.name] = std::string(store::dtype_name(tensor.dtype)) + "|" +
                       (shape.empty() ? "-" : shape) + "|" + hex(bytes);
  }
  return all;
}

std::string refusal(const fs::path& path, const std::string& key = "") {
  try {
    contents(*weights::open(path, key));
    return "";
  } catch (const base::Error& error) {
    CHECK(error.exit() == base::Exit::checkpoint);
    return error.what();
  }
}

std::string parse_refusal(const std::string& bytes) {
  try {
    contents(*weights::parse(bytes, "damaged.pt"));
    return "";
  } catch (const base::Error& error) {
    return error.what();
  }
}

void check_refusal(const std::string& text, const std::string& pattern) {
  CAPTURE(text);
  CAPTURE(pattern);
  CHECK(text.find("expected ") != text.npos);
  CHECK(support::matches(text, pattern));
}

std::string zip_of(const std::map<std::string, std::string>& members) {
  std::string bytes;
  archive::ZipWriter zip([&](std::string_view part) { bytes += part; });
  for (const auto& [name, content] : members) {
    zip.begin(name, content.size(), archive::crc32_of(content));
    zip.append(content);
  }
  zip.finish();
  return bytes;
}

std::string npy(const std::string& dict, const std::string& data) {
  return std::string("\x93NUMPY\1\0", 8) + char(dict.size()) + '\0' + dict + data;
}

// Pieces of a pickle as CPython and torch.save write them. The tensors have one element.
namespace pickled {
std::string text(const std::string& word) {
  return "X" + std::string{char(word.size()), 0, 0, 0} + word;
}
std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
std::string storage(const std::string& type) {
  return "(" + text("storage") + type + text("0") + text("cpu") + "K\1tQ";
}
std::string sizes() { return std::string("K\0K\1\x85K\1\x85\x89}", 10); }
std::string tensor(const std::string& type) {
  return global("torch._utils", "_rebuild_tensor_v2") + "(" + storage(global("torch", type)) +
         sizes() + "tR";
}
// A storage of one element in a file of torch.save before PyTorch 1.6.
std::string old_storage(const std::string& type, const std::string& name) {
  return "(" + text("storage") + global("torch", type) + text(name) + text("cpu") + "K\1NtQ";
}
// Such a file. names: of the storages; data: the number of elements of each, and the elements.
std::string old_file(const std::string& content, const std::string& names,
                     const std::string& data) {
  using namespace std::string_literals;
  return "\x80\2\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19."s + "\x80\2M\xe9\3."s + "\x80\2}."s + "\x80\2" +
         content + "." + "\x80\2](" + names + "e." + data;
}
}  // namespace pickled

}  // namespace

TEST_CASE("weights: every tensor of every format has its type, shape and bytes") {
  std::map<std::pair<std::string, std::string>, Contents> files;
  std::ifstream lines(good("tensors.txt"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string file, key, name, rest;
    std::getline(fields, file, '|');
    std::getline(fields, key, '|');
    std::getline(fields, name, '|');
    std::getline(fields, rest);
    files[{file, key == "-" ? "" : key}][name] = rest;
  }
  CHECK(files.size() == 16);
  for (const auto& [file, expected] : files) {
    CAPTURE(file.first);
    const auto weights = weights::open(good(file.first), file.second);
    CHECK(contents(*weights) == expected);
  }
}

TEST_CASE("weights: files of torch.save before PyTorch 1.6, and damaged ones") {
  CHECK(contents(*weights::open(good("legacy.pt"))) == contents(*weights::open(good("state.pt"))));
  const std::string bytes = read_file(good("legacy.pt"));
  check_refusal(parse_refusal(bytes.substr(0, bytes.size() - 1)), "a storage of [0-9]+ elements");
  check_refusal(parse_refusal(bytes.substr(0, 200)), "byte 186[^]*the end of the pickle");
  const auto changed = [&](const std::string& from, const std::string& to) {
    return std::string(bytes).replace(bytes.find(from), from.size(), to);
  };
  const std::string key = "little_endianq\2";
  check_refusal(parse_refusal(changed(key + "\x88", key + "\x89")), "byte order 'big'");
  check_refusal(parse_refusal(changed("M\xe9\3.", "M\xe8\3.")), "version 1001");
  check_refusal(parse_refusal("\x80\2N."), "expected a zip file");
  const Folder folder;
  std::ofstream(folder.path() / "none.pkl", std::ios::binary) << "\x80\2N.";
  check_refusal(refusal(folder.path() / "none.pkl"), "none of torch.save[^]*savez");
}

// Tensors of types that Broch does not have are passed over with their elements.
TEST_CASE("weights: files of torch.save before PyTorch 1.6 with tensors of every type") {
  using namespace std::string_literals;
  using namespace pickled;
  const std::string rebuild = global("torch._utils", "_rebuild_tensor_v2") + "(";
  const std::string rebuild_untyped = global("torch._utils", "_rebuild_tensor_v3") + "(";
  const std::string content =
      "}(" + text("wide") + rebuild + old_storage("ComplexDoubleStorage", "0") + sizes() + "tR" +
      text("w") + rebuild + old_storage("ByteStorage", "1") + sizes() + "tR" + text("low") +
      rebuild_untyped + old_storage("UntypedStorage", "2") + sizes() +
      global("torch", "float8_e5m2") + "tRu";
  const std::string one = "\1\0\0\0\0\0\0\0"s;
  const std::string file = old_file(content, text("0") + text("1") + text("2"),
                                    one + std::string(16, 'c') + one + "x" + one + "y");
  const auto read = weights::parse(file, "old.pt");
  CHECK(contents(*read) == Contents{{"w", "U8|1|78"}, {"low", "F8_E5M2|1|79"}});
  CHECK(read->others() == std::vector<std::string>{"wide"});
  check_refusal(parse_refusal(old_file("}(" + text("a") + "K\1u", text("7"), "")), "a storage '7'");
}

// An OrderedDict of Python 2 is pickled with a list of pairs, and texts are strings of bytes;
// before PyTorch 0.4 a parameter was an object around a tensor, which had no word about gradients.
TEST_CASE("weights: files of Python 2 and of PyTorch before 0.4") {
  using namespace std::string_literals;
  using namespace pickled;
  const auto word = [](const std::string& bytes) {
    return "U" + std::string(1, char(bytes.size())) + bytes;
  };
  const std::string dict = global("collections", "OrderedDict");
  const std::string storage =
      "(" + word("storage") + global("torch", "ByteStorage") + word("0") + word("cpu") + "K\1NtQ";
  const std::string place = "K\0K\1\x85K\1\x85"s;  // offset, shape, strides
  const std::string first =
      global("torch._utils", "_rebuild_tensor") + "(" + storage + place + "tR";
  const std::string parameter =
      global("torch.nn.parameter", "Parameter") + first + "\x85R(\x88\x89" + dict + "]\x85Rtb";
  const std::string second = global("torch._utils", "_rebuild_tensor_v2") + "(" + storage + place +
                             "\x89" + dict + "]\x85RtR";
  const std::string content = dict + "](](" + word("a") + first + "e](" + word("b") + parameter +
                              "e](" + word("c") + second + "ee\x85R";
  const std::string file = old_file(content, word("0"), "\1\0\0\0\0\0\0\0x"s);
  CHECK(contents(*weights::parse(file, "old.pt")) ==
        Contents{{"a", "U8|1|78"}, {"b", "U8|1|78"}, {"c", "U8|1|78"}});
  check_refusal(parse_refusal(old_file(dict + "K\1\x85R", "", "")), "with other arguments");
  check_refusal(parse_refusal(old_file(dict + "]K\1a\x85R", "", "")), "of something else");
}

TEST_CASE("weights: what is no tensor of numbers is named and left out") {
  const auto others = [](const char* file) { return weights::open(good(file))->others(); };
  CHECK(others("stored.npz") == std::vector<std::string>{"text", "objects", "wide"});
  CHECK(others("packed.npz") == std::vector<std::string>{"text", "objects", "wide"});
  CHECK(others("state.pt").empty());
}

TEST_CASE("weights: a structured array is left out, and sizes of Python 2 are read") {
  const std::string rest = ", 'fortran_order': False, 'shape': (";
  const std::string fields = "[('a[', '<f4', (1,)), ('b', '<i2')]";
  const std::string bytes =
      zip_of({{"log.npy", npy("{'descr': " + fields + rest + "1,), }", "abcdef")},
              {"w.npy", npy("{'descr': '|u1'" + rest + "1L, 2L), }", "ab")}});
  const auto read = weights::parse(bytes, "old.npz");
  CHECK(read->others() == std::vector<std::string>{"log"});
  CHECK(contents(*read) == Contents{{"w", "U8|1,2|6162"}});
  const Folder folder;
  std::ofstream(folder.path() / "cut.npz", std::ios::binary)
      << zip_of({{"w.npy", npy("{'descr': [('a'" + rest, "")}});
  check_refusal(refusal(folder.path() / "cut.npz"), "a list that ends");
}

// {"rng": an integer of 17 bytes, "w": a tensor of one byte}
TEST_CASE("weights: integers of any length beside the tensors") {
  using namespace std::string_literals;
  const std::string pickle =
      "\x80\x02}(X\3\0\0\0rng\x8a\x11"s + std::string(16, '\xff') + "\0X\1\0\0\0w"s +
      "ctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\nByteStorage\n"s +
      "X\1\0\0\0000X\3\0\0\0cpuK\1tQK\0K\1\x85K\1\x85\x89}tRu."s;
  const std::string bytes = zip_of({{"a/data.pkl", pickle}, {"a/data/0", "x"}});
  const auto read = weights::parse(bytes, "seeded.pt");
  CHECK(read->others() == std::vector<std::string>{"rng"});
  CHECK(contents(*read) == Contents{{"w", "U8|1|78"}});
}

// What trainings keep beside their weights, and tensors of types that Broch does not have, pickled
// as CPython and torch.save do it.
TEST_CASE("weights: plain values beside the tensors are passed over") {
  using namespace std::string_literals;
  using namespace pickled;
  const std::string low = global("torch._utils", "_rebuild_tensor_v3") + "(" +
                          storage(global("torch.storage", "UntypedStorage")) + sizes() +
                          global("torch", "float8_e4m3fnuz") + "tR";
  const std::string bytes =
      global("_codecs", "encode") + text("12345678") + text("latin1") + "\x86R";
  const std::string dtype = global("numpy", "dtype") + text("f8") + "\x89\x88\x87R(K\3" +
                            text("<") + "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb"s;
  const std::string pickle =
      "\x80\x02}(" + text("w") + tensor("ByteStorage") + text("args") +
      global("argparse", "Namespace") + ")\x81}" + text("lr") + "K\1sb" + text("milestones") +
      global("collections", "Counter") + "}K\3K\1s\x85R" + text("best") +
      global("numpy.core.multiarray", "scalar") + dtype + bytes + "\x86R" + text("device") +
      global("torch", "device") + text("cuda") + "K\0\x86R"s + text("seen") +
      global("__builtin__", "set") + "]K\1a\x85R" + text("last") + global("collections", "deque") +
      ")\x85RK\1a" + text("counts") + global("collections", "defaultdict") +
      global("__builtin__", "list") + "\x85RK\1]s" + text("wide") + tensor("ComplexDoubleStorage") +
      text("low") + low + "u.";
  const std::string file = zip_of({{"a/data.pkl", pickle}, {"a/data/0", "x"}});
  const auto read = weights::parse(file, "run.pt");
  CHECK(contents(*read) == Contents{{"w", "U8|1|78"}});
  CHECK(read->others() == std::vector<std::string>{"args", "milestones", "best", "device", "seen",
                                                   "last", "counts", "wide", "low"});
}

// Such as a tensor with an attribute (tensor.tag = 1), and one of an XLA device.
TEST_CASE("weights: tensors that are made of others") {
  using namespace pickled;
  const std::string byte = tensor("ByteStorage");
  const std::string tagged =
      global("torch._tensor", "_rebuild_from_type_v2") + "(" +
      global("torch._utils", "_rebuild_tensor_v2") + global("torch", "Tensor") + "(" +
      storage(global("torch", "ByteStorage")) + sizes() + "t}" + text("tag") + "K\1stR";
  const std::string moved = global("torch._utils", "_rebuild_device_tensor_from_cpu_tensor") + "(" +
                            byte + global("torch", "uint8") + text("xla:0") + "\x89tR";
  const std::string pickle = "\x80\x02}(" + text("a") + tagged + text("b") + moved + "u.";
  const std::string file = zip_of({{"a/data.pkl", pickle}, {"a/data/0", "x"}});
  CHECK(contents(*weights::parse(file, "a.pt")) == Contents{{"a", "U8|1|78"}, {"b", "U8|1|78"}});
  const std::string nested = global("torch._tensor", "_rebuild_from_type_v2") + "(" +
                             global("torch._tensor", "_rebuild_from_type_v2") + "N)NtR.";
  const Folder folder;
  std::ofstream(folder.path() / "a.pt", std::ios::binary)
      << zip_of({{"a/data.pkl", "\x80\x02" + nested}});
  check_refusal(refusal(folder.path() / "a.pt"), "a tensor with other arguments");
}

// As under torch.serialization.skip_data, which writes the elements later.
TEST_CASE("weights: members without a checksum") {
  using namespace pickled;
  const std::string pickle = "\x80\x02}(" + text("a") + tensor("ByteStorage") + "u.";
  std::string bytes;
  archive::ZipWriter zip([&](std::string_view part) { bytes += part; });
  zip.begin("a/data.pkl", pickle.size(), archive::crc32_of(pickle));
  zip.append(pickle);
  zip.begin("a/data/0", 1, 0);
  zip.append("x");
  zip.finish();
  CHECK(contents(*weights::parse(bytes, "a.pt")) == Contents{{"a", "U8|1|78"}});
}

// PyTorch's example for ImageNet saves the best accuracy as a tensor beside the state dict.
TEST_CASE("weights: a state dict with tensors beside it") {
  using namespace pickled;
  const auto read = [](const std::string& items) {
    const std::string pickle = "\x80\x02}(" + items + "u.";
    return contents(*weights::parse(zip_of({{"a/data.pkl", pickle}, {"a/data/0", "x"}}), "a.pt"));
  };
  const std::string byte = tensor("ByteStorage");
  const std::string two = "}(" + text("a") + byte + text("b") + byte + "u";
  CHECK(read(text("best_acc1") + byte + text("state_dict") + two) ==
        Contents{{"a", "U8|1|78"}, {"b", "U8|1|78"}});
  const std::string one = "}(" + text("c") + byte + "u";
  CHECK(read(text("a") + byte + text("_extra_state") + one) == Contents{{"a", "U8|1|78"}});
  const Folder folder;
  const std::string pickle =
      "\x80\x02}(" + text("rng") + byte + text("model") + two + text("ema") + two + "u.";
  std::ofstream(folder.path() / "a.pt", std::ios::binary)
      << zip_of({{"a/data.pkl", pickle}, {"a/data/0", "x"}});
  check_refusal(refusal(folder.path() / "a.pt"), "2 state dicts: 'model', 'ema'");
}

TEST_CASE("weights: times with a zone, and tensors of rare types, are left out") {
  using namespace pickled;
  const std::string zone =
      global("datetime", "timezone") + global("datetime", "timedelta") + "K\1\x85R" + "\x85R";
  const std::string halves = global("torch._utils", "_rebuild_tensor_v3") + "((" + text("storage") +
                             global("torch.storage", "UntypedStorage") + text("0") + text("cpu") +
                             "K\1tQ" + sizes() + global("torch", "complex32") + "tR";
  const std::string pickle = "\x80\x02}(" + text("a") + tensor("ByteStorage") + text("saved_at") +
                             zone + text("halves") + halves + "u.";
  const std::string bytes = zip_of({{"a/data.pkl", pickle}, {"a/data/0", "x"}});
  const auto read = weights::parse(bytes, "a.pt");
  CHECK(contents(*read) == Contents{{"a", "U8|1|78"}});
  CHECK(read->others() == std::vector<std::string>{"saved_at", "halves"});
}

TEST_CASE("weights: packages of PyTorch with several programs or a compiled one") {
  const Folder folder;
  const auto refused = [&](std::map<std::string, std::string> members) {
    members["m/archive_format"] = "pt2";
    std::ofstream(folder.path() / "m.pt2", std::ios::binary) << zip_of(members);
    return refusal(folder.path() / "m.pt2");
  };
  check_refusal(refused({{"m/models/a.json", "{}"}, {"m/models/b.json", "{}"}}),
                "2 programs: 'a', 'b', expected one");
  check_refusal(refused({{"m/data/aotinductor/model/x.so", "x"}}), "a package of AOTInductor");
}

TEST_CASE("weights: a set of files with tensors of types that cannot be read") {
  const Folder folder;
  const std::string header = R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                             R"("scale":{"dtype":"F8_E8M0","shape":[1],"data_offsets":[1,2]}})";
  std::ofstream(folder.path() / "1.safetensors", std::ios::binary)
      << std::string{char(header.size()), 0, 0, 0, 0, 0, 0, 0} << header << "xy";
  std::ofstream(folder.path() / "model.safetensors.index.json")
      << R"({"weight_map": {"a": "1.safetensors", "scale": "1.safetensors"}})";
  const auto read = weights::open(folder.path());
  CHECK(contents(*read) == Contents{{"a", "U8|1|78"}});
  CHECK(read->others() == std::vector<std::string>{"scale"});
}

// The length of a header, in its first bytes, may be the signature of another format.
TEST_CASE("weights: safetensors files that begin like a pickle, a zip, an array or HDF5") {
  const Folder folder;
  for (const size_t length : {0x80u, 0x4b50u, 0x554e93u, 0x444889u}) {
    std::string header = R"({"x":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})";
    header.resize(length, ' ');
    std::string bytes(8, '\0');
    for (size_t i = 0; i < 8; ++i) bytes[i] = char(uint64_t(length) >> 8 * i & 0xff);
    std::ofstream(folder.path() / "x.safetensors", std::ios::binary) << bytes << header << "abc";
    const auto read = contents(*weights::open(folder.path() / "x.safetensors", ""));
    CHECK_MESSAGE(read.at("x") == "U8|3|616263", length);
  }
}

TEST_CASE("weights: float8 of safetensors and of torch.save") {
  using namespace std::string_literals;
  const Folder folder;
  const std::string header = R"({"a":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]},)"
                             R"("b":{"dtype":"F8_E5M2","shape":[1],"data_offsets":[2,3]}})";
  std::ofstream(folder.path() / "x.safetensors", std::ios::binary)
      << std::string{char(header.size()), 0, 0, 0, 0, 0, 0, 0} << header << "\x38\x7e\x3c";
  const auto read = contents(*weights::open(folder.path() / "x.safetensors", ""));
  CHECK(read == Contents{{"a", "F8_E4M3|2|387e"}, {"b", "F8_E5M2|1|3c"}});
  const std::string pickle =
      "\x80\x02}X\1\0\0\0actorch._utils\n_rebuild_tensor_v3\n((X\7\0\0\0storage"s
      "ctorch.storage\nUntypedStorage\nX\1\0\0\0000X\3\0\0\0cpuK\2tQK\0K\2\x85K\1\x85\x89}"s
      "ctorch\nfloat8_e4m3fn\ntRs."s;
  const std::string bytes = zip_of({{"a/data.pkl", pickle}, {"a/data/0", "\x38\x7e"}});
  CHECK(contents(*weights::parse(bytes, "x.pt")) == Contents{{"a", "F8_E4M3|2|387e"}});
}

TEST_CASE("weights: what cannot be read says why and what to do") {
  {
    const Folder folder;  // in which it would make a file
    const fs::path here = fs::current_path();
    fs::current_path(folder.path());
    check_refusal(refusal(good("evil.pt")),
                  "data.pkl.*: byte [0-9]+: .*'posix.system'[^]*executed");
    fs::current_path(here);
    CHECK(fs::is_empty(folder.path()));
  }
  check_refusal(refusal(good("module.pt")), "'torch.nn.modules.linear.Linear'");
  check_refusal(refusal(good("protocol.pt")), "pickle protocol 4, expected protocol 2");
  check_refusal(refusal(good("script.pt")), "TorchScript[^]*torch.jit.load");
  check_refusal(refusal(good("tensor.pt")), "a tensor alone[^]*state_dict");
  check_refusal(refusal(good("several.pt")), "2 state dicts: 'a', 'b'[^]*key");
  check_refusal(refusal(good("two.pt")), "no tensors among the keys 'models'");
  check_refusal(refusal(good("two.pt"), "models"), "no tensors among the keys .*'second'");
  check_refusal(refusal(good("two.pt"), "models/third"), "no key 'third', expected .*'second'");
  check_refusal(refusal(good("nothing.pt")), "no tensors");
  check_refusal(refusal(good("lazy.pt")), "conjugated[^]*resolve_conj");
  check_refusal(refusal(good("big_endian.pt")), "byte order 'big'");
  check_refusal(refusal(good("short.pt")), "beyond the data");
  check_refusal(refusal(good("single.npy")), "single array[^]*savez");
  for (const char* name : {"stored.npz", "program.pt2", "sharded"})
    check_refusal(refusal(good(name), "model"), "a key, expected");
  check_refusal(refusal(good("tensors.txt")), "header");
  check_refusal(refusal(good("no-such")), "no such file");
  check_refusal(refusal(good("")), "no checkpoint in this folder");
}

TEST_CASE("weights: an index that does not fit its files") {
  const Folder folder;
  fs::copy(good("sharded"), folder.path(), fs::copy_options::recursive);
  const fs::path index = folder.path() / "model.safetensors.index.json";
  const auto with = [&](const std::string& text) {
    std::ofstream(index) << text;
    return refusal(folder.path());
  };
  const std::string file = R"("model-00001-of-00002.safetensors")";
  check_refusal(with(R"({"weight_map": {"none": )" + file + "}}"), "no tensor 'none'");
  check_refusal(with(R"({"weight_map": {"b": "../x.safetensors"}})"), "a plain one");
  check_refusal(with(R"({"weight_map": {"b": "model.safetensors.index.json"}})"), "a plain one");
  check_refusal(with(R"({"weight_map": {"b": ""}})"), "a plain one");
  fs::create_directory(folder.path() / "inner");
  check_refusal(with(R"({"weight_map": {"b": "inner"}})"), "no regular file");
  check_refusal(
      with(R"({"weight_map": {"b": )" + std::string(50'000, '[') + std::string(50'000, ']') + "}}"),
      "'b' without a file");
  check_refusal(with(R"({"weight_map": {"b": "missing.safetensors"}})"), "missing.safetensors");
  check_refusal(with(R"({"weight_map": {"b": 3}})"), "'b' without a file");
  check_refusal(with("{"), "no weight_map");
  std::ofstream(folder.path() / "other.safetensors.index.json") << "{}";
  check_refusal(refusal(folder.path()), "several files");
}

TEST_CASE("weights: a folder with the same weights in several files") {
  const Folder folder;
  const auto found = [&] { return weights::find(folder.path()).filename().string(); };
  const auto add = [&](const char* name) { std::ofstream(folder.path() / name) << "{}"; };
  add("pytorch_model.bin");
  CHECK(found() == "pytorch_model.bin");
  add("pytorch_model.bin.index.json");
  CHECK(found() == "pytorch_model.bin.index.json");
  add("model.safetensors.index.json");
  CHECK(found() == "model.safetensors.index.json");
  add("model.safetensors");
  CHECK(found() == "model.safetensors");
}

TEST_CASE("weights: a checkpoint of TensorFlow is refused, however it is named") {
  const Folder folder;
  const std::string prefix = (folder.path() / "model-10").string();
  std::ofstream(prefix + ".index") << "x";
  std::ofstream(prefix + ".data-00000-of-00001") << "x";
  const std::string list = folder.path() / "checkpoint";
  // Of the Saver, of one with an absolute folder, and of a CheckpointManager.
  for (const std::string& lines :
       {std::string("model_checkpoint_path: \"model-10\"\n"),
        "model_checkpoint_path: \"" + prefix + "\"\n",
        std::string("model_checkpoint_path: \"model-10\"\nlast_preserved_timestamp: 1.5\n")}) {
    std::ofstream(list) << lines;
    for (const std::string& path : {folder.path().string(), list, prefix, prefix + ".index",
                                    prefix + ".data-00000-of-00001"}) {
      CAPTURE(path);
      check_refusal(refusal(path), "a checkpoint of TensorFlow");
    }
  }
  // What was converted in place is found.
  fs::copy_file(good("plain.safetensors"), prefix + ".safetensors");
  std::ofstream(list) << "model_checkpoint_path: \"model-10\"\n";
  for (const std::string& path : {folder.path().string(), prefix})
    CHECK(weights::find(path) == prefix + ".safetensors");
}

TEST_CASE("weights: damaged files are refused or read, and never more than that") {
  std::mt19937 random(20261126);
  for (const char* name : {"state.pt", "nested.pt", "views.pt", "packed.pt", "program.pt2",
                           "program_2_8.pt2", "stored.npz", "packed.npz"}) {
    CAPTURE(name);
    const std::string whole = read_file(good(name));
    int read = 0;
    for (int round = 0; round < 500; ++round) {
      std::string bytes = whole;
      for (int i = 0; i < 1 + round % 3; ++i) bytes[random() % bytes.size()] = char(random());
      if (round % 10 == 0) bytes.resize(random() % bytes.size());
      try {
        contents(*weights::parse(bytes, name));
        ++read;
      } catch (const base::Error& error) {
        CHECK(std::string(error.what()).find("expected ") != std::string::npos);
      }
    }
    CHECK(read < 500);
  }
}
