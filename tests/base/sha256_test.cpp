// sha256_test.cpp: SHA-256 against the examples of FIPS 180-4.
#include "base/sha256.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using broch::base::Sha256;

namespace {

std::string sha256(const std::string& text) {
  Sha256 checksum;
  checksum.add(text.data(), text.size());
  return checksum.finish();
}

}  // namespace

TEST_CASE("sha256: the published examples") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("sha256: the same in pieces of any length") {
  const std::string text(300, 'x');
  for (size_t piece = 1; piece < 140; ++piece) {
    Sha256 checksum;
    for (size_t at = 0; at < text.size(); at += piece)
      checksum.add(text.data() + at, std::min(piece, text.size() - at));
    CHECK(checksum.finish() == sha256(text));
  }
}
