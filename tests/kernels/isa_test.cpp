// isa_test.cpp: the limit on vector instructions.
#include "kernels/isa.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace broch::kernels;

TEST_CASE("isa: a limit is followed and never exceeds the processor") {
  limit_isa(Isa::generic);
  CHECK(isa() == Isa::generic);
  CHECK(isa_name() == std::string("generic"));
  limit_isa(Isa::avx512);
  CHECK(isa() == hardware_isa());
}
