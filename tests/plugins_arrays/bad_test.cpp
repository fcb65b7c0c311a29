// bad_test.cpp: one row for each way in which a file is no .npy or .csv file.
#include "support.hpp"

using support::dict;
using support::Expected;
using support::npy;

namespace {

struct Row {
  std::string bytes;
  Expected wanted;
};

void check(const Row& row, const std::string& file, bool header = false) {
  support::check_refusal(row.bytes,
                         support::refusal([&] { arrays::Table::parse(row.bytes, file, header); }),
                         row.wanted);
}

const std::string kData(24, '\0');

}  // namespace

TEST_CASE("bad npy: the bytes before the dict") {
  const std::string good = npy(dict("<f4", "(3, 2)"), kData);
  std::string version = good, long_header = npy(dict("<f4", "(3, 2)"), kData, 2);
  version[6] = 9;
  long_header[10] = 2;
  const Row rows[] = {
      {"", {"a.npy: byte 0", "''", "NUMPY", "numpy.save"}},
      {"PK\x03\x04 an archive",
       {"a.npy: byte 0", "'PK\\\\x03\\\\x04 a'", "NUMPY", "not a .npy file"}},
      {good.substr(0, 9), {"a.npy: byte 9", "the end of the file", "a header", "cut short"}},
      {version, {"a.npy: byte 6", "format 9.0", "1.0, 2.0 or 3.0", "numpy.save"}},
      {good.substr(0, 40), {"a.npy: byte 8", "a header of 60 bytes", "the 30 that", "cut short"}},
      {long_header, {"a.npy: byte 8", "a header of 131132", "at most 65536", "numpy.save"}},
  };
  for (const Row& row : rows) check(row, "a.npy");
}

TEST_CASE("bad npy: the dict") {
  const auto bad = [](const std::string& text, const Expected& wanted) {
    return Row{npy(text, kData), wanted};
  };
  const Row rows[] = {
      bad("", {"a.npy: byte 10", "the end of the header", "'\\{'", "numpy.save"}),
      bad("(3, 2)", {"a.npy: byte 10", "'\\(3, 2\\)'", "'\\{'", "numpy.save"}),
      bad("{}", {"a.npy: byte 12", "no key 'descr'", "one", "numpy.save"}),
      bad("{'descr': '<f4'}", {"a.npy: byte 26", "no key 'fortran_order'", "one", "numpy.save"}),
      bad("{'descr': '<f4', 'fortran_order': False}",
          {"a.npy: byte 50", "no key 'shape'", "one", "numpy.save"}),
      bad("{'descr': '<f4', 'descr': '<f4'}",
          {"a.npy: byte 27", "the key 'descr'", "once each", "numpy.save"}),
      bad("{'order': 1}", {"a.npy: byte 11", "the key 'order'", "'shape'", "numpy.save"}),
      bad("{descr: '<f4'}", {"a.npy: byte 11", "'descr: '<f4''", "quotes", "numpy.save"}),
      bad("{'descr: 1}", {"a.npy: byte 11", "''descr: 1\\}'", "string that ends", "numpy.save"}),
      bad("{'descr' '<f4'}", {"a.npy: byte 19", "''<f4'\\}'", "':'", "numpy.save"}),
      bad("{'descr': '<f4' 'shape': (1,)}", {"a.npy: byte 26", "''shape'", "','", "numpy.save"}),
      bad(dict("<f4", "(3, 2)", "None"), {"a.npy: byte 44", "'None", "True or False", "numpy"}),
      bad(dict("<f4", "(3, -2)"), {"a.npy: byte \\d+", "'-2\\)", "from 0 to 92", "numpy.save"}),
      bad(dict("<f4", "(3, 2.5)"), {"a.npy: byte \\d+", "'.5\\)", "','", "numpy.save"}),
      bad(dict("<f4", "(99999999999999999999,)"),
          {"a.npy: byte \\d+", "'999999999999'", "9223372036854775807", "numpy.save"}),
      bad(dict("<f4", "6"), {"a.npy: byte \\d+", "'6, \\}", "'\\('", "numpy.save"}),
      bad(dict("<f4", "(3, 2") + "\n", {"a.npy: byte \\d+", "'\\}", "from 0", "numpy.save"}),
      bad(dict("<f4", "(3, 2)") + "x", {"a.npy: byte 70", "'x'", "nothing after", "numpy.save"}),
      bad(dict("<f4", "(" + std::string(99, '1') + ")"),
          {"a.npy: byte \\d+", "'111", "from 0", "."}),
  };
  for (const Row& row : rows) check(row, "a.npy");
  std::string ranks;
  for (int i = 0; i < 33; ++i) ranks += "1,";
  check(bad(dict("<f4", "(" + ranks + ")"),
            {"a.npy: byte \\d+", "'1,\\)", "at most 32 dimensions", "numpy.save"}),
        "a.npy");
}

TEST_CASE("bad npy: arrays that are not read") {
  const auto bad = [](const std::string& text, const Expected& wanted) {
    return Row{npy(text, kData), wanted};
  };
  const Row rows[] = {
      bad(dict("<f4", "(3, 2)", "True"), {"a.npy", "Fortran", "C order", "ascontiguousarray"}),
      bad(dict(">f4", "(3, 2)"),
          {"a.npy", "big-endian .*'>f4'", "little-endian", "astype\\('<f4'"}),
      bad(dict("|O", "(3,)"), {"a.npy", "Python objects", "numbers", "astype\\('float32'"}),
      bad("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (6,)}",
          {"a.npy: byte 20", "structured", "numbers", "array\\['field'\\]"}),
      bad(dict("<U6", "(1,)"), {"a.npy", "'<U6'", "<f4", "astype\\('float32'"}),
      bad(dict("<f2", "(3, 4)"), {"a.npy", "'<f2'", "<f4 <f8", "astype"}),
      bad(dict("<c8", "(3,)"), {"a.npy", "'<c8'", "<f4 <f8", "astype"}),
      bad(dict("|f4", "(3, 2)"), {"a.npy", "'\\|f4'", "<f4", "astype"}),
      bad(dict("", "(3, 2)"), {"a.npy", "''", "<f4", "astype"}),
      bad(dict("<f4", "()"), {"a.npy", "without dimensions", "rows", "reshape\\(1\\)"}),
      bad(dict("<f4", "(0, 3)"), {"a.npy: byte \\d+", "24 bytes", "0 as the shape", "of its own"}),
      bad(dict("<f4", "(7,)"), {"a.npy: byte \\d+", "24 bytes", "28 as the shape", "cut short"}),
      bad(dict("<f4", "(5,)"), {"a.npy: byte \\d+", "24 bytes", "20 as the shape", "of its own"}),
      bad(dict("<f4", "(4294967296, 4294967296)"), {"a.npy", "2\\^64 or more b", "memory", "."}),
      bad(dict("<f8", "(2305843009213693952,)"), {"a.npy", "2\\^64 or more b", "memory", "."}),
      {npy(dict("<f4", "(0, 3)"), ""), {"a.npy", "without elements", "at least one row", "data"}},
  };
  for (const Row& row : rows) check(row, "a.npy");
}

TEST_CASE("csv: empty lines at the end do not count") {
  for (const char* end : {"", "\n", "\n\n\n", "\r\n\r\n"})
    CHECK(arrays::Table::parse(std::string("1,2\n3,4") + end, "a.csv", false).rows() == 2);
}

TEST_CASE("bad csv: cells and lines") {
  const std::string nul("1,2\n3,\0\n", 8);
  const Row rows[] = {
      {"", {"a.csv", "no line of numbers", "at least one", "with data"}},
      {"\xEF\xBB\xBF", {"a.csv", "no line of numbers", "at least one", "with data"}},
      {"1,2\n3,abc\n", {"a.csv: line 2, column 2", "'abc'", "a number", "correct the cell"}},
      {"a,b\n1,2\n", {"a.csv: line 1, column 1", "'a'", "a number", "set header to true"}},
      {"1,2\n3, 4\n", {"a.csv: line 2, column 2", "' 4'", "a number", "without blanks"}},
      {"1,2\n3,4 \n", {"a.csv: line 2, column 2", "'4 '", "a number", "without blanks"}},
      {"1,2\n3,4,5\n", {"a.csv: line 2", "3 cells", "2 as in the first line", "same number"}},
      {"1,2\n3\n", {"a.csv: line 2", "1 cell", "2 as in the first line", "same number"}},
      {"1,2\n\n3,4\n", {"a.csv: line 2", "an empty line", "a number", "remove"}},
      {"1\r\n\r\n2\r\n", {"a.csv: line 2", "an empty line", "a number", "remove"}},
      {"\n1\n", {"a.csv: line 1", "an empty line", "a number", "remove"}},
      {"1,\"2\n3,4\n", {"a.csv: line 1, column 2", "never ends", "closing quote", "close"}},
      {"1,\"2\"x\n", {"a.csv: line 1, column 2", "'x' after", "a comma", "twice"}},
      {"1,2\"\n", {"a.csv: line 1, column 2", "'2\"'", "whole cell", "quotes inside"}},
      {"1,\"2\"\"\"\n", {"a.csv: line 1, column 2", "'2\"\"'", "a number", "."}},
      {"1,2\n\"3\n\",4\n", {"a.csv: line 3, column 1", "'3\\\\x0a'", "a number", "correct"}},
      {"1,2\r3,4\r", {"a.csv: line 1, column 2", "'2\\\\x0d3'", "a number", "."}},
      {"1,2\n3;4\n", {"a.csv: line 2, column 1", "'3;4'", "a number", "correct the cell"}},
      {"1\n1e999\n", {"a.csv: line 2, column 1", "'1e999'", "fits a double", "scale"}},
      {"1\ninf\n", {"a.csv: line 2, column 1", "'inf'", "a number", "correct the cell"}},
      {"1\n-inf\n", {"a.csv: line 2, column 1", "'-inf'", "a number", "correct the cell"}},
      {"1\n0x1F\n", {"a.csv: line 2, column 1", "'0x1F'", "a number", "correct the cell"}},
      {"1\n+-1\n", {"a.csv: line 2, column 1", "'\\+-1'", "a number", "correct the cell"}},
      {"1\n-\n", {"a.csv: line 2, column 1", "'-'", "a number", "correct the cell"}},
      {"1\n1.2.3\n", {"a.csv: line 2, column 1", "'1.2.3'", "a number", "correct the cell"}},
      {"1\n\xC2\xBD\n", {"a.csv: line 2, column 1", "'\\\\xc2\\\\xbd'", "a number", "correct"}},
      {"1\n" + std::string(99, 'x') + "\n",
       {"a.csv: line 2, column 1", "'x{40}…'", "a number", "correct"}},
      {nul, {"a.csv: line 2, column 2", "'\\\\x00'", "a number", "correct the cell"}},
  };
  for (const Row& row : rows) check(row, "a.csv");
}

TEST_CASE("bad csv: a header line counts as a line and fixes the number of cells") {
  const Row rows[] = {
      {"a,b\n", {"a.csv", "no line of numbers", "at least one", "set header to false"}},
      {"a,b\n1,2\n3,x\n",
       {"a.csv: line 3, column 2 \\('b'\\)", "'x'", "a number", "correct the cell"}},
      {"a,\"b\nc\"\n1,2\n3,x\n",
       {"a.csv: line 4, column 2 \\('b\\\\x0ac'\\)", "'x'", "a number", "correct"}},
      {"a,b,c\n1,2\n", {"a.csv: line 2", "2 cells", "3 as in the first line", "same number"}},
      {"a,\"b\n1,2\n", {"a.csv: line 1, column 2", "never ends", "closing quote", "close"}},
  };
  for (const Row& row : rows) check(row, "a.csv", true);
}
