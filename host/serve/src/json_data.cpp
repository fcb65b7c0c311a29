// json_data.cpp: the text is read twice, since a datatype may stand after the data.
#include "json_data.hpp"

#include <cmath>
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

// { "inputs": [ { "data": [ … ] } ] }
constexpr int kInputMember = 3;               // depth of the members of an input
constexpr int kDeepest = 4 + BROCH_RANK_MAX;  // of arrays in arrays of data
constexpr size_t kMostReason = 300;           // bytes of a message, which may repeat the text
constexpr size_t kMostValues = 100'000;       // other than elements

[[noreturn]] void refuse_json(const std::string& found, const std::string& expected) {
  refuse(kBadRequest, "JSON of the request", found, expected);
}

// What nlohmann says, without its number of the error: "parse error at line 1, column 2: …".
std::string reason(const std::string& what) {
  const size_t end = what.find("] ");
  return what.substr(end == what.npos ? 0 : end + 2, kMostReason);
}

// Tells nlohmann what to keep in the tree: all but elements.
class SkeletonFilter {
 public:
  // depth: the number of arrays and objects around it.
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (depth > kDeepest) refuse_json("more than " + std::to_string(kDeepest) + " levels", "fewer");
    if (event == Event::key && depth == 1) {
      in_data_ = false;
      in_inputs_ = parsed == "inputs";
      if (in_inputs_ && ++times_ > 1) refuse_json("'inputs' twice", "it once");
    }
    if (event == Event::key && depth == kInputMember) in_data_ = in_inputs_ && parsed == "data";
    if (in_data_ && depth > kInputMember) return false;
    if (event == Event::value && ++values_ > kMostValues)
      refuse_json("more than " + std::to_string(kMostValues) + " values that are no data", "fewer");
    return true;
  }

 private:
  bool in_inputs_ = false, in_data_ = false;
  size_t times_ = 0, values_ = 0;
};

template <class T>
bool put(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
  return true;
}

template <class T, class Given>
bool put_integer(std::byte* to, Given value) {
  return std::in_range<T>(value) && put(to, static_cast<T>(value));
}

template <class Given>
bool put_integer(broch_dtype dtype, std::byte* to, Given value) {
  switch (dtype) {
    case BROCH_UINT8:
      return put_integer<uint8_t>(to, value);
    case BROCH_INT8:
      return put_integer<int8_t>(to, value);
    case BROCH_INT16:
      return put_integer<int16_t>(to, value);
    case BROCH_INT32:
      return put_integer<int32_t>(to, value);
    case BROCH_INT64:
      return put_integer<int64_t>(to, value);
    default:
      return false;
  }
}

// False if the number becomes infinite.
bool put_floating(broch_dtype dtype, std::byte* to, double value) {
  if (dtype == BROCH_FLOAT64) return put(to, value);
  if (dtype == BROCH_FLOAT32) {
    const auto rounded = static_cast<float>(value);
    return std::isfinite(rounded) && put(to, rounded);
  }
  runtime::encode_element(dtype, value, to);
  return std::isfinite(runtime::decode_element(dtype, to));
}

// Follows the text down to the elements. An interface of nlohmann: each function is told what comes
// next in the text.
class DataReader final : public nlohmann::json_sax<Json> {
 public:
  explicit DataReader(std::span<const JsonInput> inputs) : inputs_(inputs), read_(inputs.size()) {}

  bool null() override { return no_element("null"); }
  bool boolean(bool value) override {
    return element(value ? "true" : "false", [&](broch_dtype dtype, std::byte* to) {
      return dtype == BROCH_BOOL && put<uint8_t>(to, value);
    });
  }
  bool number_integer(int64_t value) override { return integer(value); }
  bool number_unsigned(uint64_t value) override { return integer(value); }
  bool number_float(double value, const std::string& text) override {
    return element(text, [&](broch_dtype dtype, std::byte* to) {
      return runtime::is_floating(dtype) && put_floating(dtype, to, value);
    });
  }
  bool string(std::string& value) override { return no_element(base::quoted(value)); }
  bool binary(Json::binary_t&) override { return true; }

  bool start_object(size_t) override {
    no_element("an object");
    if (++depth_ == kInputMember && in_inputs_) ++input_;
    return true;
  }
  bool end_object() override { return --depth_, true; }
  bool key(std::string& name) override {
    if (depth_ == 1) in_inputs_ = name == "inputs";
    at_data_ = in_inputs_ && depth_ == kInputMember && name == "data";
    return true;
  }
  bool start_array(size_t) override {
    ++depth_;
    if (current_) return begin_inner();
    if (at_data_) begin();
    return true;
  }
  bool end_array() override {
    --depth_;
    if (current_) end();
    return true;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception& error) override {
    refuse_json(reason(error.what()), "JSON");
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
  bool element(const std::string& text, const Put& put_into) {
    if (!current_) return true;
    if (is_nested_ && levels_.size() != current_->info.shape.rank)
      refuse_data("an element beside arrays");
    if (count_ == elements_) refuse_data("more than that many elements");
    const size_t size = runtime::dtype_size(current_->info.dtype);
    if (!put_into(current_->info.dtype, current_->bytes.data() + size_t(count_) * size))
      refuse(kBadRequest, current_->where + " element " + std::to_string(count_), text,
             "a value of the type " + std::string(datatype_name(current_->info.dtype)));
    ++count_;
    ++levels_.back();
    return true;
  }
  template <class Given>
  bool integer(Given value) {
    if (!current_) return true;
    return element(std::to_string(value), [&](broch_dtype dtype, std::byte* to) {
      if (runtime::is_floating(dtype)) return put_floating(dtype, to, double(value));
      if (dtype == BROCH_BOOL) return (value == 0 || value == 1) && put(to, uint8_t(value));
      return put_integer(dtype, to, value);
    });
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
  try {
    return Json::parse(text, SkeletonFilter());
  } catch (const Json::exception& error) {
    refuse_json(reason(error.what()), "JSON");
  }
}

void parse_data(std::string_view text, std::span<const JsonInput> inputs) {
  DataReader reader(inputs);
  Json::sax_parse(text, &reader);
}

}  // namespace broch::serve
