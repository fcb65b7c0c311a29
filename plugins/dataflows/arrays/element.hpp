// element.hpp: the element types of files and data points.
#pragma once
#include <broch/dlpack.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace arrays {

enum class Element { float32, float64, int8, int16, int32, int64, uint8, boolean };

struct ElementFacts {
  Element element;
  const char* name;   // in options and messages
  const char* descr;  // in .npy files, after the byte order
  broch_dl_type dl;
  bool floating;
};

inline constexpr ElementFacts kElements[] = {
    {Element::float32, "float32", "f4", {BROCH_DL_FLOAT, 32, 1}, true},
    {Element::float64, "float64", "f8", {BROCH_DL_FLOAT, 64, 1}, true},
    {Element::int8, "int8", "i1", {BROCH_DL_INT, 8, 1}, false},
    {Element::int16, "int16", "i2", {BROCH_DL_INT, 16, 1}, false},
    {Element::int32, "int32", "i4", {BROCH_DL_INT, 32, 1}, false},
    {Element::int64, "int64", "i8", {BROCH_DL_INT, 64, 1}, false},
    {Element::uint8, "uint8", "u1", {BROCH_DL_UINT, 8, 1}, false},
    {Element::boolean, "bool", "b1", {BROCH_DL_BOOL, 8, 1}, false}};

inline const ElementFacts& facts(Element element) { return kElements[size_t(element)]; }
inline size_t size_of(Element element) { return facts(element).dl.bits / 8; }

// Calls body with a zero of the C++ type that stores the element. A bool is stored as a byte.
template <class Body>
auto with_type(Element element, Body&& body) {
  switch (element) {
    case Element::float32:
      return body(float{});
    case Element::float64:
      return body(double{});
    case Element::int8:
      return body(int8_t{});
    case Element::int16:
      return body(int16_t{});
    case Element::int32:
      return body(int32_t{});
    case Element::int64:
      return body(int64_t{});
    default:
      return body(uint8_t{});
  }
}

}  // namespace arrays
