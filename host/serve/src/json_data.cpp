// json_data.cpp: the text is read twice, since a datatype may stand after the data. Numbers come as
// their text, which the first time is not looked at.
#include "json_data.hpp"

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/text.hpp"
#include "datatype.hpp"
#include "refusal.hpp"
#include "runtime/element.hpp"

namespace broch::serve {
namespace {

using Json = nlohmann::json;
using rapidjson::SizeType;

// { "inputs": [ { "data": [ … ] } ] }
constexpr int kInputMember = 3;               // depth of the members of an input
constexpr int kDeepest = 4 + BROCH_RANK_MAX;  // of arrays in arrays of data
constexpr size_t kMostValues = 100'000;       // other than elements

[[noreturn]] void refuse_json(const std::string& found, const std::string& expected) {
  refuse(kBadRequest, "JSON of the request", found, expected);
}

// A text of the request for a message, without quotes; it may be of any length.
std::string shortened(std::string_view text) {
  constexpr size_t kLimit = 80;  // bytes
  return std::string(text.substr(0, kLimit)) + (text.size() > kLimit ? "…" : "");
}

// RapidJSON reads exponents also where numbers are to stay text, and gives up at large ones.
[[noreturn]] void refuse_large_number(std::string_view text, size_t at) {
  std::string_view number = text.substr(at);
  number = number.substr(0, number.find_first_not_of("+-.0123456789eE"));
  refuse_json("the number " + shortened(number) + " at byte " + std::to_string(at),
              "one that float64 can hold, with an exponent up to 308");
}

// Tells handler what comes next in the text.
template <class Reader>
void parse(std::string_view text, Reader& handler) {
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag |  // however deep it is
                              rapidjson::kParseValidateEncodingFlag |
                              rapidjson::kParseNumbersAsStringsFlag;
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, handler);
  if (result.Code() == rapidjson::kParseErrorNumberTooBig)
    refuse_large_number(text, result.Offset());
  if (!result)
    refuse_json("parse error at byte " + std::to_string(result.Offset()) + ": " +
                    rapidjson::GetParseError_En(result.Code()),
                "JSON");
  if (stream.Tell() != text.size())
    refuse_json("a zero byte at byte " + std::to_string(stream.Tell()), "JSON");
}

// The whole text as a number. False if it is none or out of range; then value is unchanged.
template <class T>
bool read_number(std::string_view text, T& value) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  return read.ec == std::errc() && read.ptr == end;
}

// Infinite if it is too large, and rounded to 0 if it is too small.
double double_of(std::string_view text) {
  double value = 0;
  return read_number(text, value) ? value : std::strtod(std::string(text).c_str(), nullptr);
}

Json number_of(std::string_view text) {
  if (uint64_t value = 0; read_number(text, value)) return value;
  if (int64_t value = 0; read_number(text, value)) return value;
  if (const double value = double_of(text); std::isfinite(value)) return value;
  refuse_json("the number " + shortened(text), "one that float64 can hold");
}

// RapidJSON lets \udc00 pass, half of a character.
std::string_view checked(std::string_view text) {
  if (base::is_utf8(text)) return text;
  refuse_json("the text " + base::quoted(text) + ", in which half of a character is escaped",
              "both halves, such as \\ud83d\\ude00");
}

// An interface of RapidJSON: each function is told what comes next in the text, and returns whether
// to go on. Numbers come as text.
template <class Derived>
using Handler = rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Derived>;

// Builds the tree of all but elements.
class SkeletonReader : public Handler<SkeletonReader> {
 public:
  Json take() { return std::move(root_); }

  bool Null() { return add(nullptr); }
  bool Bool(bool value) { return add(value); }
  bool RawNumber(const char* text, SizeType size, bool) {
    return in_elements() || add(number_of({text, size}));
  }
  bool String(const char* text, SizeType size, bool) {
    return in_elements() || add(std::string(checked({text, size})));
  }
  bool StartObject() { return open(Json::object()); }
  bool StartArray() { return open(Json::array()); }
  bool EndObject(SizeType) { return close(); }
  bool EndArray(SizeType) { return close(); }
  bool Key(const char* text, SizeType size, bool) {
    if (in_elements()) return true;
    key_ = checked({text, size});
    if (open_.back()->contains(key_)) refuse_json(base::quoted(key_) + " twice", "it once");
    if (depth_ == 1) {
      in_data_ = false;
      in_inputs_ = key_ == "inputs";
    }
    if (depth_ == kInputMember) in_data_ = in_inputs_ && key_ == "data";
    return true;
  }

 private:
  bool in_elements() const { return in_data_ && depth_ > kInputMember; }

  Json* place(Json value) {
    if (++values_ > kMostValues)
      refuse_json("more than " + std::to_string(kMostValues) + " values that are no data", "fewer");
    if (open_.empty()) return &(root_ = std::move(value));
    Json& around = *open_.back();
    if (around.is_object()) return &(around[key_] = std::move(value));
    around.push_back(std::move(value));
    return &around.back();
  }
  bool add(Json value) {
    if (!in_elements()) place(std::move(value));
    return true;
  }
  bool open(Json value) {
    if (depth_ == kDeepest)
      refuse_json("more than " + std::to_string(kDeepest) + " levels", "fewer");
    if (!in_elements()) open_.push_back(place(std::move(value)));
    ++depth_;
    return true;
  }
  bool close() {
    --depth_;
    if (!in_elements()) open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Json*> open_;  // the arrays and objects around what comes next; not those of elements
  std::string key_;
  int depth_ = 0;
  bool in_inputs_ = false, in_data_ = false;
  size_t values_ = 0;
};

template <class T>
bool put(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
  return true;
}

// False if the text is no integer of that type.
bool put_integer(broch_dtype dtype, std::byte* to, std::string_view text) {
  int64_t value = 0;
  if (!read_number(text, value)) return false;
  const auto put_as = [&]<class T>(T) {
    return std::in_range<T>(value) && put(to, static_cast<T>(value));
  };
  switch (dtype) {
    case BROCH_BOOL:
      return (value == 0 || value == 1) && put(to, uint8_t(value));
    case BROCH_UINT8:
      return put_as(uint8_t());
    case BROCH_INT8:
      return put_as(int8_t());
    case BROCH_INT16:
      return put_as(int16_t());
    case BROCH_INT32:
      return put_as(int32_t());
    case BROCH_INT64:
      return put(to, value);
    default:
      return false;
  }
}

// False if the number becomes infinite.
bool put_floating(broch_dtype dtype, std::byte* to, std::string_view text) {
  const double value = double_of(text);
  if (dtype == BROCH_FLOAT64) return std::isfinite(value) && put(to, value);
  if (dtype == BROCH_FLOAT32) {
    const auto rounded = static_cast<float>(value);
    return std::isfinite(rounded) && put(to, rounded);
  }
  runtime::encode_element(dtype, value, to);
  return std::isfinite(runtime::decode_element(dtype, to));
}

// Follows the text down to the elements.
class DataReader : public Handler<DataReader> {
 public:
  explicit DataReader(std::span<const JsonInput> inputs) : inputs_(inputs), read_(inputs.size()) {}

  bool Null() { return no_element("null"); }
  bool Bool(bool value) {
    return element(value ? "true" : "false", [&](broch_dtype dtype, std::byte* to) {
      return dtype == BROCH_BOOL && put<uint8_t>(to, value);
    });
  }
  bool RawNumber(const char* text, SizeType size, bool) {
    const std::string_view number(text, size);
    return element(number, [&](broch_dtype dtype, std::byte* to) {
      return runtime::is_floating(dtype) ? put_floating(dtype, to, number)
                                         : put_integer(dtype, to, number);
    });
  }
  bool String(const char* text, SizeType size, bool) {
    if (!current_) return true;
    if (!current_->texts) return no_element(base::quoted({text, size}));
    return element({text, size}, [&](broch_dtype, std::byte*) {
      current_->texts->emplace_back(checked({text, size}));
      return true;
    });
  }

  bool StartObject() {
    no_element("an object");
    if (++depth_ == kInputMember && in_inputs_) ++input_;
    return true;
  }
  bool EndObject(SizeType) { return --depth_, true; }
  bool Key(const char* text, SizeType size, bool) {
    const std::string_view name(text, size);
    if (depth_ == 1) in_inputs_ = name == "inputs";
    at_data_ = in_inputs_ && depth_ == kInputMember && name == "data";
    return true;
  }
  bool StartArray() {
    ++depth_;
    if (current_) return begin_inner();
    if (at_data_) begin();
    return true;
  }
  bool EndArray(SizeType) {
    --depth_;
    if (current_) end();
    return true;
  }

 private:
  std::string expected() const {
    return std::to_string(elements_) + " of " + std::string(datatype_name(current_->info.dtype)) +
           " for shape " + runtime::to_string(current_->info.shape) +
           ", in one array or nested as the shape";
  }
  [[noreturn]] void refuse_data(const std::string& found) const {
    refuse(kBadRequest, current_->where, found, expected());
  }

  // The array "data" of an input.
  void begin() {
    at_data_ = false;
    if (input_ > inputs_.size() || read_[input_ - 1]) refuse_json("'data' twice", "it once");
    read_[input_ - 1] = true;
    current_ = &inputs_[input_ - 1];
    elements_ = current_->info.shape.elements();
    count_ = 0;
    is_nested_ = false;
    levels_.assign(1, 0);
  }

  bool begin_inner() {
    const bool is_first = levels_.size() == 1 && levels_[0] == 0;
    if (!is_nested_ && !is_first) refuse_data("an array after an element");
    if (levels_.size() >= current_->info.shape.rank) refuse_data("arrays that are nested deeper");
    is_nested_ = true;
    ++levels_.back();
    levels_.push_back(0);
    return true;
  }

  void end() {
    const size_t level = levels_.size() - 1;
    if (is_nested_ && levels_[level] != current_->info.shape.dims[level])
      refuse_data("an array of " + std::to_string(levels_[level]));
    levels_.pop_back();
    if (!levels_.empty()) return;
    if (count_ != elements_) refuse_data(std::to_string(count_) + " elements");
    current_ = nullptr;
  }

  template <class Put>
  bool element(std::string_view text, const Put& put_into) {
    if (!current_) return true;
    if (is_nested_ && levels_.size() != current_->info.shape.rank)
      refuse_data("an element beside arrays");
    if (count_ == elements_) refuse_data("more than that many elements");
    const size_t size = runtime::dtype_size(current_->info.dtype);
    if (!put_into(current_->info.dtype, current_->bytes.data() + size_t(count_) * size))
      refuse(kBadRequest, current_->where + " element " + std::to_string(count_), shortened(text),
             "a value of the type " + std::string(datatype_name(current_->info.dtype)));
    ++count_;
    ++levels_.back();
    return true;
  }
  bool no_element(const std::string& found) const {
    if (current_) refuse_data(found);
    return true;
  }

  const std::span<const JsonInput> inputs_;
  std::vector<bool> read_;
  int depth_ = 0;
  size_t input_ = 0;  // the number of inputs that have begun
  bool in_inputs_ = false, at_data_ = false;
  const JsonInput* current_ = nullptr;  // whose elements are being read
  int64_t elements_ = 0, count_ = 0;    // of current_, and how many have been read
  bool is_nested_ = false;
  std::vector<int64_t> levels_;  // the elements of each open array
};

}  // namespace

Json parse_skeleton(std::string_view text) {
  SkeletonReader reader;
  parse(text, reader);
  return reader.take();
}

void parse_data(std::string_view text, std::span<const JsonInput> inputs) {
  DataReader reader(inputs);
  parse(text, reader);
}

}  // namespace broch::serve
