// reader_test.cpp: what a .pt2 file says, in all its layouts; files that are damaged or hostile.
#include <doctest/doctest.h>

#include <broch/cpp/error.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "archive/zip.hpp"
#include "archive/zip_writer.hpp"
#include "folder.hpp"
#include "models/exported/archive.hpp"
#include "models/exported/numbers.hpp"
#include "models/exported/schema.hpp"

using namespace exported;

namespace {

std::string bytes_of(const std::string& name) { return broch::test::read_file(DATA "/" + name); }

// An archive and the bytes that it borrows.
struct Opened {
  explicit Opened(std::string content) : bytes(std::move(content)), archive(bytes, "model.pt2") {}
  const Program& program() const { return archive.program(); }
  const Stored& at(const std::string& name) const { return archive.stored(name); }
  std::vector<std::byte> elements(const std::string& name) const {
    return archive.elements(at(name));
  }
  bool requires_grad(const std::string& name) const {
    for (const Input& input : program().inputs)
      if (input.name == name)
        return program()
            .graph.tensors.at(program().graph.values[size_t(input.item.value)])
            .requires_grad;
    FAIL("no input ", name);
    return false;
  }
  const std::string bytes;
  const Archive archive;
};
std::string refusal(const std::string& bytes) {
  try {
    const Opened opened(bytes);
    for (const Stored& stored : opened.archive.tensors()) opened.archive.elements(stored);
  } catch (const broch::Error& error) {
    return error.what();
  }
  return "";
}
bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The program of net.pt2.
nlohmann::json net_program() {
  const std::string bytes = bytes_of("net.pt2");
  const broch::archive::Memory file(bytes, "net.pt2");
  for (const broch::archive::ZipMember& member : broch::archive::zip_members(file))
    if (member.name == "net/models/model.json")
      return nlohmann::json::parse(file.read(member.begin, member.size));
  return {};
}
// With a part of its text replaced.
std::string program_with(const std::string& from, const std::string& to) {
  static const nlohmann::json kProgram = net_program();
  std::string text = kProgram.dump();
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}
std::string program_refusal(const std::string& from, const std::string& to) {
  try {
    program_of(program_with(from, to), "model.json");
  } catch (const broch::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("archive: a program, its inputs and outputs, its tensors") {
  const Opened net(bytes_of("net.pt2"));
  const Program& program = net.program();
  REQUIRE(program.inputs.size() == 10);
  CHECK(program.inputs[0].name == "conv.weight");
  CHECK(program.inputs[0].kind == Input::Kind::parameter);
  CHECK(program.inputs[8].name == "image");
  CHECK(program.inputs[8].kind == Input::Kind::user);
  REQUIRE(program.outputs.size() == 2);
  CHECK(program.outputs[0].name == "loss");
  CHECK(program.outputs[1].name == "logits");
  const Stored& weight = net.at("fc.weight");
  CHECK(weight.shape == std::vector<int64_t>{5, 27});
  CHECK(weight.dtype == BROCH_FLOAT32);
  CHECK(net.requires_grad("fc.weight"));
  CHECK(net.elements("fc.weight").size() == 5 * 27 * 4);
  CHECK(net.at("bn.num_batches_tracked").dtype == BROCH_INT64);
  const Size& batch = program.graph.tensors.at("image").sizes[0];
  CHECK(batch.value == -1);
  CHECK(!batch.symbol.empty());
  CHECK(program.ranges.at(batch.symbol).first == 2);
  CHECK(program.graph.nodes[0].target == "torch.ops.aten.conv2d.default");
  CHECK(has(program.graph.nodes[0].source, "make_exported.py, line "));
  CHECK(has(program.graph.nodes[0].source, "self.conv(image)"));
}

TEST_CASE("archive: tied weights are one tensor; what is not saved with the model is a constant") {
  const Opened language(bytes_of("language.pt2"));
  CHECK(language.at("embed.weight").memory == language.at("head.weight").memory);
  CHECK(language.at("embed.weight").memory != language.at("mix.weight").memory);
  CHECK(language.at("table").shape == std::vector<int64_t>{8, 6});
  CHECK(!language.requires_grad("still"));
}

TEST_CASE("archive: long names of members do not tie weights") {
  const std::string bytes = bytes_of("language.pt2");
  const broch::archive::Memory file(bytes, "language.pt2");
  std::string renamed;
  broch::archive::ZipWriter zip([&](std::string_view part) { renamed += part; });
  const std::string folder = std::string(100, 'x') + "/";  // in place of language/
  for (const broch::archive::ZipMember& member : broch::archive::zip_members(file)) {
    const std::string name = folder + member.name.substr(member.name.find('/') + 1);
    zip.begin(name, member.size, member.crc);
    zip.append(member.deflated ? broch::archive::unpack(file, member)
                               : file.read(member.begin, member.size));
  }
  zip.finish();
  const Opened once(bytes), twice(renamed);
  for (const Stored& a : once.archive.tensors())
    for (const Stored& b : once.archive.tensors())
      CHECK((a.memory == b.memory) == (twice.at(a.name).memory == twice.at(b.name).memory));
}

TEST_CASE("archive: the layouts of older versions have the same tensors") {
  const Opened now(bytes_of("language.pt2"));
  for (const char* name : {"language_26.pt2", "language_28.pt2"}) {
    CAPTURE(name);
    const Opened old(bytes_of(name));
    CHECK(old.program().inputs.size() == now.program().inputs.size());
    REQUIRE(old.archive.tensors().size() == now.archive.tensors().size());
    for (const Stored& tensor : now.archive.tensors()) {
      CAPTURE(tensor.name);
      CHECK(old.elements(tensor.name) == now.elements(tensor.name));
      CHECK(old.at(tensor.name).shape == tensor.shape);
    }
    CHECK(old.at("embed.weight").memory == old.at("head.weight").memory);
    CHECK(old.at("embed.weight").memory != old.at("mix.weight").memory);
  }
}

TEST_CASE("archive: what is wrong is named with the entry and the place in it") {
  CHECK(has(refusal("PK no zip"), "model.pt2"));
  CHECK(has(
      program_refusal("\"as_tensor\":{\"name\":\"image\"}", "\"as_tensor\":{\"nam\":\"image\"}"),
      "no member 'name'"));
  CHECK(has(program_refusal("\"major\":8", "\"major\":9"), "version 9 of the schema"));
  const std::string unknown = program_refusal("\"arg\":{\"as_tensor\":{\"name\":\"image\"}}",
                                              "\"arg\":{\"as_tensor\":{\"name\":\"im\"}}");
  CHECK(has(unknown, "model.json: program.graph_module.graph.nodes[0].inputs[0].arg"));
  CHECK(has(unknown, "no value 'im' before it"));
  CHECK(has(program_refusal("\"graph_module\"", "\"graph_modul\""), "no member 'graph_module'"));
}

TEST_CASE("program: outputs have the names of the fields of a namedtuple") {
  nlohmann::json program = net_program(), leaf, tuple;
  leaf["type"] = leaf["context"] = nullptr;
  leaf["children_spec"] = nlohmann::json::array();
  tuple["type"] = "collections.namedtuple";
  tuple["context"] = "models.Outputs";
  tuple["children_spec"] = nlohmann::json::array({leaf, leaf});
  nlohmann::json& module = program["graph_module"];
  module["module_call_graph"][0]["signature"]["out_spec"] =
      nlohmann::json::array({1, tuple}).dump();
  const Program numbered = program_of(program.dump(), "model.json");
  CHECK(numbered.outputs[0].name == "0");
  module["treespec_namedtuple_fields"]["models.Outputs"]["field_names"] =
      nlohmann::json::array({"main", "aux"});
  const Program named = program_of(program.dump(), "model.json");
  CHECK(named.outputs[0].name == "main");
  CHECK(named.outputs[1].name == "aux");
}

TEST_CASE("program: torch 2.6 writes infinities and NaN without quotes") {
  nlohmann::json program = net_program();
  nlohmann::json& node = program["graph_module"]["graph"]["nodes"][0];
  node["name"] = "a \\ and a \"NaN\", Infinity";
  node["inputs"][0]["arg"] = nlohmann::json::object();
  node["inputs"][0]["arg"]["as_floats"] = nlohmann::json::array({1.5, 2.5, 3.5, 4.5});
  std::string text = program.dump();
  const std::string list = "[1.5,2.5,3.5,4.5]";
  text.replace(text.find(list), list.size(), "[Infinity, -Infinity,NaN,4.5]");
  const Program read = program_of(text, "model.json");
  CHECK(read.graph.nodes[0].name == "a \\ and a \"NaN\", Infinity");
  const std::vector<Item>& items = read.graph.nodes[0].arguments[0].second.items;
  REQUIRE(items.size() == 4);
  CHECK(items[0].floating == HUGE_VAL);
  CHECK(items[1].floating == -HUGE_VAL);
  CHECK(std::isnan(items[2].floating));
  CHECK(items[3].floating == 4.5);
  text.replace(text.find("NaN,4.5"), 3, "Nan");
  CHECK_THROWS_AS(program_of(text, "model.json"), broch::Error);
}

TEST_CASE("program: levels, and names that occur twice, are limited") {
  const std::string deep(100000, '[');
  CHECK_THROWS_AS(program_of(deep, "model.json"), broch::Error);
  CHECK(has(program_refusal("{\"as_tensor\":{\"name\":\"conv2d\"}}",
                            "{\"as_tensor\":{\"name\":\"image\"}}"),
            "a second value"));
}

TEST_CASE("archive: a file with any byte changed, or an early end, is read or refused") {
  for (const char* name : {"net.pt2", "language_26.pt2"}) {
    CAPTURE(name);
    const std::string whole = bytes_of(name);
    int refused = 0;
    for (size_t at = 0; at < whole.size(); at += 37) {
      std::string damaged = whole;
      damaged[at] = char(damaged[at] ^ char(1 + at % 255));
      refused += !refusal(damaged).empty();
      if (at % 5 == 0) CHECK(!refusal(whole.substr(0, at)).empty());
    }
    CHECK(refused > 100);  // checksums
  }
}

TEST_CASE("schema: types, defaults, lists and memory that is shared") {
  const Schema schema = schema_of(
      "aten::batch(Tensor(a!) self, Tensor? weight, SymInt[2] size=[1, 2], *, Scalar alpha=1, str "
      "mode=\"a,b\", Tensor?[] indices, int[1]? dim=None) -> (Tensor(a!), Tensor, Tensor(b)[] "
      "rest)");
  REQUIRE(schema.arguments.size() == 7);
  CHECK(schema.name == "aten::batch");
  CHECK(schema.arguments[0].type.name == "Tensor");
  CHECK(schema.arguments[0].type.alias == "a");
  CHECK(schema.arguments[0].type.is_written);
  CHECK(schema.arguments[1].type.is_optional);
  CHECK(schema.arguments[2].type.name == "int");
  CHECK(schema.arguments[2].type.is_list);
  CHECK(schema.arguments[2].type.count == 2);
  CHECK(schema.arguments[2].default_text == "[1, 2]");
  CHECK(schema.arguments[3].name == "alpha");
  CHECK(schema.arguments[4].default_text == "\"a,b\"");
  CHECK(schema.arguments[5].type.has_optional);
  CHECK(!schema.arguments[5].type.is_optional);
  CHECK(schema.arguments[6].type.is_optional);
  REQUIRE(schema.results.size() == 3);
  CHECK(schema.results[0].alias == "a");
  CHECK(schema.results[2].alias == "b");
  CHECK(schema.results[2].is_list);
  CHECK(schema.find("dim") == 6);
  CHECK(schema.find("dims") == -1);
}

TEST_CASE("numbers: as Python computes them") {
  const auto integer = [](const char* target, int64_t a, int64_t b) {
    return number_function(target, {broch_int(a), broch_int(b)}).u.i64;
  };
  CHECK(integer("_operator.floordiv", -7, 2) == -4);
  CHECK(integer("_operator.floordiv", 7, -2) == -4);
  CHECK(integer("_operator.mod", -7, 2) == 1);
  CHECK(integer("_operator.mod", 7, -2) == -1);
  CHECK(integer("_operator.pow", 3, 4) == 81);
  CHECK(integer("torch.sym_max", 3, 4) == 4);
  CHECK(integer("_operator.le", 3, 3) == 1);
  CHECK(number_function("_operator.truediv", {broch_int(7), broch_int(2)}).u.f64 == 3.5);
  CHECK(number_function("_operator.pow", {broch_int(2), broch_int(-1)}).u.f64 == 0.5);
  CHECK(number_function("math.trunc", {broch_double(-2.7)}).u.i64 == -2);
  CHECK(number_function("torch._sym_sqrt", {broch_int(9)}).u.f64 == 3);
  CHECK(number_function("_operator.mul", {broch_int(2), broch_double(0.25)}).u.f64 == 0.5);
  CHECK(number_function("_operator.floordiv", {broch_int(INT64_MIN), broch_int(-1)}).u.i64 ==
        INT64_MIN);
  CHECK_THROWS_AS(integer("_operator.floordiv", 1, 0), broch::Error);
  CHECK_THROWS_AS(integer("_operator.mod", 1, 0), broch::Error);
  const auto real = [](const char* target, double a, double b) {
    return number_function(target, {broch_double(a), broch_double(b)}).u.f64;
  };
  CHECK(real("_operator.floordiv", 5.5, 2) == 2);
  CHECK(real("_operator.floordiv", 7.5, -2) == -4);
  CHECK(real("_operator.mod", 7.5, -2) == -0.5);
  CHECK(real("_operator.floordiv", 1, 0.1) == 9);
  CHECK(real("_operator.mod", 1, 0.1) == 0.09999999999999995);
  CHECK(real("_operator.floordiv", -1, 0.1) == -10);
  CHECK(real("_operator.mod", -1, 0.1) == 5.551115123125783e-17);
  CHECK_THROWS_AS(real("_operator.floordiv", 1, 0), broch::Error);
  CHECK_THROWS_AS(real("_operator.mod", 1, 0), broch::Error);
  CHECK_THROWS_AS(number_function("math.floor", {broch_double(1e300)}), broch::Error);
  CHECK_THROWS_AS(number_function("_operator.mul", {broch_int(2)}), broch::Error);
  CHECK(!is_number_function("_operator.getitem"));
  CHECK(!is_number_function("os.system"));
}
