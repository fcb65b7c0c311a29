// saved_bytes.hpp: numbers and structs as the bytes of a saved state.
#pragma once
#include <algorithm>
#include <broch/broch.hpp>
#include <cstring>

namespace cart_pole_dqn {

template <class T>
std::string bytes(const T* values, size_t n) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const char*>(values), n * sizeof(T)};
}

// Takes out what was put in, in the same order. Borrows the bytes.
class SavedBytes {
 public:
  explicit SavedBytes(const std::string& saved) : saved_(saved) {}

  template <class T>
  void take(T* to, size_t n) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (n > (saved_.size() - at_) / sizeof(T))
      throw broch::Error(BROCH_E_DATA_LOSS, "the saved state is cut off");
    if (n > 0) std::memcpy(static_cast<void*>(to), saved_.data() + at_, n * sizeof(T));
    at_ += n * sizeof(T);
  }
  template <class T>
  void take(std::vector<T>& to, size_t n) {
    to.resize(std::min(n, saved_.size()));  // a wrong number does not fill the memory
    take(to.data(), n);
  }

 private:
  const std::string& saved_;
  size_t at_ = 0;
};

}  // namespace cart_pole_dqn
