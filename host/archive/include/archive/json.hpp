// json.hpp: a JSON text of a file that somebody else wrote. Every access checks what is there, and
// an error names the place in the file and the path inside the text.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace broch::archive {

// A value and where it stands. Borrows from a JsonText. All functions throw FileError.
class Json {
 public:
  // What is wrong with this value.
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const;

  // A member; refuses a value that has none of this name.
  Json operator[](const char* name) const;
  // Whether it is an object that has this member, and not as null.
  bool has(const char* name) const;
  // The only member of an object, as a union is written: its name.
  std::string tag() const;

  bool is_null() const;
  bool is_integer() const;
  bool is_list() const;
  bool is_string() const;
  const std::string& string() const;
  int64_t integer() const;
  double number() const;  // also "Infinity", "-Infinity" and "NaN"
  bool boolean() const;
  // The number of elements. Refuses what is no list, or a longer one.
  size_t size(size_t most) const;
  // REQUIRES: below size().
  Json at(size_t index) const;
  // Calls each(element) for all elements of a list.
  template <class Each>
  void for_each(size_t most, Each each) const {
    const size_t n = size(most);
    for (size_t i = 0; i < n; ++i) each(at(i));
  }
  // The names of all members of an object.
  std::vector<std::string> names(size_t most) const;
  // Calls each(name, value) for all members of an object.
  template <class Each>
  void for_each_member(size_t most, Each each) const {
    for (const std::string& name : names(most)) each(name, (*this)[name.c_str()]);
  }
  const std::string& path() const { return path_; }

 private:
  friend class JsonText;
  Json(const void* value, std::string path, const std::string& advice)
      : value_(value), path_(std::move(path)), advice_(&advice) {}

  const void* value_;  // an nlohmann::json
  std::string path_;
  const std::string* advice_;
};

class JsonText {
 public:
  // place: the file and the entry, for errors. advice: what to do about them. Throws FileError if
  // it is no JSON, or has more than 200 levels.
  JsonText(std::string_view text, const std::string& place, std::string advice);
  // path: of the whole in errors, such as "model.pt2, models/model.json: program".
  Json root(std::string path) const;

 private:
  std::shared_ptr<const void> value_;
  std::string advice_;
};

}  // namespace broch::archive
