// bundles.cpp: writes the bundles of these tests into a folder, for tests in other languages.
#define DOCTEST_CONFIG_IMPLEMENT  // of what fixture.hpp includes, without its main
#include "bundles.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  broch::serve_test::linear(folder + "/linear.bundle");
  broch::serve_test::lookup(folder + "/lookup.bundle");
  broch::serve_test::products(folder + "/products.bundle");
  return 0;
}
