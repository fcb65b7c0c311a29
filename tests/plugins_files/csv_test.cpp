// csv_test.cpp: columns hold what pandas reads (reference/make_data_files.py), with any number of
// threads.
#include "files/csv.hpp"

#include <chrono>
#include <cmath>
#include <cstring>
#include <random>

#include "support.hpp"

using namespace support;
using namespace files;

namespace {

CsvTable read(const std::string& text, const std::vector<CsvComponent>& components,
              const CsvFormat& format = {}) {
  return read_csv(text, "t.csv", format, components);
}

std::string bytes_of(const CsvTable& table, size_t component = 0) {
  const CsvColumns& columns = table.components[component];
  return {columns.values.get(), table.rows * columns.row_bytes};
}

template <class T>
std::vector<T> values_of(const CsvTable& table, size_t component = 0) {
  const std::string bytes = bytes_of(table, component);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

CsvType type_named(const std::string& name) {
  if (name == "float32") return CsvType::float32;
  if (name == "float64") return CsvType::float64;
  return name == "int64" ? CsvType::int64 : CsvType::category;
}

}  // namespace

TEST_CASE("csv: what pandas wrote and reads") {
  for (const std::string file : {"table.csv", "semicolon.csv"}) {
    CsvFormat format;
    if (file == "semicolon.csv") format.separator = ';';
    for (const auto& fields : fields_of(good("columns.txt"))) {
      CAPTURE(fields[0]);
      CsvComponent component{{fields[0]}, type_named(fields[1])};
      component.missing = CsvMissing::fill;
      component.fill = -7;
      CHECK(hex(bytes_of(read(read_file(good(file)), {component}, format))) == fields[2]);
    }
  }
}

TEST_CASE("csv: cells without a value") {
  const std::string text = "a,b,c\n1,x,2\n,y,3\n4,NA,nan\n5,x,6\n";
  CsvComponent a{{"a"}, CsvType::int64}, b{{"b"}, CsvType::category}, c{{"c"}, CsvType::float32};
  check_refusal([&] { read(text, {a}); }, "t.csv: line 3, column 1 \\('a'\\): found no value");
  check_refusal([&] { read(text, {c}); }, "line 4, column 3");
  a.missing = CsvMissing::drop;
  c.missing = b.missing = CsvMissing::fill;
  c.fill = NAN;
  b.fill = -1;
  const CsvTable table = read(text, {a, b, c});
  CHECK(table.rows == 3);
  CHECK(table.dropped == 1);
  CHECK(table.counts.filled == 2);
  CHECK(values_of<int64_t>(table) == std::vector<int64_t>{1, 4, 5});
  CHECK(values_of<int64_t>(table, 1) == std::vector<int64_t>{0, -1, 0});
  CHECK(table.components[1].categories == std::vector<std::string>{"x", "y"});
  CHECK(std::isnan(values_of<float>(table, 2)[1]));
  CsvFormat words;
  words.missing_words = {"?"};
  check_refusal([&] { read("a\n\n", {a}, words); }, "found '', expected a whole number");
  CHECK(read("a\n?\n3\n", {a}, words).rows == 1);
  check_refusal([&] { read("a\n?\n", {a}, words); }, "in each of 1 rows");
  words.missing_words = {"-999"};
  c.fill = 0;
  const CsvTable numbers = read("a,c\n1,2.5\n-999,1\n3,-999\n9,-9990\n", {a, c}, words);
  CHECK(values_of<int64_t>(numbers) == std::vector<int64_t>{1, 3, 9});
  CHECK(values_of<float>(numbers, 1) == std::vector<float>{2.5f, 0, -9990});
  // Blanks around a number do not count, so they do not turn this word into a value.
  const CsvTable blanks = read("a,c\n1, 2.5\n3, -999\n4,-999 \n5,\" -999\"\n", {a, c}, words);
  CHECK(values_of<float>(blanks, 1) == std::vector<float>{2.5f, 0, 0, 0});
  check_refusal([&] { read("a,b\n1,2\n  ,3\n", {{{"a"}}}); }, "line 3, column 1.*found no value");
  // The same holds for a category, whose blanks count otherwise.
  words.missing_words = {"?"};
  const std::string kinds = "a,b\n1, x\n2, ?\n3,x\n";
  check_refusal(
      [&] {
        read(kinds, {{{"b"}, CsvType::category}}, words);
      },
      "line 3, column 2.*found no value");
  CsvComponent listed{{"b"}, CsvType::category, std::vector<std::string>{" ?", " x", "x"}};
  CHECK(values_of<int64_t>(read(kinds, {listed}, words)) == std::vector<int64_t>{1, 0, 2});
}

TEST_CASE("csv: listed categories, and columns without a header") {
  CsvFormat format;
  format.header = false;
  CsvComponent kind{{"1"}, CsvType::category, std::vector<std::string>{"red", "blue"}};
  kind.option = "/components/0";
  CHECK(values_of<int64_t>(read("1,blue\n2,red\n", {kind}, format)) == std::vector<int64_t>{1, 0});
  check_refusal([&] { read("1,blue\n2,green\n", {kind}, format); },
                "line 2, column 2: found 'green', expected one of the 2 words");
  kind.unknown = 2;
  CsvComponent number{{"0"}, CsvType::int64};
  number.missing = CsvMissing::drop;
  const std::string text = "1,blue\n2,green\n,green\n3,red\n4,\n";
  check_refusal([&] { read(text, {kind, number}, format); }, "line 5, column 2: found no value");
  kind.missing = CsvMissing::fill;
  kind.fill = 7;
  const CsvTable others = read(text, {kind, number}, format);
  CHECK(values_of<int64_t>(others) == std::vector<int64_t>{1, 2, 0, 7});
  // What a dropped row contains does not count.
  CHECK(others.counts.unknown == 1);
  CHECK(others.counts.filled == 1);
  CHECK(others.dropped == 1);
  kind.categories = std::vector<std::string>{"red", "red", "blue"};
  check_refusal([&] { read("1,blue\n2,red\n", {kind}, format); },
                "/components/0/categories: found 'red' once more, expected each word once");
  CsvComponent none{{"7"}};
  check_refusal([&] { read("1,2\n", {none}, format); }, "no column '7' in t.csv.*'0', '1'");
}

TEST_CASE("csv: numbers are rounded once, in every notation") {
  const CsvTable table =
      read("x\n0.1\n+1.5\n\" 2 \"\n1e-400\n16777217\n1.00000005960464477540\n-0\n", {{{"x"}}});
  const std::vector<float> values = values_of<float>(table);
  CHECK(values == std::vector<float>{0.1F, 1.5F, 2, 0, 16777216, 1.00000012F, -0.0F});
  for (const char* bad : {"inf", "1e400", "0x10", "1,5", "1 2", "--1", "1_0", ""})
    CHECK(refusal([&] { read(std::string("x\n") + bad + "\n", {{{"x"}}}); }) != "");
  const CsvComponent whole{{"x"}, CsvType::int64};
  CHECK(values_of<int64_t>(read("x\n3.0\n1.000000000000000000e+02\n\"-4.\"\n+0.5e1\n", {whole})) ==
        std::vector<int64_t>{3, 100, -4, 5});
  CHECK(values_of<int64_t>(read("x\n9223372036854775807\n", {whole})) ==
        std::vector<int64_t>{INT64_MAX});
  for (const char* bad : {"1.5", "9007199254740994.0", "1e400", "1e-400", "1e-3", "3.0x", "."})
    check_refusal([&] { read(std::string("x\n") + bad + "\n", {whole}); }, "whole number");
}

TEST_CASE("csv: quotes that mean nothing") {
  CsvFormat format;
  format.separator = '\t';
  format.quotes = false;
  CsvComponent word{{"word"}, CsvType::category};
  std::string text = "size\tword\n";
  constexpr int kRows = 300000;  // several pieces
  for (int i = 0; i < kRows; ++i) text += "5\t\"he" + std::string(i % 7, 'y') + "\" said\n";
  text += "6\t\"\n";
  for (const unsigned threads : {1u, 3u}) {
    format.threads = threads;
    const CsvTable table = read(text, {{{"size"}}, word}, format);
    CHECK(table.rows == kRows + 1);
    CHECK(table.components[1].categories.size() == 8);
    CHECK(table.components[1].categories[0] == "\"");
    CHECK(values_of<float>(table).back() == 6);
    CHECK(values_of<int64_t>(table, 1)[1] == 2);
  }
}

TEST_CASE("csv: quotes and lines that do not fit") {
  const CsvComponent a{{"a"}};
  check_refusal([&] { read("a,b\n1,x\"y\n", {a}); }, "line 2, column 2 \\('b'\\): found 'x\"y'");
  check_refusal([&] { read("a,b\n1,\"x\n", {a}); }, "never ends");
  check_refusal([&] { read("a,b\n1,\"x\"y\n", {a}); }, "after the closing quote");
  check_refusal([&] { read("a,b\n1,2\n1\n", {a}); }, "line 3: found 1 cell, expected 2");
  check_refusal([&] { read("a,b\n1,\"x\ny\"\n1,2,3\n", {a}); }, "line 4: found 3 cells");
  check_refusal([&] { read("a,b\n1,2\n\n3,4\n", {a}); }, "line 3: found an empty line");
  for (const char* end : {"\n", "\n\n", "\n\n\n\n", "\r\n\r\n"})
    CHECK(read(std::string("a,b\n1,2\n3,4") + end, {a}).rows == 2);
  for (const char* text : {"a,b\n", "a,b\n\n", "a,b\r\n\r\n\r\n"})
    check_refusal([&] { read(text, {a}); }, "no line of data");
  check_refusal([&] { read("", {a}); }, "no column 'a'");
  check_refusal([&] { read("", {a}); }, "is empty, expected a line with names");
  check_refusal([&] { read("a;b\n1;2\n", {a}); },
                "one of 'a;b'; correct the name, or the option sep");
  check_refusal([&] { read("a,a\n1,2\n", {a}); }, "several columns 'a'");
  check_refusal([&] { read("a\n1\n", {a, a}); }, "once more");
  CHECK(read("\xEF\xBB\xBF\"a\"\r\n1\r\n2", {a}).rows == 2);
}

TEST_CASE("csv: many columns are found at once, and one of a name") {
  constexpr size_t kColumns = 100'000;  // one by one, that takes ten seconds
  std::string names, row;
  for (size_t i = 0; i < kColumns; ++i) {
    names += (i > 0 ? ",c" : "c") + std::to_string(i);
    row += (i > 0 ? "," : "") + std::to_string(i);
  }
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<float> values = values_of<float>(read(names + "\n" + row + "\n", {{}}));
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
  CHECK(values.size() == kColumns);
  CHECK(values.back() == float(kColumns - 1));
  check_refusal([&] { read(names + ",c7\n" + row + ",1\n", {{}}); }, "several columns 'c7'");
}

TEST_CASE("csv: any number of threads reads the same from many pieces") {
  std::mt19937 random(5);
  std::string text = "x,word,n\n";
  uint64_t rows = 0;
  for (; text.size() < size_t{13} << 20; ++rows) {
    text += std::to_string(int(random() % 2000) - 1000) + "." + std::to_string(random() % 1000);
    switch (random() % 4) {
      case 0:
        text += ",\"several\nlines,\n\"\"quoted\"\"\",";
        break;
      case 1:
        text += ",word " + std::to_string(random() % 500) + ",";
        break;
      default:
        text += ",plain,";
    }
    text += std::to_string(random()) + (random() % 2 ? "\r\n" : "\n");
  }
  const std::vector<CsvComponent> components{
      {{"x"}, CsvType::float64}, {{"n"}, CsvType::int64}, {{"word"}, CsvType::category}};
  CsvFormat format;
  format.threads = 1;
  const CsvTable one = read(text, components, format);
  CHECK(one.rows == rows);
  CHECK(one.components[2].categories.size() == 502);
  format.threads = 4;
  const CsvTable four = read(text, components, format);
  for (size_t i = 0; i < components.size(); ++i) CHECK(bytes_of(one, i) == bytes_of(four, i));
  text += "1,2\n";
  const std::string wrong = refusal([&] { read(text, components, format); });
  CHECK(wrong.find(": line " + std::to_string(std::count(text.begin(), text.end(), '\n')) +
                   ": found 2 cells") != std::string::npos);
}
