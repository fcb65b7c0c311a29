// npy.cpp: from the header to element type and number of elements.
#include "arrays/npy.hpp"

#include "arrays/diagnostic.hpp"

namespace arrays {
namespace {

const char* const kSaveAgain = "write the file again with numpy.save(file, array)";

Element element_of(const std::string& descr, const std::string& place) {
  const std::string kind = descr.empty() ? "" : descr.substr(1);
  const char order = descr.empty() ? '\0' : descr[0];
  if (order == '|' && kind.substr(0, 1) == "O")
    refuse(place, "an array of Python objects", "an array of numbers",
           "convert it first, for example array.astype('float32')");
  for (const ElementFacts& known : kElements) {
    if (kind != known.descr) continue;
    if (order == '<' || (order == '|' && size_of(known.element) == 1)) return known.element;
    if (order == '>')
      refuse(place, "big-endian elements " + quoted(descr), "little-endian ones",
             "convert them first: array.astype('<" + kind + "')");
  }
  refuse(place, "elements of type " + quoted(descr), "one of <f4 <f8 <i2 <i4 <i8 |i1 |u1 |b1",
         "convert them first, for example array.astype('float32')");
}

}  // namespace

uint64_t count_elements(const NpyHeader& header, uint64_t element_size, uint64_t file_size,
                        const std::string& place) {
  if (header.shape.empty())
    refuse(place, "an array without dimensions", "rows along its first dimension",
           "save array.reshape(1) for a single row");
  uint64_t size = element_size;
  for (const int64_t extent : header.shape)
    if (__builtin_mul_overflow(size, uint64_t(extent), &size))
      refuse(place, "a shape of 2^64 or more bytes", "one that fits memory", kSaveAgain);
  const uint64_t left = file_size - header.offset;
  if (size != left)
    refuse(place + ": byte " + std::to_string(header.offset),
           std::to_string(left) + " bytes of data", std::to_string(size) + " as the shape says",
           left < size ? "the file is cut short; copy or write it again"
                       : "save each array in a file of its own");
  return size / element_size;
}

Npy parse_npy(std::string_view bytes, const std::string& place) {
  const NpyHeader header = parse_npy_header(bytes, place);
  Npy npy;
  npy.element = element_of(header.descr, place);
  npy.shape = header.shape;
  npy.offset = header.offset;
  // Of one dimension, there is one order; Julia's NPZ.jl calls it that of Fortran.
  if (header.fortran_order && header.shape.size() > 1)
    refuse(place, "an array in Fortran order", "one in C order",
           "convert it first: numpy.ascontiguousarray(array)");
  npy.count = count_elements(header, size_of(npy.element), bytes.size(), place);
  return npy;
}

}  // namespace arrays
