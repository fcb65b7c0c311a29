// json.hpp: a JSON text of a file that somebody else wrote: every access checks what is there, and
// an error names the entry of the archive and the path inside of it.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace exported {

// A text with at most this many levels, since a program with subgraphs needs about eight for each.
constexpr int kMostLevels = 200;

// Throws Error with the place, which is that of the text, if it is no JSON or too deep.
nlohmann::json parsed(std::string_view text, const std::string& place);

// A value and where it stands. Borrows the value.
class Json {
 public:
  // path: "file.pt2, models/model.json", for errors.
  Json(const nlohmann::json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  // What is wrong with this value.
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const;

  // A member; refuses a value that has none of this name.
  Json operator[](const char* name) const;
  // Whether it is an object that has this member, and not as null.
  bool has(const char* name) const;
  // The only member of an object, as a union is written: its name.
  const std::string& tag() const;

  const std::string& string() const;
  int64_t integer() const;
  double number() const;  // also "Infinity", "-Infinity" and "NaN"
  bool boolean() const;
  // The number of elements. Refuses what is no list, or a longer one.
  size_t size(size_t most) const;
  // Calls each(element) for all elements of a list.
  template <class Each>
  void for_each(size_t most, Each each) const {
    const size_t n = size(most);
    for (size_t i = 0; i < n; ++i) each(Json((*value_)[i], path_ + "[" + std::to_string(i) + "]"));
  }
  // Calls each(name, value) for all members of an object.
  template <class Each>
  void for_each_member(size_t most, Each each) const {
    require_object(most);
    for (auto member = value_->begin(); member != value_->end(); ++member)
      each(member.key(), Json(member.value(), path_ + "." + member.key()));
  }
  const std::string& path() const { return path_; }

 private:
  void require_object(size_t most) const;

  const nlohmann::json* value_;
  std::string path_;
};

}  // namespace exported
