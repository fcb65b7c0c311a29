// value.hpp: a JSON value that remembers where it was written.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace broch::value {

// A text from which values were read, or a description of where they come from.
struct Source {
  std::string name;    // for people: "run.json", "override trainer.use", "default of trainer.use"
  std::string folder;  // absolute; relative paths in the text are relative to it
  std::string text;
};

// How a ${…} produced a value.
struct Substitution {
  std::string used_at;    // "run.json:7:20", the place of the ${…}; "": the place of the value
  bool is_text = false;   // from the environment; read as JSON if a schema requires
  std::string concealed;  // what to show and store for a secret: ${env:NAME}; "": no secret
};

// Where a value or a key was written.
struct Origin {
  std::shared_ptr<const Source> source;
  int line = 0;                                        // from 1; 0: the source has no lines
  int column = 0;                                      // from 1, in characters
  std::shared_ptr<const Substitution> substitution{};  // nullptr: no ${…} was involved
  // For the "use" of an entry that the program made around another one: the name of the option (a
  // string literal) that holds the inner entry. Else nullptr.
  const char* wraps = nullptr;

  // "run.json:3:7", "override trainer.use", "base.json:2:9 (used at run.json:7:20)"
  std::string text() const;
};

// An origin without lines, such as "default of trainer.use". Paths are relative to the working
// directory.
Origin made_by(std::string name);
std::string working_directory();

struct Member;

// Null, boolean, 64-bit integer (exact), real (finite), string (UTF-8 without NUL), list or
// object. Objects keep the order of keys and have no key twice. Each typed accessor requires its
// kind.
class Value {
 public:
  enum class Kind { null, boolean, integer, real, string, array, object };
  using Array = std::vector<Value>;
  using Object = std::vector<Member>;
  using Data = std::variant<std::monostate, bool, int64_t, double, std::string, Array, Object>;

  Value() = default;
  explicit Value(Data data, Origin origin = {});

  Kind kind() const { return static_cast<Kind>(data_.index()); }
  bool is(Kind kind) const { return this->kind() == kind; }
  bool is_null() const { return is(Kind::null); }
  bool is_number() const { return is(Kind::integer) || is(Kind::real); }

  bool boolean() const { return std::get<bool>(data_); }
  int64_t integer() const { return std::get<int64_t>(data_); }
  double number() const;  // integer or real
  const std::string& string() const { return std::get<std::string>(data_); }
  const Array& array() const { return std::get<Array>(data_); }
  Array& array() { return std::get<Array>(data_); }
  const Object& object() const { return std::get<Object>(data_); }
  Object& object() { return std::get<Object>(data_); }

  // The member of an object, or nullptr, also if this is not an object.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  // Replaces the member or appends it. A new key gets the value's origin.
  Value& set(std::string_view key, Value value);
  bool remove(std::string_view key);
  std::vector<std::string> keys() const;

  const Origin& origin() const { return origin_; }
  void set_origin(Origin origin) { origin_ = std::move(origin); }
  // Sets the origin of this value and of all values in it.
  void set_origin_deep(const Origin& origin);

 private:
  Data data_;
  Origin origin_;
};

struct Member {
  std::string key;
  Origin origin;  // of the key
  Value value;
};

inline Value::Value(Data data, Origin origin)
    : data_(std::move(data)), origin_(std::move(origin)) {}

// As JSON Schema compares: 1 equals 1.0; the order of members and origins do not matter.
bool operator==(const Value& a, const Value& b);

// JSON pointers (RFC 6901): "/callbacks/0/with".
void append_to_pointer(std::string& pointer, std::string_view key);
std::string child_pointer(std::string pointer, std::string_view key);
std::string child_pointer(const std::string& pointer, size_t index);
// The value at a pointer, or nullptr.
const Value* find_at(const Value& root, std::string_view pointer);
Value* find_at(Value& root, std::string_view pointer);
// Replaces the value, or adds a member if the object exists; else does nothing.
void set_at(Value& root, const std::string& pointer, const Value& value);

}  // namespace broch::value
