// run_test.cpp: what a model says about itself, and its numbers.
#include <dlfcn.h>

#include <cstring>

#include "small_bundle.hpp"

using namespace broch;
using namespace broch::lib_test;
using test::Folder;

namespace {

std::vector<float> halves(std::vector<float> values) {
  for (float& value : values) value /= 2;
  return values;
}
std::vector<float> taken(libbroch_tensor& tensor) {
  const auto* const first = static_cast<const float*>(tensor.data);
  std::vector<float> values(first, first + tensor.bytes / sizeof(float));
  libbroch_free(tensor.data);
  return values;
}
void check_run(libbroch_model* model, int64_t batch, float first) {
  CAPTURE(batch);
  std::vector<float> x = input(batch, first), y(size_t(batch) * 2), half(y);
  const libbroch_tensor in = tensor(x, {batch, 3});
  libbroch_tensor out[] = {memory(y), memory(half)};
  libbroch_error error{};
  REQUIRE_MESSAGE(libbroch_run(model, &in, 1, out, 2, nullptr, &error) == LIBBROCH_OK,
                  error.message);
  CHECK(error.message[0] == 0);
  CHECK(y == by_hand(x));
  CHECK(half == halves(y));
  CHECK((out[0].rank == 2 && out[0].shape[0] == batch && out[0].shape[1] == 2));
  CHECK((out[1].rank == 1 && out[1].shape[0] == 2 * batch));
  CHECK(out[1].dtype == LIBBROCH_FLOAT32);
}
libbroch_options at_level(int32_t level) {
  libbroch_options options = libbroch_default_options();
  options.level = level;
  return options;
}
// What torch.are_deterministic_algorithms_enabled() returns: at::globalContext() and its member
// deterministicAlgorithms(), without LibTorch's headers.
bool only_deterministic_algorithms() {
  void* const torch = dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD);
  REQUIRE(torch);
  const auto context = reinterpret_cast<const void* (*)()>(dlsym(torch, "_ZN2at13globalContextEv"));
  const auto flag = reinterpret_cast<bool (*)(const void*)>(
      dlsym(torch, "_ZNK2at7Context23deterministicAlgorithmsEv"));
  REQUIRE((context && flag));
  const bool is_set = flag(context());
  dlclose(torch);
  return is_set;
}

}  // namespace

TEST_CASE("lib: a model says what it is") {
  const Folder folder;
  const Model model = open(write_bundle(folder));
  CHECK(std::string(libbroch_version()) == LIBBROCH_VERSION);
  CHECK(runtime::has(libbroch_runtime(model.get()), "LibTorch 2."));
  CHECK(std::string(libbroch_about(model.get(), "name")) == "example");
  CHECK(libbroch_about(model.get(), "nothing") == nullptr);
  const char *key = nullptr, *text = nullptr;
  CHECK(libbroch_about_at(model.get(), 1, &key, &text) == 1);
  CHECK(std::string(key) + "=" + text == "name=example");
  CHECK(libbroch_about_at(model.get(), 2, &key, &text) == 0);
  REQUIRE(libbroch_input_count(model.get()) == 1);
  REQUIRE(libbroch_output_count(model.get()) == 2);
  libbroch_info info{};
  REQUIRE(libbroch_input(model.get(), 0, &info, nullptr) == LIBBROCH_OK);
  CHECK(std::string(info.name) == "x");
  CHECK((info.dtype == LIBBROCH_FLOAT32 && info.rank == 2));
  CHECK((info.shape[0] == -1 && info.shape[1] == 3));
  CHECK(std::string(info.symbols[0]) == "B");
  CHECK(info.symbols[1] == nullptr);
  CHECK((info.least[0] == 1 && info.least[1] == 3));
  REQUIRE(libbroch_output(model.get(), 1, &info, nullptr) == LIBBROCH_OK);
  CHECK(std::string(info.name) == "half");
  CHECK((info.rank == 1 && info.shape[0] == -1));
  CHECK(std::string(info.symbols[0]) == "2 * B");
}

TEST_CASE("lib: a model has the files of its bundle") {
  const Folder folder;
  bundle::Model whole{
      graph_test::example(), {runtime::floats(kWeights, {2, 3}), runtime::floats(kBias, {2})}, {}};
  whole.files = {{"words.txt", "a\nb\n"}, {"empty", ""}};
  bundle::write(folder / "m.bundle", runtime::backend(), whole);
  const Model model = open(folder / "m.bundle");
  size_t size = 7;
  const void* const words = libbroch_file(model.get(), "words.txt", &size);
  REQUIRE((words && size == 4));
  CHECK(std::memcmp(words, "a\nb\n", 4) == 0);
  CHECK(libbroch_file(model.get(), "words.txt", nullptr) == words);
  for (const char* other : {"empty", "words", static_cast<const char*>(nullptr)}) {
    CHECK(libbroch_file(model.get(), other, &size) == nullptr);
    CHECK(size == 0);
  }
  CHECK(libbroch_file(nullptr, "words.txt", &size) == nullptr);
}

TEST_CASE("lib: any batch, at each level, from a file and from memory") {
  const Folder folder;
  const std::string file = write_bundle(folder);
  for (const int32_t level : {LIBBROCH_FAST, LIBBROCH_BITWISE, LIBBROCH_EAGER}) {
    CAPTURE(level);
    libbroch_options options = at_level(level);
    options.shapes = 2;
    const Model model = open(file, &options);
    for (int round = 0; round < 3; ++round)
      for (const int64_t batch : {1, 4, 9}) check_run(model.get(), batch, float(round));
  }
  const std::string bytes = folder.read("m.bundle");
  libbroch_model* model = nullptr;
  REQUIRE(libbroch_open_memory(bytes.data(), bytes.size(), nullptr, &model, nullptr) ==
          LIBBROCH_OK);
  check_run(model, 5, 1);
  libbroch_close(model);
}

TEST_CASE("lib: only a level that promises bits needs deterministic algorithms") {
  const Folder folder;
  const std::string file = write_bundle(folder);
  const libbroch_options bitwise = at_level(LIBBROCH_BITWISE);
  {
    const Model fast = open(file);
    CHECK_FALSE(only_deterministic_algorithms());
    const Model exact = open(file, &bitwise);
    CHECK(only_deterministic_algorithms());
    const Model another = open(file);
    CHECK(only_deterministic_algorithms());
  }
  const Model fast = open(file);
  CHECK_FALSE(only_deterministic_algorithms());
}

TEST_CASE("lib: memory of the library, outputs by name, any alignment") {
  const Folder folder;
  const Model model = open(write_bundle(folder));
  std::vector<float> x = input(4, 1);
  std::vector<char> odd(x.size() * sizeof(float) + 1);
  std::memcpy(odd.data() + 1, x.data(), x.size() * sizeof(float));
  for (int round = 0; round < 3; ++round) {
    libbroch_tensor in = tensor(x, {4, 3});
    in.data = odd.data() + 1;
    libbroch_tensor out[2] = {libbroch_memory(nullptr, 0), libbroch_memory(nullptr, 0)};
    REQUIRE(libbroch_run(model.get(), &in, 1, out, 2, nullptr, nullptr) == LIBBROCH_OK);
    CHECK(reinterpret_cast<uintptr_t>(out[0].data) % 64 == 0);
    CHECK(taken(out[0]) == by_hand(x));
    CHECK(taken(out[1]) == halves(by_hand(x)));
    const char *input_name = "x", *output_name = "half";
    libbroch_tensor half = libbroch_memory(nullptr, 0);
    REQUIRE(libbroch_run_named(model.get(), &input_name, &in, 1, &output_name, &half, 1, nullptr,
                               nullptr) == LIBBROCH_OK);
    CHECK(taken(half) == halves(by_hand(x)));
  }
}

TEST_CASE("lib: the shapes of outputs are known before a run") {
  const Folder folder;
  const Model model = open(write_bundle(folder));
  const int64_t shape[] = {7, 3};
  const libbroch_tensor in = libbroch_tensor_of(nullptr, LIBBROCH_FLOAT32, 2, shape);
  libbroch_tensor out[2] = {libbroch_memory(nullptr, 0), libbroch_memory(nullptr, 0)};
  REQUIRE(libbroch_output_shapes(model.get(), &in, 1, out, 2, nullptr) == LIBBROCH_OK);
  CHECK((out[0].bytes == 56 && out[0].rank == 2 && out[0].shape[0] == 7));
  CHECK((out[1].bytes == 56 && out[1].rank == 1 && out[1].shape[0] == 14));
  CHECK(out[0].data == nullptr);
}
