// point.cpp: components from the pieces of a message.
#include "msgpack/point.hpp"

#include <broch/ext/tensor.h>

#include <bit>
#include <optional>

#include "arrays/diagnostic.hpp"
#include "msgpack/reader.hpp"

namespace msgpack {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are little-endian");

using containers::Component;
using containers::Named;

constexpr uint64_t kMostComponents = 1024;
const char* const kConvert = "make each component a NumPy array, a number or bytes";

bool is_text(const Item& item) { return item.type == Type::text || item.type == Type::bytes; }

// What tensorpack can also write. Pickle begins with 0x80, which is an empty map in MessagePack;
// pyarrow with a small number.
void refuse_others(std::string_view message, const std::string& place) {
  const bool is_pickle = message.size() > 1 && message[0] == '\x80';
  const bool is_pyarrow = !message.empty() && static_cast<unsigned char>(message[0]) < 0x80;
  if (is_pickle || is_pyarrow)
    arrays::refuse(place, std::string("what looks like ") + (is_pickle ? "pickle" : "pyarrow"),
                   "MessagePack",
                   "write it again with TENSORPACK_SERIALIZE=msgpack in the environment");
}

class Parser {
 public:
  Parser(std::string_view message, const std::string& place) : reader_(message, place) {
    refuse_others(message, place);
  }

  std::vector<Named> point() {
    const Item whole = reader_.next();
    if (whole.type != Type::list && whole.type != Type::map)
      reader_.refuse(whole.at, described(whole), "a list or a map of components", kConvert);
    std::vector<Named> point;
    if (whole.type == Type::map && is_array(whole)) {
      point.push_back({"", array(whole)});
    } else {
      if (whole.count == 0 || whole.count > kMostComponents)
        reader_.refuse(whole.at, described(whole),
                       "1 to " + std::to_string(kMostComponents) + " components", kConvert);
      for (uint64_t i = 0; i < whole.count; ++i) {
        std::string name(whole.type == Type::map ? key() : "");
        point.push_back({std::move(name), component()});
      }
    }
    end();
    return point;
  }

  std::vector<std::string> keys() {
    const Item whole = reader_.next();
    if (whole.type != Type::list)
      reader_.refuse(whole.at, described(whole), "a list of keys", "write the file again");
    std::vector<std::string> keys;
    for (uint64_t i = 0; i < whole.count; ++i) keys.emplace_back(key());
    end();
    return keys;
  }

 private:
  void end() const {
    if (!reader_.at_end())
      reader_.refuse(reader_.offset(), "more bytes", "the end of the message", "write it again");
  }

  std::string_view key() {
    const Item item = reader_.next();
    if (!is_text(item) || item.bytes.find('\0') != std::string_view::npos)
      reader_.refuse(item.at, described(item), "a name", "write it again");
    return item.bytes;
  }

  // Whether a map is an array or a number of msgpack-numpy: it has the key nd, in any place.
  bool is_array(const Item& map) {
    const uint64_t start = reader_.offset();
    bool found = false;
    for (uint64_t i = 0; i < map.count; ++i) {
      const Item name = reader_.next();
      found = found || (is_text(name) && name.bytes == "nd");
      reader_.pass_over(name);
      reader_.pass_over(reader_.next());
    }
    reader_.go_back(start);
    return found;
  }

  Component component() {
    const Item item = reader_.next();
    switch (item.type) {
      case Type::boolean:
        return containers::scalar_of<uint8_t>(containers::kBool, item.flag);
      case Type::integer:
        return containers::scalar_of(containers::kInt64, item.integer);
      case Type::real:
        return containers::scalar_of(containers::kFloat32, float(item.real));
      case Type::text:
      case Type::bytes:
        return containers::bytes_of(item.bytes);
      case Type::list:
        return numbers(item);
      case Type::map:
        return array(item);
      default:
        reader_.refuse(item.at, described(item), "an array, a number or bytes", kConvert);
    }
  }

  // A vector: of int64 if all elements are integers, otherwise of float32.
  Component numbers(const Item& list) {
    std::vector<int64_t> integers;
    std::vector<float> reals;
    for (uint64_t i = 0; i < list.count; ++i) {
      const Item item = reader_.next();
      if (item.type != Type::integer && item.type != Type::real)
        reader_.refuse(item.at, described(item) + " in a list", "numbers",
                       "make the list a NumPy array");
      if (item.type == Type::integer) integers.push_back(item.integer);
      reals.push_back(item.type == Type::integer ? float(item.integer) : float(item.real));
    }
    const bool is_whole = list.count > 0 && integers.size() == list.count;
    const std::vector<int64_t> shape = {int64_t(list.count)};
    return is_whole ? containers::values_of(containers::kInt64, integers, shape)
                    : containers::values_of(containers::kFloat32, reals, shape);
  }

  // The keys are nd (true: an array, false: a number), type, shape, data, and kind, which says
  // whether the elements are records or pickled objects.
  Component array(const Item& map) {
    Component made;
    bool has_type = false, has_shape = false, has_data = false, is_number = false;
    for (uint64_t i = 0; i < map.count; ++i) {
      const Item field = reader_.next();
      const Item value = reader_.next();
      const std::string_view which = is_text(field) ? field.bytes : std::string_view();
      if (which == "nd" && value.type == Type::boolean) {
        is_number = !value.flag;
      } else if (which == "type" && is_text(value)) {
        has_type = true;
        made.type = type_of(value);
      } else if (which == "kind" && is_text(value) && value.bytes.empty()) {
        continue;  // neither records nor objects
      } else if (which == "shape" && value.type == Type::list) {
        has_shape = true;
        read_shape(value, made.shape);
      } else if (which == "data" && is_text(value)) {
        has_data = true;
        made.borrowed = value.bytes;
      } else {
        reader_.refuse(field.at, described(value) + " for the key " + described(field),
                       "an array of numbers as msgpack-numpy writes it",
                       "structured arrays and Python objects are not read; convert them");
      }
    }
    if (!has_type || !has_data || has_shape == is_number)
      reader_.refuse(map.at, "an array without all of nd, type, shape and data", "them",
                     "write it with msgpack-numpy");
    const std::optional<uint64_t> size = containers::byte_count(made.type, made.shape);
    if (!size || *size != made.borrowed.size())
      reader_.refuse(map.at, std::to_string(made.borrowed.size()) + " bytes of elements",
                     size ? std::to_string(*size) + " for dtype and shape" : "fewer than 2^63",
                     "write it again");
    return made;
  }

  broch_dl_type type_of(const Item& item) const {
    if (const std::optional<broch_dl_type> type = containers::type_of(item.bytes)) return *type;
    reader_.refuse(item.at, "the dtype " + arrays::quoted(item.bytes),
                   "a little-endian one of f2 f4 f8 i1 i2 i4 i8 u1 b1 c8 c16",
                   item.bytes.starts_with('>')
                       ? "convert it with array.astype(array.dtype.newbyteorder('<'))"
                       : "convert it, for example with array.astype('int32')");
  }

  void read_shape(const Item& list, std::vector<int64_t>& shape) {
    if (list.count > BROCH_RANK_MAX)
      reader_.refuse(list.at, std::to_string(list.count) + " dimensions",
                     "at most " + std::to_string(BROCH_RANK_MAX), "merge dimensions");
    shape.clear();
    for (uint64_t i = 0; i < list.count; ++i) {
      const Item size = reader_.next();
      if (size.type != Type::integer || size.integer < 0)
        reader_.refuse(size.at, described(size), "the size of a dimension", "write it again");
      shape.push_back(size.integer);
    }
  }

  Reader reader_;
};

}  // namespace

std::vector<Named> parse_point(std::string_view message, const std::string& place) {
  return Parser(message, place).point();
}

std::vector<std::string> parse_keys(std::string_view message, const std::string& place) {
  return Parser(message, place).keys();
}

}  // namespace msgpack
