// decode.cpp: numbers as text, and .npy files.
#include "containers/decode.hpp"

#include <optional>

#include "../../options/trimmed.hpp"
#include "arrays/diagnostic.hpp"
#include "arrays/npy.hpp"
#include "arrays/parse_number.hpp"
#include "files/npy_array.hpp"

namespace containers {
namespace {

template <class T>
Component number(broch_dl_type type, std::string_view bytes, const std::string& place,
                 const char* expected) {
  const std::string_view digits = broch::trimmed(bytes);
  const char* const end = digits.data() + digits.size();
  T value{};
  const auto [stop, error] = arrays::parse_number(digits, value);
  if (digits.empty() || error != std::errc() || stop != end)
    arrays::refuse(place, arrays::quoted(bytes), expected,
                   "correct the file, or the options integers and floats");
  return scalar_of(type, value);
}

// An array in Fortran order or of another element type than a data point has.
Component converted(std::string_view bytes, const broch::archive::NpyHeader& npy,
                    const std::string& place) {
  if (byte_count(kUint8, npy.shape) == 0)
    return {files::NpyArray::type_of(npy.descr, place), npy.shape, {}, {}};
  std::string row;  // for NpyArray, which reads rows
  if (npy.shape.empty())
    bytes = row = broch::archive::npy_header(npy.descr, {1}).append(bytes.substr(npy.offset));
  const files::NpyArray array = files::NpyArray::parse(bytes, place);
  Component made{array.type(), npy.shape, {}, {}};
  made.owned.resize(array.rows() * array.row_bytes());
  for (uint64_t i = 0; i < array.rows(); ++i)
    array.copy_row(i, made.owned.data() + i * array.row_bytes());
  return made;
}

// Unlike a table of rows, an array of a sample may have no dimensions, and no elements.
Component array(std::string_view bytes, const std::string& place) {
  const broch::archive::NpyHeader npy = broch::archive::parse_npy_header(bytes, place);
  const std::optional<broch_dl_type> type = type_of(npy.descr);
  const bool has_columns = npy.fortran_order && byte_count(kUint8, npy.shape) != 0;
  if (!type || has_columns) return converted(bytes, npy, place);
  const uint64_t left = bytes.size() - npy.offset;
  if (byte_count(*type, npy.shape) != left)
    arrays::refuse(place + ": byte " + std::to_string(npy.offset),
                   std::to_string(left) + " bytes of data", "as many as the shape says",
                   "the file is damaged; write it again with numpy.save(file, array)");
  return {*type, npy.shape, bytes.substr(npy.offset), {}};
}

}  // namespace

Component decode(std::string_view bytes, Meaning meaning, const std::string& place) {
  switch (meaning) {
    case Meaning::integer:
      return number<int64_t>(kInt64, bytes, place, "an integer that fits 64 bits");
    case Meaning::real:
      return number<float>(kFloat32, bytes, place, "a number");
    case Meaning::npy:
      return array(bytes, place);
    default:
      return bytes_of(bytes);
  }
}

std::string npy_of(const Component& component) {
  return broch::archive::npy_header(descr_of(component.type), component.shape)
      .append(component.bytes());
}

}  // namespace containers
