// tensor_test.cpp: element types, shapes; elements against what the compiler converts.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "runtime/element.hpp"
#include "world.hpp"

using namespace broch;
using namespace broch::runtime;
using broch::test::error_of;
using broch::test::has;

TEST_CASE("dtype: every code has a name, a size and a DLPack type of its own") {
  const size_t sizes[] = {4, 8, 2, 2, 1, 2, 4, 8, 1, 1, 8, 16};
  for (broch_dtype dtype = 1; dtype <= 12; ++dtype) {
    CHECK(dtype_size(dtype) == sizes[dtype - 1]);
    CHECK(from_dl(to_dl(dtype)) == dtype);
    CHECK(to_dl(dtype).bits == 8 * dtype_size(dtype));
  }
  CHECK(dtype_size(0) == 0);
  CHECK(dtype_size(13) == 0);
  CHECK(from_dl({BROCH_DL_FLOAT, 8, 1}) == 0);
  Shape shape{2, {3, 4}};
  CHECK(type_text(BROCH_BFLOAT16, shape) == "bfloat16 (3, 4)");
  CHECK(to_string(Shape{}) == "()");
  CHECK(Shape{}.elements() == 1);
}

TEST_CASE("element: float16 and bfloat16 have the bits of IEEE 754 and of float32's upper half") {
  const auto half = [](double value) {
    uint16_t bits = 0;
    encode_element(BROCH_FLOAT16, value, &bits);
    return bits;
  };
  // Source: IEEE 754-2008 binary16: 1, largest, smallest normal, smallest subnormal, overflow,
  // ties.
  CHECK(half(1) == 0x3C00);
  CHECK(half(-2) == 0xC000);
  CHECK(half(65504) == 0x7BFF);
  CHECK(half(65520) == 0x7C00);
  CHECK(half(std::ldexp(1.0, -14)) == 0x0400);
  CHECK(half(std::ldexp(1.0, -24)) == 0x0001);
  CHECK(half(std::ldexp(1.0, -25)) == 0x0000);
  CHECK(half(1 + std::ldexp(1.0, -11)) == 0x3C00);
  CHECK(half(1 + 3 * std::ldexp(1.0, -11)) == 0x3C02);
  CHECK(half(2047.5 / 1024) == 0x4000);
  CHECK(half(0.333251953125) == 0x3555);
  for (uint32_t bits = 0; bits < 0x7C00; ++bits) {
    const auto code = static_cast<uint16_t>(bits);
    REQUIRE(half(decode_element(BROCH_FLOAT16, &code)) == code);
  }
  uint16_t brain = 0;
  encode_element(BROCH_BFLOAT16, 3.140625, &brain);
  CHECK(brain == 0x4049);
  encode_element(BROCH_BFLOAT16, 1 + std::ldexp(1.0, -8), &brain);
  CHECK(brain == 0x3F80);  // a tie goes to the even one
}

TEST_CASE("null backend: elements survive every dtype, copies and aliases are what they say") {
  const auto backend = make_null_backend();
  for (broch_dtype dtype = 1; dtype <= 12; ++dtype) {
    const Tensor one = broch::test::filled(*backend, {2, 2}, 1, dtype);
    CHECK(backend->item(one) == 1);
    std::vector<std::byte> bytes(4 * dtype_size(dtype));
    backend->copy_out(one, 0, bytes.data(), bytes.size());
    CHECK(decode_element(dtype, &bytes[3 * dtype_size(dtype)]) == 1);
  }
  const Tensor variable = broch::test::filled(*backend, {}, 1);
  const Tensor alias = backend->detach(variable);
  const Tensor leaf = backend->leaf(variable);
  const Tensor copy = backend->copy(variable, {});
  backend->assign(variable, broch::test::filled(*backend, {}, 2));
  CHECK(backend->item(alias) == 2);
  CHECK(backend->item(leaf) == 2);
  CHECK(backend->item(copy) == 1);
  CHECK(backend->info(leaf).requires_grad);
  CHECK(has(error_of([&] { backend->assign(variable, broch::test::filled(*backend, {3}, 2)); }),
            "assign: float32 (3,), expected float32 ()"));
}

TEST_CASE("torch backend: a missing file is an error that says how to get LibTorch") {
  setenv("BROCH_RUNTIME", "/nowhere/broch_torch.so", 1);
  const std::string text = error_of([] { open_torch_backend(); });
  unsetenv("BROCH_RUNTIME");
  CHECK(has(text,
            "4: /nowhere/broch_torch.so: /nowhere/broch_torch.so: cannot open shared object file"));
  CHECK(has(text, "hint: unpack the PyPI wheel of torch"));
}

TEST_CASE("torch backend: who has the Python package is told what to give to pip") {
  setenv("BROCH_RUNTIME", "/nowhere/broch_torch.so", 1);
  setenv("BROCH_PYTHON", "/env/bin/python", 1);
  const std::string text = error_of([] { open_torch_backend(); });
  unsetenv("BROCH_PYTHON");
  unsetenv("BROCH_RUNTIME");
  CHECK(has(text, "hint: run /env/bin/python -m pip install 'torch==2.11.*'"));
  CHECK(!has(text, "unpack"));
}
