// refusals_test.cpp: libraries of another LibTorch, which are refused before any of their code
// runs.
#include <doctest/doctest.h>
#include <stdlib.h>

#include "cli_harness/cli_harness.hpp"
#include "folder.hpp"

using namespace broch;
using cli_harness::Json;
using test::Folder;

namespace {

constexpr int kPlugin = 4;  // exit code

struct Refusal {
  int exit_code;
  std::string talk;
  bool loaded;
};

const Json kX{{"shape", {5, 4}}, {"low", -1}, {"name", "x"}};

Refusal refusal(const Json& model, const Json& callbacks, const std::string& plugin,
                const std::vector<std::string>& arguments = {}) {
  const Folder folder;
  const std::string trace = folder / "trace";
  setenv("TORCH_CXX_TRACE", trace.c_str(), 1);
  const cli_harness::Training training(
      folder, "run",
      {{"broch", 1},
       {"plugins", {plugin, MODELS}},
       {"model", model},
       {"dataflow", {{"use", "fake"}, {"with", {{"size", 2}, {"components", {kX}}}}}},
       {"callbacks", callbacks},
       {"max_epoch", 1}});
  const int exit_code = training.run(arguments);
  unsetenv("TORCH_CXX_TRACE");
  return {exit_code, training.talk(), std::filesystem::exists(trace)};
}

Refusal of_model(const std::string& plugin, const std::vector<std::string>& arguments = {}) {
  return refusal({{"use", "torch-cxx.draws"}}, Json::array(), plugin, arguments);
}

void check_refused(const Refusal& refusal, const std::vector<std::string>& words) {
  INFO(refusal.talk);
  CHECK(refusal.exit_code == kPlugin);
  CHECK_FALSE(refusal.loaded);
  for (const std::string& word : words) CHECK(cli_harness::count(refusal.talk, word) > 0);
}

// "2.11.0-" and the build-id, as the library has it.
std::string tag_in(const std::string& bytes) {
  const size_t begin = bytes.find("2.11.0-");
  REQUIRE(begin != std::string::npos);
  return bytes.substr(begin, bytes.find("-cxx11", begin) - begin);
}

}  // namespace

TEST_CASE("torch-cxx: the library of these tests leaves a trace where it is loaded") {
  CHECK(of_model(TORCH_CXX_MODELS).loaded);
}

TEST_CASE("torch-cxx: a library of another build is refused, with both builds in the message") {
  const Folder folder;
  std::string bytes = test::read_file(TORCH_CXX_MODELS);
  const std::string own = tag_in(bytes);
  std::string other = own;
  other.back() = own.back() == '0' ? '1' : '0';
  for (size_t at = 0; (at = bytes.find(own, at)) != std::string::npos;)
    bytes.replace(at, own.size(), other);
  const std::string plugin = folder.write("other.so", bytes);
  check_refused(of_model(plugin), {"other.so", "built against LibTorch '" + other,
                                   "expected LibTorch '" + own, "rebuild"});
}

TEST_CASE("torch-cxx: the null runtime takes no library on tensors") {
  check_refused(of_model(TORCH_CXX_MODELS, {"--runtime", "null"}),
                {"built against LibTorch '2.11.0-", "--runtime torch"});
}

TEST_CASE("torch-cxx: a library that links LibTorch without a tag is refused") {
  check_refused(refusal({{"use", "recorded.mlp"}}, Json::array({{{"use", "torch-cxx.untagged"}}}),
                        TORCH_CXX_UNTAGGED),
                {"needs libtorch_cpu.so, which its metadata does not mention", "TORCH"});
}
