// json_data.cpp: the second of two times that the text is read.
#include "json_data.hpp"

#include "base/text.hpp"
#include "datatype.hpp"
#include "json_number.hpp"
#include "json_skeleton.hpp"
#include "json_text.hpp"
#include "refusal.hpp"

namespace broch::serve {
namespace {

using rapidjson::SizeType;

// Follows the text down to the elements.
class DataReader : public JsonHandler<DataReader> {
 public:
  explicit DataReader(std::span<const JsonInput> inputs) : inputs_(inputs), read_(inputs.size()) {}

  bool Null() { return no_element("null"); }
  bool Bool(bool value) {
    return element(value ? "true" : "false",
                   [&](broch_dtype dtype, std::byte* to) { return put_flag(dtype, to, value); });
  }
  bool RawNumber(const char* text, SizeType size, bool) {
    const std::string_view number(text, size);
    return element(number,
                   [&](broch_dtype dtype, std::byte* to) { return put_number(dtype, to, number); });
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

void parse_data(std::string_view text, std::span<const JsonInput> inputs) {
  DataReader reader(inputs);
  go_through(text, reader);
}

}  // namespace broch::serve
