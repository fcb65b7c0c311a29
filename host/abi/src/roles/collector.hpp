// collector.hpp: objects through which plugins return lists and texts.
#pragma once
#include <exception>
#include <string>

#include "abi/serve.hpp"
#include "broch/value.h"

namespace broch::abi {

// The list to which a plugin adds during one call. The first refusal is kept: if the plugin ignores
// it and continues, its call fails, rather than succeed with half of the list.
template <class List>
struct Collector {
  List list;
  std::exception_ptr refused;

  template <class Add>
  static broch_status collect(void* context, Add&& add) noexcept {
    auto* collector = static_cast<Collector*>(context);
    try {
      add(collector->list);
      return BROCH_OK;
    } catch (...) {
      if (!collector->refused) collector->refused = std::current_exception();
      return error_from_exception();
    }
  }

  // Called at the end of the plugin's call, inside its Entry. Returns the plugin's status, or that
  // of the refusal.
  broch_status end(broch_status status) const {
    if (status < 0 || !refused) return status;
    try {
      std::rethrow_exception(refused);
    } catch (...) {
      return error_from_exception();
    }
  }
};

// Collects a text in pieces.
struct TextCollector : Collector<std::string> {
  broch_writer writer() {
    return {static_cast<Collector*>(this), [](void* context, const void* bytes, uint64_t size) {
              return collect(context, [&](std::string& text) {
                if (size) given(bytes, "write", "bytes");
                text.append(static_cast<const char*>(bytes), size);
              });
            }};
  }
};

}  // namespace broch::abi
