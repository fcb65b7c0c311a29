// table.hpp: what the tables of all roles need to call a C++ object.
#pragma once
#include <type_traits>
#include <utility>

#include "data_point.hpp"
#include "host.hpp"

namespace broch {
inline namespace v0 {

// What self points to: the object, and what the functions of the tables need besides.
template <class T>
struct Self {
  template <class Make>
  Self(const broch_host* c_host, Make&& make)
      : host(c_host),
        data(host.find<broch_host_data_point>(BROCH_EXT_DATA_POINT)),
        object(make(host)) {}
  Host host;
  const broch_host_data_point* data;
  T object;
};

namespace glue {

// Calls body(object) for a call from the host, see at_border. If body returns nothing, the status
// is BROCH_OK.
template <class T, class Body>
broch_status run(void* self, Body&& body) noexcept {
  auto* holder = static_cast<Self<T>*>(self);
  return at_border(holder->host.c(), [&]() -> broch_status {
    if constexpr (std::is_void_v<decltype(body(holder->object))>) {
      body(holder->object);
      return BROCH_OK;
    } else {
      return body(holder->object);
    }
  });
}

// Whether T overrides a function of a role. If not, the entry of the table stays NULL, and the host
// skips it.
#define BROCH_OVERRIDES(T, Role, method) \
  (!std::is_same_v<decltype(&T::method), decltype(&Role::method)>)

}  // namespace glue
}  // namespace v0
}  // namespace broch
