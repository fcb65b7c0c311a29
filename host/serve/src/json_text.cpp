// json_text.cpp: what is wrong with the JSON of a request.
#include "json_text.hpp"

#include <rapidjson/error/en.h>

#include "base/text.hpp"
#include "refusal.hpp"

namespace broch::serve {
namespace {

// RapidJSON reads exponents also where numbers are to stay text, and gives up at large ones, even
// of 0e309.
[[noreturn]] void refuse_large_number(std::string_view text, size_t at) {
  std::string_view number = text.substr(at);
  number = number.substr(0, number.find_first_not_of("+-.0123456789eE"));
  refuse_json("the number " + shortened(number) + " at byte " + std::to_string(at),
              "one that float64 can hold, with an exponent up to 308");
}

}  // namespace

void refuse_json(const std::string& found, const std::string& expected) {
  refuse(kBadRequest, "JSON of the request", found, expected);
}

void refuse_json(const rapidjson::ParseResult& result, std::string_view text) {
  if (result.Code() == rapidjson::kParseErrorNumberTooBig)
    refuse_large_number(text, result.Offset());
  refuse_json("parse error at byte " + std::to_string(result.Offset()) + ": " +
                  rapidjson::GetParseError_En(result.Code()),
              "JSON");
}

std::string shortened(std::string_view text) {
  constexpr size_t kLimit = 80;  // bytes
  return std::string(text.substr(0, kLimit)) + (text.size() > kLimit ? "…" : "");
}

std::string_view checked(std::string_view content) {
  if (base::is_utf8(content)) return content;
  refuse_json("the text " + base::quoted(content) + ", in which half of a character is escaped",
              "both halves, such as \\ud83d\\ude00");
}

}  // namespace broch::serve
