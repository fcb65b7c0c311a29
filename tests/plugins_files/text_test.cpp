// text_test.cpp: sparse rows, lines, words, tokens, and points that a manifest lists.
#include <cstring>

#include "archive/lines.hpp"
#include "arrays/npy.hpp"
#include "files/listed_points.hpp"
#include "files/svmlight.hpp"
#include "files/text_lines.hpp"
#include "files/token_file.hpp"
#include "support.hpp"

using namespace support;
using namespace files;

TEST_CASE("svmlight: rows, comments and indices") {
  const std::string text = "# head\n1 1:0.5 3:-2e3 # tail\n\n-1.5 qid:4 2:+1\r\n0";
  const SparseRows rows = parse_svmlight(text, 1, "s");
  CHECK(rows.labels == std::vector<double>{1, -1.5, 0});
  CHECK(rows.begins == std::vector<uint64_t>{0, 2, 3, 3});
  CHECK(rows.indices == std::vector<uint32_t>{0, 2, 1});
  CHECK(rows.values == std::vector<float>{0.5F, -2000, 1});
  CHECK(rows.features == 3);
  CHECK(parse_svmlight("1 0:1", 0, "s").features == 1);
  const SparseRows small = parse_svmlight("1e-400 1:-1e-60 2:1e-45", 1, "s");
  CHECK(small.labels == std::vector<double>{0});
  CHECK(small.values == std::vector<float>{0, 1e-45F});
  const std::string mark = "\xEF\xBB\xBF";
  CHECK(parse_svmlight(mark + "7 1:2", 1, "s").labels == std::vector<double>{7});
  const auto wrong = [](const char* line, const char* pattern) {
    check_refusal([&] { parse_svmlight(line, 1, "s"); }, pattern);
  };
  wrong("1 0:1", "s: line 1, column 3: found '0:1', expected an index from 1");
  wrong("1 2:1 2:3", "larger than the one before");
  wrong("1 3", "INDEX:VALUE");
  wrong("one 1:1", "found 'one', expected a label");
  wrong("1 1:inf", "a value after the colon");
  wrong("1 1:1e40", "a value after the colon");
  wrong("1 9999999999:1", "an index");
  wrong("# nothing\n", "no row");
}

TEST_CASE("lines: without the mark and the ends that editors add") {
  using broch::archive::lines_in;
  using Lines = std::vector<std::string>;
  CHECK(lines_in("the\ncat\n") == Lines{"the", "cat"});
  CHECK(lines_in("\xEF\xBB\xBFthe\r\ncat\r") == Lines{"the", "cat"});
  CHECK(lines_in("the\n\n cat\r\r\n\n") == Lines{"the", "", " cat\r", ""});
  CHECK(lines_in("\n") == Lines{""});
  CHECK(lines_in("") == Lines{});
  CHECK(lines_in("\xEF\xBB\xBF") == Lines{});
}

TEST_CASE("text: lines and words") {
  const broch::archive::Memory text("one two\r\n\nthree", "t");
  const std::vector<uint64_t> begins = line_begins(text);
  CHECK(begins == std::vector<uint64_t>{0, 9, 10, 15});
  CHECK(line_at(text, begins, 0) == "one two");
  CHECK(line_at(text, begins, 1).empty());
  CHECK(line_at(text, begins, 2) == "three");
  CHECK(line_begins(broch::archive::Memory("", "t")).size() == 1);
  for (uint64_t most = 0; most < 9; ++most)
    CHECK(line_at(text, begins, 0, most) == std::string("one two").substr(0, most));
  std::vector<std::string> words;
  for_each_word("  a\tbc  d ", [&](std::string_view word) { words.emplace_back(word); });
  CHECK(words == std::vector<std::string>{"a", "bc", "d"});
  const auto words_of = [](std::string_view list) {
    return Vocabulary(broch::archive::Memory(list, "v"));
  };
  const Vocabulary vocabulary = words_of("<unk>\na\nbc\n");
  CHECK(vocabulary.find("bc") == 2);
  CHECK(vocabulary.find("c") == -1);
  const std::string mark = "\xEF\xBB\xBF";
  CHECK(words_of(mark + "a\nb").find("a") == 0);
  CHECK(line_begins(broch::archive::Memory(mark, "t")).size() == 1);
  const std::string marked = mark + "one\n";
  const broch::archive::Memory behind(marked, "t");
  CHECK(line_at(behind, line_begins(behind), 0) == "one");
  check_refusal([&] { words_of("a\na\n"); }, "v: line 2: found the word 'a' once more");
  check_refusal([&] { words_of("a\n\nb\n"); }, "an empty line");
  check_refusal([&] { words_of(""); }, "no word");
}

TEST_CASE("tokens: types, header and bounds") {
  const std::string bytes("\1\0\2\0\xff\xff\3\0", 8);
  const auto tokens = [&](TokenType type, uint64_t header) {
    const TokenFile file(std::make_shared<broch::archive::Memory>(bytes, "t.bin"), type, header);
    std::vector<int64_t> values(file.size());
    file.copy(0, file.size(), values.data());
    return values;
  };
  CHECK(tokens(TokenType::uint16, 0) == std::vector<int64_t>{1, 2, 65535, 3});
  CHECK(tokens(TokenType::uint16, 4) == std::vector<int64_t>{65535, 3});
  CHECK(tokens(TokenType::int32, 0) == std::vector<int64_t>{131073, 262143});
  CHECK(tokens(TokenType::uint8, 7) == std::vector<int64_t>{0});
  check_refusal([&] { tokens(TokenType::uint16, 3); },
                "5 bytes of tokens, expected a multiple of 2");
  check_refusal([&] { tokens(TokenType::uint16, 9); }, "a header of 9 bytes");
  // The type of a .npy file is its own.
  const TokenFile npy(good("vector.npy"), TokenType::uint8, 0);
  REQUIRE(npy.size() == 7);
  std::vector<int64_t> last(2);
  npy.copy(5, 2, last.data());
  CHECK(last == std::vector<int64_t>{5, 6});
  check_refusal([] { TokenFile(good("f2.npy"), TokenType::uint8, 0); }, "'<f2' in 3 dimensions");
  const std::string cut = broch::archive::npy_header("<u2", {4}) + bytes.substr(2);
  check_refusal(
      [&] {
        TokenFile(std::make_shared<broch::archive::Memory>(cut, "t.npy"), TokenType::uint8, 0);
      },
      "6 bytes of data, expected 8 as the shape says");
}

TEST_CASE("tokens: from disk as from memory") {
  std::string bytes;
  for (int i = 0; i < 20000; ++i) bytes += {char(i * 7), char(i / 3)};
  Folder folder;
  const TokenFile kept(std::make_shared<broch::archive::Memory>(bytes, "t.bin"), TokenType::uint16,
                       6);
  const TokenFile file(std::make_shared<broch::archive::File>(folder.write("tokens.bin", bytes)),
                       TokenType::uint16, 6);
  for (const uint64_t count : {1, 255, 4095, 4096, 19996}) {
    std::vector<int64_t> expected(count + 1), tokens(count), targets(count);
    kept.copy(0, count + 1, expected.data());
    for (const TokenFile* one : {&kept, &file}) {
      one->copy(0, count, tokens.data(), targets.data());
      CHECK(std::equal(tokens.begin(), tokens.end(), expected.begin()));
      CHECK(std::equal(targets.begin(), targets.end(), expected.begin() + 1));
      one->copy(1, count, tokens.data());
      CHECK(tokens == targets);
    }
  }
}

TEST_CASE("list: shapes and dtypes") {
  const auto points = listed_points("[[[1.5, 2], 3], [[4, 5], -6]]", {"float32", "int64"});
  REQUIRE(points.size() == 2);
  CHECK(points[0][0].shape == std::vector<int64_t>{2});
  CHECK(points[0][1].shape.empty());
  float number = 0;
  std::memcpy(&number, points[0][0].bytes.data(), sizeof number);
  CHECK(number == 1.5F);
  int64_t whole = 0;
  std::memcpy(&whole, points[1][1].bytes.data(), sizeof whole);
  CHECK(whole == -6);
  const auto wrong = [](const char* text, const char* dtype, const char* pattern) {
    check_refusal([&] { listed_points(text, {dtype}); }, pattern);
  };
  wrong("[[[[1, 2], [3]]]]", "float32", "/points/0/0: found lists of different lengths");
  wrong("[[[1, [2]]]]", "float32", "different lengths");
  wrong("[[256]]", "uint8", "found 256, expected a value of uint8");
  wrong("[[1.5]]", "int64", "found 1.5");
  wrong("[[2]]", "bool", "found 2");
  wrong("[[\"a\"]]", "float32", "a value of float32");
  wrong("[[[]]]", "float32", "an empty list");
  wrong("[[1, 2]]", "float32", "/points/0: found 2 components, expected 1");
}
