// device_name_test.cpp: which device a name means.
#include "runtime/device_name.hpp"

#include <doctest/doctest.h>

#include "world.hpp"

using namespace broch::runtime;
using broch::test::error_of;
using broch::test::has;

namespace {

// On a machine whose GPUs nobody needs to ask for.
Device device(const std::string& text, uint32_t local_rank = 0) {
  return named_device(text, local_rank, [] {
    FAIL("only auto asks");
    return false;
  });
}

Device automatic(const std::string& text, bool has_gpu, uint32_t local_rank = 0) {
  return named_device(text, local_rank, [=] { return has_gpu; });
}

}  // namespace

TEST_CASE("device: a name is a type and perhaps a number") {
  CHECK(device("cpu") == Device{BROCH_DL_CPU, 0});
  CHECK(device("cpu", 3) == Device{BROCH_DL_CPU, 0});
  CHECK(to_string(device("cpu:2")) == "cpu:2");
  CHECK(device("cuda:3") == Device{BROCH_DL_CUDA, 3});
  CHECK(device("cuda") == Device{BROCH_DL_CUDA, 0});
  CHECK(device("cuda", 3) == Device{BROCH_DL_CUDA, 3});
  CHECK(device("cuda:1", 3) == Device{BROCH_DL_CUDA, 1});
}

TEST_CASE("device: auto is a GPU where there is one, and else a CPU tower") {
  CHECK(automatic("auto:2", true) == Device{BROCH_DL_CUDA, 2});
  CHECK(automatic("auto:2", false) == Device{BROCH_DL_CPU, 2});
  CHECK(automatic("auto", true, 3) == Device{BROCH_DL_CUDA, 3});
  CHECK(automatic("auto", false, 3) == Device{BROCH_DL_CPU, 0});
}

TEST_CASE("device: what is no name is refused") {
  for (const char* text : {"", "gpu", "cpu:", "cpu:-1", "cpu:1x", "cuda:99999", "cpu: 1", "auto:x",
                           "automatic", "auto:4096"}) {
    CHECK(has(error_of([&] { require_device_name(text); }),
              "a name that no device has, expected cpu, cpu:N, cuda, cuda:N, auto or auto:N"));
    CHECK(has(error_of([&] { device(text); }), "a name that no device has"));
  }
}
