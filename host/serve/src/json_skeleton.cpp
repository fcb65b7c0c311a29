// json_skeleton.cpp: the first of two times that the text is read, since a datatype may stand after
// the data. Elements are not looked at.
#include "json_skeleton.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "base/text.hpp"
#include "json_number.hpp"
#include "json_text.hpp"
#include "runtime/tensor.hpp"

namespace broch::serve {
namespace {

using Json = nlohmann::json;
using rapidjson::SizeType;

constexpr int kDeepest = 4 + BROCH_RANK_MAX;  // of arrays in arrays of data
constexpr size_t kMostValues = 100'000;       // other than elements

// Builds the tree of all but elements.
class SkeletonReader : public JsonHandler<SkeletonReader> {
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

}  // namespace

Json parse_skeleton(std::string_view text) {
  SkeletonReader reader;
  go_through(text, reader);
  return reader.take();
}

}  // namespace broch::serve
