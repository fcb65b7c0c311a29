// tensor_input.hpp: an input source whose points a function makes.
#pragma once
#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

#include "roles.hpp"

namespace broch {
inline namespace v0 {

// Derive and override tensors; the class counts the points and continues after the last one when a
// run is resumed. tensorpack: `TensorInput`.
class TensorInput : public InputSource {
 public:
  static constexpr uint32_t kFlags = 0;

  // Fills the point of a tower. number: counts its points from 0. The same number must make the
  // same point. False: no more data.
  virtual bool tensors(uint64_t number, uint32_t tower, PointWriter& point) = 0;

  void setup(const broch_input_spec*, uint32_t) override {}
  void reset_state() override { numbers_.clear(); }
  void resume(const std::vector<std::string>& cursors) override {
    numbers_.clear();
    for (const std::string& cursor : cursors)
      numbers_.push_back(cursor.empty() ? 0 : number_of(cursor) + 1);
  }
  bool next(uint32_t tower, const Cancel&, PointWriter& point) override {
    if (tower >= numbers_.size()) numbers_.resize(tower + 1);
    if (!tensors(numbers_[tower], tower, point)) return false;
    point.set_cursor(std::to_string(numbers_[tower]++));
    return true;
  }

 private:
  static uint64_t number_of(const std::string& cursor) {
    uint64_t number = 0;
    const char* const end = cursor.data() + cursor.size();
    const auto read = std::from_chars(cursor.data(), end, number);
    if (read.ec == std::errc() && read.ptr == end) return number;
    throw Error(BROCH_E_DATA_LOSS, "'" + cursor +
                                       "' is not a cursor of this input, expected a number; has "
                                       "\"data\" changed since the run was saved?");
  }

  std::vector<uint64_t> numbers_;  // of the next points, by tower
};

}  // namespace v0
}  // namespace broch
