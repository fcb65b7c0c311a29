// context.hpp: the objects of one run, found by their type, and the extension tables that rooms
// register.
//
// A room registers the tables of its extensions and provides the objects that they work on:
//   context.provide<train::Loop>(&loop);  context.extend("broch.progress/1", &kProgressTable);
#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"

namespace broch::abi {

namespace detail {
size_t next_slot();
template <class T>
size_t slot_of() {
  static const size_t slot = next_slot();
  return slot;
}
}  // namespace detail

class Context {
 public:
  template <class T>
  void provide(T* object) {
    set(detail::slot_of<T>(), const_cast<std::remove_const_t<T>*>(object));
  }
  // nullptr if no such object was provided: what needs it is then not available at this time.
  template <class T>
  T* find() const {
    return static_cast<T*>(get(detail::slot_of<T>()));
  }

  // The table must be valid as long as the context. REQUIRES: the ID is not registered yet.
  void extend(const char* id, const void* table);
  // nullptr if the ID is unknown.
  const void* extension(std::string_view id) const;
  std::vector<std::string> extension_ids() const;  // sorted

  // The exit code of the process if a call of destroy does not return: `training` until the run is
  // over.
  base::Exit outcome() const { return outcome_; }
  void conclude(base::Exit outcome) { outcome_ = outcome; }

 private:
  static constexpr size_t kSlots = 64;
  void set(size_t slot, void* object);
  void* get(size_t slot) const { return slot < kSlots ? objects_[slot] : nullptr; }

  std::array<void*, kSlots> objects_{};
  base::Exit outcome_ = base::Exit::training;
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, const void*, Hash, std::equal_to<>> extensions_;
};

}  // namespace broch::abi
