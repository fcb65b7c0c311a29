// wrong_test.cpp: whatever is wrong gives a status and a message, and changes nothing.
#include <sys/stat.h>

#include <cstring>

#include "small_bundle.hpp"

using namespace broch;
using namespace broch::lib_test;
using test::Folder;

namespace {

struct Opened {
  libbroch_status status;
  std::string message;
};
Opened try_open(const std::string& file, const libbroch_options* options = nullptr) {
  libbroch_error error{};
  auto* model = reinterpret_cast<libbroch_model*>(&error);
  const libbroch_status status = libbroch_open(file.c_str(), options, &model, &error);
  CHECK(error.status == status);
  CHECK(bool(model) == (status == LIBBROCH_OK));
  libbroch_close(model);
  return {status, error.message};
}

// A run that is refused with this in its message.
void check_refusal(libbroch_model* model, const libbroch_tensor& in, libbroch_tensor* out,
                   size_t outputs, const std::string& part) {
  libbroch_error error{};
  CHECK(libbroch_run(model, &in, 1, out, outputs, nullptr, &error) == LIBBROCH_INVALID);
  CHECK_MESSAGE(runtime::has(error.message, part), error.message);
}

void check_open(const std::string& file, libbroch_status status, const std::string& part) {
  const Opened opened = try_open(file);
  CHECK(opened.status == status);
  CHECK_MESSAGE(runtime::has(opened.message, part), opened.message);
}

// Rows of a table with 3: inputs "city" and "town" (B), weight "table".
graph::Graph look_ups() {
  const graph::Number batch = graph_test::symbol(0);
  graph::Graph graph;
  graph.symbols = {"B"};
  graph.least = {1};
  graph.operators = {
      "aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool "
      "scale_grad_by_freq=False, bool sparse=False) -> Tensor",
      "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"};
  graph.inputs = {"city", "town"};
  graph.weights = {"table"};
  const auto none = [](graph::Argument::Kind kind, int64_t value) {
    return graph::Argument{.kind = kind, .integers = {value}};
  };
  using Kind = graph::Argument::Kind;
  const auto row = [&](int indices) -> std::vector<graph::Argument> {
    return {graph_test::value(2), graph_test::value(indices), none(Kind::integer, -1),
            none(Kind::boolean, 0), none(Kind::boolean, 0)};
  };
  graph.nodes = {{0, row(0), {3}},
                 {0, row(1), {4}},
                 {1, {graph_test::value(3), graph_test::value(4), none(Kind::integer, 1)}, {5}}};
  graph.outputs = {{"y", 5}};
  graph.types = {{BROCH_INT64, {batch}},      {BROCH_INT64, {batch}},
                 {BROCH_FLOAT32, {3, 2}},     {BROCH_FLOAT32, {batch, 2}},
                 {BROCH_FLOAT32, {batch, 2}}, {BROCH_FLOAT32, {batch, 2}}};
  return graph;
}

}  // namespace

TEST_CASE("lib: files that are no bundle") {
  const Folder folder;
  const std::string file = write_bundle(folder), whole = folder.read("m.bundle");
  check_open(folder / "none", LIBBROCH_NO_FILE, "none: No such file");
  check_open(folder.path().string(), LIBBROCH_NO_FILE, "a folder, expected a bundle");
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  for (const std::string& name : {folder / "fifo", std::string("/dev/null")})
    check_open(name, LIBBROCH_NO_FILE, "no regular file");
  const std::string is_none = "is not a bundle, expected the file that broch export writes";
  for (const char* const text :
       {"", "short", "area,rooms\n98,4\n", "{\"broch\": 1, \"name\": 2}"}) {
    folder.write("text", text);
    check_open(folder / "text", LIBBROCH_DAMAGED, folder / "text: " + is_none);
  }
  folder.write("cut", whole.substr(0, whole.size() - 1));
  check_open(folder / "cut", LIBBROCH_DAMAGED,
             "copy it again, or write it again with broch export");
  folder.write("changed", whole.substr(0, whole.size() - 1) + "?");
  check_open(folder / "changed", LIBBROCH_DAMAGED, "copy it again");
  for (size_t at = 0; at < whole.size(); at += 97) {
    CAPTURE(at);
    std::string damaged = whole;
    damaged[at] = char(damaged[at] ^ 1);
    folder.write("damaged", damaged);
    CHECK(try_open(folder / "damaged").status == LIBBROCH_DAMAGED);
    libbroch_model* model = nullptr;
    CHECK(libbroch_open_memory(whole.data(), at, nullptr, &model, nullptr) == LIBBROCH_DAMAGED);
  }
}

TEST_CASE("lib: an operator that LibTorch does not have") {
  const Folder folder;
  graph::Graph odd = graph_test::example();
  odd.operators[1] = "aten::no_such_thing(Tensor self) -> Tensor";
  bundle::write(folder / "odd", runtime::backend(),
                {odd, {runtime::floats(kWeights, {2, 3}), runtime::floats(kBias, {2})}, {}});
  const Opened opened = try_open(folder / "odd");
  CHECK(opened.status == LIBBROCH_UNAVAILABLE);
  CHECK_MESSAGE(runtime::has(opened.message, "no_such_thing"), opened.message);
}

TEST_CASE("lib: options and arguments") {
  const Folder folder;
  const std::string file = write_bundle(folder);
  const auto check_option = [&](auto change, const std::string& part) {
    libbroch_options options = libbroch_default_options();
    change(options);
    const Opened opened = try_open(file, &options);
    CHECK(opened.status == LIBBROCH_INVALID);
    CHECK_MESSAGE(runtime::has(opened.message, part), opened.message);
  };
  check_option([](auto& o) { o.struct_size = 3; }, "struct_size: 3");
  check_option([](auto& o) { o.threads = -1; }, "threads: -1");
  check_option([](auto& o) { o.level = 7; }, "level: 7");
  const Model model = open(file);
  check_option([](auto& o) { o.threads = 2; }, "models with 1 are open");
  libbroch_error error{};
  CHECK(libbroch_open(nullptr, nullptr, nullptr, &error) == LIBBROCH_INVALID);
  CHECK(libbroch_open(file.c_str(), nullptr, nullptr, &error) == LIBBROCH_INVALID);
  CHECK(libbroch_run(nullptr, nullptr, 0, nullptr, 0, nullptr, &error) == LIBBROCH_INVALID);
  CHECK(libbroch_run(model.get(), nullptr, 1, nullptr, 2, nullptr, nullptr) == LIBBROCH_INVALID);
  libbroch_info info{};
  CHECK(libbroch_input(model.get(), 1, &info, &error) == LIBBROCH_INVALID);
  CHECK(libbroch_input(model.get(), 0, nullptr, &error) == LIBBROCH_INVALID);
  CHECK(libbroch_output(nullptr, 0, &info, &error) == LIBBROCH_INVALID);
  CHECK(libbroch_input_count(nullptr) == 0);
  CHECK(std::string(libbroch_dtype_name(99)).empty());
  CHECK(libbroch_dtype_size(-1) == 0);
  libbroch_close(nullptr);
  libbroch_free(nullptr);
  libbroch_cancel_free(nullptr);
}

TEST_CASE("lib: inputs and outputs that do not fit") {
  const Folder folder;
  const Model model = open(write_bundle(folder));
  std::vector<float> x = input(4, 1), y(8, -1), half(8, -1);
  const libbroch_tensor good = tensor(x, {4, 3});
  libbroch_tensor out[] = {memory(y), memory(half)};
  for (int round = 0; round < 2; ++round) {  // before there is a program, and with it
    CAPTURE(round);
    const auto check = [&](auto change, const std::string& part) {
      libbroch_tensor bad = good;
      change(bad);
      check_refusal(model.get(), bad, out, 2, part);
    };
    check([](auto& t) { t.dtype = LIBBROCH_FLOAT64; }, "input 'x': float64 (4, 3)");
    check([](auto& t) { t.dtype = LIBBROCH_INT32; }, "input 'x': int32 (4, 3)");
    check([](auto& t) { t.dtype = 77; }, "input 'x': dtype 77, which is none, expected float32");
    check([](auto& t) { t.dtype = 0; }, "dtype 0");
    check([](auto& t) { t.rank = 1; }, "expected float32 (B, 3)");
    check([](auto& t) { t.rank = 9; }, "rank 9, expected at most 8");
    check([](auto& t) { t.shape[1] = 2; }, "float32 (4, 2)");
    check([](auto& t) { t.shape[0] = -4; }, "(-4, 3)");
    check([](auto& t) { t.shape[0] = 0; }, "at least 1");
    check([](auto& t) { t.shape[0] = INT64_MAX; }, "sizes that memory can have");
    check([](auto& t) { t.bytes = 47; }, "47 bytes, expected 48");
    check([](auto& t) { t.data = nullptr; }, "data NULL");
    check_refusal(model.get(), good, out, 1, "outputs of the model: 1, expected 2");
    check_refusal(model.get(), good, out, size_t{1} << 60,
                  "outputs of the model: 1152921504606846976");
    for (const size_t count : {size_t{0}, size_t{2}, size_t{1} << 60, SIZE_MAX}) {
      libbroch_error error{};
      CHECK(libbroch_run(model.get(), &good, count, out, 2, nullptr, &error) == LIBBROCH_INVALID);
      CHECK_MESSAGE(runtime::has(error.message, "inputs of the model"), error.message);
    }
    libbroch_tensor small[] = {memory(y), libbroch_memory(half.data(), 31)};
    check_refusal(model.get(), good, small, 2, "output 'half': memory of 31 bytes");
    CHECK((small[1].rank == 1 && small[1].shape[0] == 8));
    libbroch_tensor both[] = {libbroch_memory(y.data(), 31), libbroch_memory(half.data(), 31)};
    check_refusal(model.get(), good, both, 2, "output 'y': memory of 31 bytes");
    CHECK((both[0].rank == 2 && both[1].rank == 1 && both[1].shape[0] == 8));
    libbroch_tensor freed[] = {libbroch_memory(nullptr, 0), libbroch_memory(half.data(), 31)};
    check_refusal(model.get(), good, freed, 2, "31 bytes");
    CHECK(freed[0].data == nullptr);
    if (round == 0) CHECK(y == std::vector<float>(8, -1));
    REQUIRE(libbroch_run(model.get(), &good, 1, out, 2, nullptr, nullptr) == LIBBROCH_OK);
    CHECK(y == by_hand(x));
  }
}

TEST_CASE("lib: names that the model does not have") {
  const Folder folder;
  const Model model = open(write_bundle(folder));
  std::vector<float> x = input(1, 1), y(2);
  const libbroch_tensor in = tensor(x, {1, 3});
  libbroch_tensor out[2] = {memory(y), memory(y)};
  const auto check = [&](const char* input, std::vector<const char*> outputs,
                         const std::string& part) {
    libbroch_error error{};
    CHECK(libbroch_run_named(model.get(), &input, &in, 1, outputs.data(), out, outputs.size(),
                             nullptr, &error) == LIBBROCH_INVALID);
    CHECK_MESSAGE(runtime::has(error.message, part), error.message);
  };
  check("z", {"y"}, "input number 0: the name 'z', expected one of x");
  check("x", {"z"}, "output number 0: the name 'z', expected one of y, half");
  check("x", {"z"}, "broch export --name");
  check("x", {"y", "y"}, "output 'y' is given twice; 'half' is missing");
  check(nullptr, {"y"}, "no name");
}

TEST_CASE("lib: an index outside of a table, before there is a program and with it") {
  const Folder folder;
  bundle::write(folder / "m.bundle", runtime::backend(),
                {look_ups(), {runtime::floats({1, 2, 3, 4, 5, 6}, {3, 2})}, {}});
  const Model model = open(folder / "m.bundle");
  std::vector<int64_t> city = {0, 2}, town = {1, 1};
  const int64_t shape[] = {2};
  std::vector<float> y(4);
  libbroch_error error{};
  const auto run = [&](std::vector<const char*> names) {
    const libbroch_tensor in[] = {libbroch_tensor_of(city.data(), LIBBROCH_INT64, 1, shape),
                                  libbroch_tensor_of(town.data(), LIBBROCH_INT64, 1, shape)};
    const char* const name = "y";
    libbroch_tensor out = memory(y);
    return libbroch_run_named(model.get(), names.data(), in, 2, &name, &out, 1, nullptr, &error);
  };
  const auto check_failure = [&](const std::string& part) {
    town[1] = 3;
    CHECK(run({"city", "town"}) == LIBBROCH_FAILED);
    CHECK_MESSAGE(runtime::has(error.message, part), error.message);
    town[1] = 1;
    REQUIRE_MESSAGE(run({"city", "town"}) == LIBBROCH_OK, error.message);
    CHECK(y == std::vector<float>{4, 6, 8, 10});
  };
  check_failure("it reads weight 'table' and input 'town'");
  check_failure("embedding 'table': index 3 at position 1, expected 0 to 2");
  CHECK(run({"town", "town"}) == LIBBROCH_INVALID);
  CHECK(std::string(error.message) == "input 'town' is given twice; 'city' is missing");
}

TEST_CASE("lib: long messages are cut") {
  const Folder folder;
  graph::Graph odd = graph_test::example();
  for (int i = 0; i < 50; ++i)
    odd.operators.push_back("aten::no_such_thing" + std::to_string(i) + "(Tensor self) -> Tensor");
  bundle::write(folder / "odd", runtime::backend(),
                {odd, {runtime::floats(kWeights, {2, 3}), runtime::floats(kBias, {2})}, {}});
  const Opened opened = try_open(folder / "odd");
  CHECK(opened.status == LIBBROCH_UNAVAILABLE);
  CHECK(opened.message.size() == LIBBROCH_MESSAGE_SIZE - 1);
  CHECK_MESSAGE(opened.message.ends_with(" ..."), opened.message);
}
