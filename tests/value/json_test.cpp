// json_test.cpp: texts become values with places, or are refused with them.
#include "value/json.hpp"

#include <ctime>
#include <limits>

#include "json_source.hpp"
#include "refusal.hpp"

using namespace broch::value;
using support::refusal;

namespace {

std::string repeated(const std::string& text, size_t times) {
  std::string result;
  result.reserve(text.size() * times);
  for (size_t i = 0; i < times; ++i) result += text;
  return result;
}

std::string enclosed(const std::string& open, const std::string& middle, const std::string& close) {
  std::string text = open;
  text += middle;
  text += close;
  return text;
}

std::string round_trip(const std::string& text) { return to_text(parse_text("t", text)); }

}  // namespace

TEST_CASE("json: every kind of value is read and written back") {
  const std::string text =
      R"({"n":null,"t":true,"f":false,"i":-7,"r":0.5,"s":"a","l":[1,[]],"o":{"k":{}}})";
  CHECK(round_trip(text) == text);
}

TEST_CASE("json: integers are exact to the ends of 64 bits") {
  CHECK(parse_text("t", "9223372036854775807").integer() == std::numeric_limits<int64_t>::max());
  CHECK(parse_text("t", "-9223372036854775808").integer() == std::numeric_limits<int64_t>::min());
  CHECK(refusal([] { parse_text("t", "9223372036854775808"); }).exit == 3);
  CHECK(parse_text("t", "9223372036854775808.0").number() == 9223372036854775808.0);
}

TEST_CASE("json: doubles are written in the shortest form and stay doubles") {
  CHECK(round_trip("0.1") == "0.1");
  CHECK(round_trip("1e-3") == "0.001");
  CHECK(round_trip("5.0") == "5.0");
  CHECK(round_trip("-0.0") == "-0.0");
  CHECK(parse_text("t", round_trip("1e300")).number() == 1e300);
  CHECK(parse_text("t", "5e-324").number() == 5e-324);
  CHECK(parse_text("t", round_trip("1.7976931348623157e308")).number() == 1.7976931348623157e308);
}

TEST_CASE("json: comments and trailing commas are read, and refused where JSON is strict") {
  const std::string text = "// first\n{\"a\": [1, 2,], /* second\n line */ \"b\": 3,}\n// last";
  CHECK(round_trip(text) == R"({"a":[1,2],"b":3})");
  Dialect strict;
  strict.relaxed = false;
  for (const char* bad : {"[1,]", "// x\n1", "1 /* x */", "{\"a\":1,}"}) {
    CHECK(refusal([&] { parse_text("t", bad, strict); }).exit == 3);
  }
}

TEST_CASE("json: escapes become UTF-8 and control characters are escaped again") {
  const Value value = parse_text("t", R"("\u00e9\u20ac\ud83d\ude00\n\"\\\/\u0001")");
  CHECK(value.string() == "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\n\"\\/\x01");
  CHECK(to_text(value) == "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\\n\\\"\\\\/\\u0001\"");
}

TEST_CASE("json: pretty text has two spaces a level and no empty lines") {
  CHECK(to_pretty_text(parse_text("t", R"({"a":[1,{}],"b":[]})")) ==
        "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}\n");
}

TEST_CASE("json: every value and key knows its line and its column in characters") {
  const Value value = parse(support::source("{\n  \"\xC3\xA9\": 1, \"b\": [true]\n}"));
  CHECK(value.origin().text() == "run.json:1:1");
  CHECK(value.object()[1].origin.text() == "run.json:2:11");
  CHECK(find_at(value, "/b/0")->origin().text() == "run.json:2:17");
}

TEST_CASE("json: a byte order mark and Windows line ends do no harm") {
  CHECK(parse_text("t", "\xEF\xBB\xBF[1,\r\n2]\r\n").array()[1].origin().text() == "t:2:1");
  CHECK(parse_text("t", "\xEF\xBB\xBF[1]").array()[0].origin().text() == "t:1:2");
}

TEST_CASE("json: a pointer leads to keys with slashes and tildes") {
  const Value value = parse_text("t", R"({"a/b": {"~": [5]}})");
  CHECK(child_pointer("/x", "a/~b") == "/x/a~1~0b");
  CHECK(find_at(value, "/a~1b/~0/0")->integer() == 5);
  CHECK(find_at(value, "/a~1b/~0/1") == nullptr);
  CHECK(find_at(value, "/a~1b/~0/0/0") == nullptr);
}

TEST_CASE("json: the message shows the line with a caret under the column") {
  const auto refused = refusal([] { parse(support::source("{\n\t\"a\": nul\n}")); });
  CHECK(refused.text ==
        "run.json:2:7: /a: 'nul', expected a value\n"
        "  hint: write strings in double quotes: \"nul\"\n"
        "    2 |  \"a\": nul\n"
        "      |       ^");
  const auto marked = refusal([] { parse(support::source("\xEF\xBB\xBF{\"a\": nul}")); });
  CHECK(marked.text ==
        "run.json:1:7: /a: 'nul', expected a value\n"
        "  hint: write strings in double quotes: \"nul\"\n"
        "    1 | {\"a\": nul}\n"
        "      |       ^");
}

TEST_CASE("json: bad texts are refused with place, found, expected and next step") {
  struct Row {
    std::string text;
    support::Expected wanted;
  };
  const Row rows[] = {
      {"", {"t:1:1", "the end of the text", "a value", "a value is null"}},
      {"1 2", {"t:1:3", "'2' after the end", "nothing more", "one value"}},
      {"[1", {"t:1:3", "the end of the text", "']' for the bracket opened at t:1:1", "close"}},
      {"[1 2]", {"t:1:4", "'2'", "a comma or '\\]'", "put a comma"}},
      {"[,]", {"t:1:2: /0", "','", "a value", "a value is"}},
      {"[1}", {"t:1:3", "'\\}'", "a comma or '\\]'", "comma"}},
      {"{\"a\" 1}", {"t:1:6: /a", "'1'", "':'", "\"key\": value"}},
      {"{a: 1}", {"t:1:2", "'a'", "a key in double quotes", "\"name\""}},
      {"{'a': 1}", {"t:1:2", "'\\\\''", "a key in double quotes", "\"name\""}},
      {"'a'", {"t:1:1", "'\\\\''", "a value", "double quotes"}},
      {"True", {"t:1:1", "'True'", "a value", "true or false"}},
      {"None", {"t:1:1", "'None'", "a value", "null"}},
      {"NaN", {"t:1:1", "'NaN'", "a value", "no such number"}},
      {"-Infinity", {"t:1:1", "'-Infinity'", "a JSON number", "no infinity"}},
      {"+1", {"t:1:1", "'\\+'", "a value", "start with a digit"}},
      {".5", {"t:1:1", "'\\.'", "a value", "start with a digit"}},
      {"1.", {"t:1:1", "'1\\.'", "a JSON number", "0.5"}},
      {"1e", {"t:1:1", "'1e'", "a JSON number", "1e-3"}},
      {"01", {"t:1:1", "'01'", "a JSON number", "leading zero"}},
      {"0x10", {"t:1:1", "'0x10'", "a JSON number", "hexadecimal"}},
      {"0,1", {"t:1:2", "',' after the end", "nothing more", "remove"}},
      {"1e999", {"t:1:1", "'1e999'", "fits a double", "1.8e308"}},
      {"-1e999", {"t:1:1", "'-1e999'", "fits a double", "1.8e308"}},
      {"18446744073709551616", {"t:1:1", "'18446744073709551616'", "9223372036854775807", "point"}},
      {"\"a", {"t:1:1", "a string without an end", "closing", "close the string"}},
      {"\"a\nb\"", {"t:1:1", "a string without an end", "same line", "\\\\n"}},
      {"\"a\r\nb\"", {"t:1:1", "a string without an end", "same line", "\\\\n"}},
      {"\"a\rb\"", {"t:1:3", "a control character", "an escape", "\\\\t"}},
      {"\xEF\xBB\xBF[\xFF]", {"t:1:2", "a byte that is no UTF-8", "UTF-8", "save"}},
      {"\"\t\"", {"t:1:2", "a control character", "an escape", "\\\\t"}},
      {"\"\\x41\"", {"t:1:2", "an escape of 'x41'", "one of", "backslash"}},
      {"\"\\u12\"", {"t:1:2", "without four", "four digits", "u00e9"}},
      {"\"\\u0000\"", {"t:1:2", "a NUL character", "without NUL", "remove"}},
      {"\"\\ud800\"", {"t:1:2", "half of a surrogate", "uDC00", "UTF-8"}},
      {"\"\\udc00\"", {"t:1:2", "half of a surrogate", "uDC00", "UTF-8"}},
      {"\"\\ud800\\u0041\"", {"t:1:2", "half of a surrogate", "uDC00", "UTF-8"}},
      {"[1,\n\"a\xC3\xA9\xFF\"]", {"t:2:4", "a byte that is no UTF-8", "UTF-8", "save"}},
      {"/* a", {"t:1:1", "a comment without an end", "\\*/", "close"}},
      {"/ 1", {"t:1:1", "'/'", "a value", "comment"}},
      {"{\"a\": 1,\n \"a\": 2}", {"t:2:2: /a", "'a' a second time", "first is at t:1:2", "remove"}},
  };
  for (const Row& row : rows) {
    support::check_refusal(row.text, refusal([&] { parse_text("t", row.text); }), row.wanted);
  }
}

TEST_CASE("json: bombs are refused by the limits, fast") {
  const std::string bombs[] = {
      repeated("[", 1'000'000),
      repeated("{\"a\":", 100'000),
      enclosed("[", repeated("0,", 100'000), "0]"),
      enclosed("\"", std::string(100'000, 'x'), "\""),
      enclosed("\"", std::string(64 << 20, 'x'), "\""),
      std::string(2 << 20, ' ') + "1",
      repeated("[", 65) + repeated("]", 65),
      enclosed(enclosed("{\"", std::string(60'000, 'k'), "\": ["), repeated("[],", 20'000), "]}"),
  };
  for (const std::string& bomb : bombs) {
    const auto source = support::source(bomb);
    const std::clock_t start = std::clock();  // of this process: other load does not count
    CHECK(refusal([&] { parse(source); }).exit == 3);
    CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 0.25);
  }
}

TEST_CASE("json: what lies just within the limits is read") {
  CHECK_NOTHROW(parse_text("t", repeated("[", 64) + repeated("]", 64)));
  CHECK_NOTHROW(parse_text("t", enclosed("[", repeated("0,", 9'998), "0]")));
  CHECK_NOTHROW(parse_text("t", enclosed("\"", std::string(64 << 10, 'x'), "\"")));
  CHECK_NOTHROW(parse_text("t", std::string((1 << 20) - 1, ' ') + "1"));
}

TEST_CASE("json: the limits and the exit code are the caller's") {
  Dialect dialect;
  dialect.limits.depth = 1;
  dialect.exit = broch::base::Exit::plugin;
  CHECK(refusal([&] { parse_text("t", "[[]]", dialect); }).exit == 4);
  CHECK_NOTHROW(parse_text("t", "[]", dialect));
}

TEST_CASE("json: files that are missing, folders or too large are refused") {
  CHECK(refusal([] { read_source("/nowhere/run.json"); }).exit == 5);
  const auto folder = refusal([] { read_source("/tmp"); });
  CHECK(folder.text.find("a folder, expected a JSON file") != std::string::npos);
  const auto refused = refusal([] { read_source(std::string(300, 'a')); });
  CHECK(refused.exit == 5);
  CHECK(refused.text.find("File name too long") != std::string::npos);
}

TEST_CASE("json: equality counts numbers, not their spelling, and not the order of keys") {
  CHECK(parse_text("t", R"({"a": 1, "b": [2.0]})") == parse_text("u", R"({"b": [2], "a": 1.0})"));
  CHECK_FALSE(parse_text("t", "[1]") == parse_text("t", "[true]"));
  CHECK_FALSE(parse_text("t", "{\"a\": 1}") == parse_text("t", "{\"b\": 1}"));
}
