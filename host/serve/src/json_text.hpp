// json_text.hpp: goes through the JSON of a request with RapidJSON.
#pragma once
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <string>
#include <string_view>

namespace broch::serve {

// An interface of RapidJSON: each function is told what comes next in the text, and returns whether
// to go on. Numbers come as text.
template <class Derived>
using JsonHandler = rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Derived>;

[[noreturn]] void refuse_json(const std::string& found, const std::string& expected);
[[noreturn]] void refuse_json(const rapidjson::ParseResult& result, std::string_view text);
// A text of the request for a message, without quotes; it may be of any length.
std::string shortened(std::string_view text);
// The content of a string. Throws Refusal if half of a character is escaped in it, such as \udc00,
// which RapidJSON lets pass.
std::string_view checked(std::string_view content);

// Tells handler what comes next in the text. Throws Refusal if it is no JSON.
template <class Handler>
void go_through(std::string_view text, Handler& handler) {
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag |  // however deep it is
                              rapidjson::kParseValidateEncodingFlag |
                              rapidjson::kParseNumbersAsStringsFlag;
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, handler);
  if (!result) refuse_json(result, text);
  if (stream.Tell() != text.size())
    refuse_json("a zero byte at byte " + std::to_string(stream.Tell()), "JSON");
}

}  // namespace broch::serve
