// dtype_test.cpp: which types of C++ may be elements of a tensor.
#include <broch/cpp/view.hpp>
#include <cstddef>
#include <type_traits>

namespace {

template <class T, class = void>
constexpr bool is_element = false;
template <class T>
constexpr bool is_element<T, std::void_t<decltype(broch::dtype_of(T{}))>> = true;

static_assert(is_element<float> && is_element<double> && is_element<bool>);
static_assert(is_element<int8_t> && is_element<int16_t> && is_element<int32_t>);
static_assert(is_element<int64_t> && is_element<uint8_t>);
// A vector of these would be read beyond its end if they counted as int32_t.
static_assert(!is_element<char> && !is_element<uint16_t> && !is_element<char16_t>);
static_assert(!is_element<uint32_t> && !is_element<uint64_t> && !is_element<std::byte>);

}  // namespace
