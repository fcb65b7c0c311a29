// text_test.cpp: names that are near, numbers and durations as people write them.
#include "base/text.hpp"

#include <doctest/doctest.h>

#include <clocale>
#include <cmath>
#include <limits>

#include "base/utf8.hpp"

using namespace broch::base;

TEST_CASE("text: the nearest name is found through a typing error") {
  const std::vector<std::string> names{"max_epoch", "model", "monitors"};
  CHECK(nearest("max_epohc", names) == "max_epoch");
  CHECK(nearest("modle", names) == "model");
  CHECK(nearest("monitor", names) == "monitors");
  CHECK(nearest("zebra", names) == "");
  CHECK(nearest("model", {}) == "");
}

TEST_CASE("text: exchanging two neighbors counts one edit") {
  CHECK(nearest("ab", {"ba"}) == "ba");
  CHECK(nearest("ab", {"cd"}) == "");
}

TEST_CASE("text: shapes") {
  CHECK(shape_text({}) == "()");
  CHECK(shape_text(std::vector<int64_t>{3}) == "(3,)");
  CHECK(shape_text(std::vector<int64_t>{3, -1}) == "(3, -1)");
}

TEST_CASE("text: a suggestion is a phrase or nothing") {
  CHECK(did_you_mean("modle", {"model"}) == ", did you mean 'model'?");
  CHECK(did_you_mean("x", {"model"}) == "");
}

TEST_CASE("text: join puts the separator between, not around") {
  CHECK(join({"a", "b", "c"}, ", ") == "a, b, c");
  CHECK(join({"a"}, ", ") == "a");
  CHECK(join({}, ", ") == "");
}

TEST_CASE("text: quoted text has no control characters and no broken sequence") {
  CHECK(quoted("plain") == "'plain'");
  CHECK(quoted("a\nb\x1b[31m\\'") == "'a\\nb\\x1b[31m\\\\\\''");
  CHECK(quoted("grün") == "'grün'");
  CHECK(quoted("\xff\xc3") == "'\\xff\\xc3'");
  CHECK(broch::base::quoted(std::string(81, 'x')) == "'" + std::string(80, 'x') + "…'");
  CHECK(broch::base::quoted(std::string(80, 'x')) == "'" + std::string(80, 'x') + "'");
  CHECK(broch::base::quoted(std::string(79, 'x') + "ü") == "'" + std::string(79, 'x') + "…'");
}

TEST_CASE("text: bytes in hexadecimal") {
  CHECK(hexadecimal("") == "");
  CHECK(hexadecimal({"\0\x0f\xa5\xff", 4}) == "000fa5ff");
}

TEST_CASE("text: UTF-8 is checked as RFC 3629 defines it") {
  CHECK(is_utf8("grün \xf0\x9f\x8f\xb0"));
  CHECK_FALSE(is_utf8("\xc0\xaf"));          // overlong '/'
  CHECK_FALSE(is_utf8("\xe0\x80\xaf"));      // overlong
  CHECK_FALSE(is_utf8("\xed\xa0\x80"));      // surrogate
  CHECK_FALSE(is_utf8("\xf4\x90\x80\x80"));  // beyond U+10FFFF
  CHECK_FALSE(is_utf8("\xc3"));              // cut
  CHECK_FALSE(is_utf8("\x80"));              // starts in the middle
}

TEST_CASE("text: characters of UTF-8") {
  CHECK(characters_in("grün…") == 5);
  CHECK(index_of_character("grün…", 3) == 4);
  CHECK(index_of_character("grün…", 5) == 8);
  CHECK(index_of_character("", 0) == 0);
  CHECK(cut_to_bytes("grün…", 8) == "grün…");
  CHECK(cut_to_bytes("grün…", 7) == "grün");
  CHECK(cut_to_bytes("grün…", 3) == "gr");
  CHECK(cut_to_bytes("…", 2) == "");
}

TEST_CASE("text: what can be shown has no control characters and is there") {
  CHECK(is_printable("grün 1"));
  for (const char* text : {"", "a\nb", "\x7f", "gr\xfcn"}) CHECK_FALSE(is_printable(text));
}

TEST_CASE("text: what is no UTF-8 is replaced byte by byte") {
  CHECK(to_utf8("") == "");
  CHECK(to_utf8("grün") == "grün");
  CHECK(to_utf8("gr\xfcn") == "gr\xef\xbf\xbdn");
  CHECK(to_utf8("\xe0\x80x\xc3") == "\xef\xbf\xbd\xef\xbf\xbdx\xef\xbf\xbd");
}

TEST_CASE("text: durations read like tensorpack's") {
  CHECK(humanize_seconds(1) == "1 second");
  CHECK(humanize_seconds(61) == "1 minute 1 second");
  CHECK(humanize_seconds(0.01) == "0.01 second");
  CHECK(humanize_seconds(0) == "0 second");
  CHECK(humanize_seconds(2.3456) == "2.35 seconds");
  CHECK(humanize_seconds(90061) == "1 day 1 hour 1 minute 1 second");
  CHECK(humanize_seconds(7200) == "2 hours");
  CHECK(humanize_seconds(119.9) == "1 minute 59 seconds");
}

TEST_CASE("text: the shortest number reads back as the same double") {
  CHECK(shortest(0.1) == "0.1");
  CHECK(shortest(1e-5) == "1e-05");
  CHECK(shortest(1.0 / 3) == "0.3333333333333333");
  CHECK(shortest(std::nan("")) == "nan");
  CHECK(shortest(-std::numeric_limits<double>::infinity()) == "-inf");
}

TEST_CASE("text: general numbers look like printf's %g, whatever the locale") {
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  CHECK(general(0.123456, 3) == "0.123");
  CHECK(general(1234567, 5) == "1.2346e+06");
  CHECK(general(100, 3) == "100");
  CHECK(general(0, 5) == "0");
  CHECK(general(2.5, 5) == "2.5");
  std::setlocale(LC_ALL, "C");
}
