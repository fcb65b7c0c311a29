// data_tables.hpp: the tables of the roles that hand on data points: dataflow, indexed, transform,
// sink, input_source.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "roles.hpp"
#include "table.hpp"

namespace broch {
inline namespace v0 {
namespace glue {

template <class T>
const broch_dataflow* dataflow_table() {
  static const broch_dataflow table = [] {
    broch_dataflow t{};
    t.struct_size = sizeof t;
    if (BROCH_OVERRIDES(T, DataFlow, reset_state))
      t.reset_state = [](void* self) {
        return run<T>(self, [](T& object) { object.reset_state(); });
      };
    t.open = [](void* self, const void* cursor, uint64_t size) {
      return run<T>(self, [&](T& object) {
        object.open(std::string(static_cast<const char*>(cursor), size));
      });
    };
    if (BROCH_OVERRIDES(T, DataFlow, start_cursor))
      t.start_cursor = [](void* self, const broch_writer* cursor) {
        return run<T>(self, [&](T& object) -> broch_status {
          const std::optional<std::string> bytes = object.start_cursor();
          return bytes ? cursor->write(cursor->context, bytes->data(), bytes->size()) : BROCH_NONE;
        });
      };
    t.next = [](void* self, const broch_cancel* cancel, broch_point point) {
      auto* holder = static_cast<Self<T>*>(self);
      return run<T>(self, [&](T& object) -> broch_status {
        PointWriter writer(holder->host, holder->data, point);
        return object.next(Cancel(cancel), writer) ? BROCH_OK : BROCH_END;
      });
    };
    if (BROCH_OVERRIDES(T, DataFlow, size))
      t.size = [](void* self, int64_t* size) {
        return run<T>(self, [&](T& object) -> broch_status {
          const std::optional<int64_t> value = object.size();
          if (value) *size = *value;
          return value ? BROCH_OK : BROCH_NONE;
        });
      };
    return t;
  }();
  return &table;
}

template <class T>
const broch_input_source* input_source_table() {
  static const broch_input_source table = [] {
    broch_input_source t{};
    t.struct_size = sizeof t;
    t.flags = T::kFlags;
    t.setup = [](void* self, const broch_input_spec* inputs, uint32_t n) {
      return run<T>(self, [&](T& object) { object.setup(inputs, n); });
    };
    if (BROCH_OVERRIDES(T, InputSource, reset_state))
      t.reset_state = [](void* self) {
        return run<T>(self, [](T& object) { object.reset_state(); });
      };
    if (BROCH_OVERRIDES(T, InputSource, resume))
      t.resume = [](void* self, const broch_bytes* cursors, uint32_t towers) {
        return run<T>(self, [&](T& object) {
          std::vector<std::string> list;
          for (uint32_t i = 0; i < towers; ++i)
            list.emplace_back(static_cast<const char*>(cursors[i].data), cursors[i].size);
          object.resume(list);
        });
      };
    t.next = [](void* self, uint32_t tower, const broch_cancel* cancel, broch_point point) {
      auto* holder = static_cast<Self<T>*>(self);
      return run<T>(self, [&](T& object) -> broch_status {
        PointWriter writer(holder->host, holder->data, point);
        return object.next(tower, Cancel(cancel), writer) ? BROCH_OK : BROCH_END;
      });
    };
    if (BROCH_OVERRIDES(T, InputSource, size))
      t.size = [](void* self, int64_t* size) {
        return run<T>(self, [&](T& object) -> broch_status {
          const std::optional<int64_t> value = object.size();
          if (value) *size = *value;
          return value ? BROCH_OK : BROCH_NONE;
        });
      };
    if (BROCH_OVERRIDES(T, InputSource, stop))
      t.stop = [](void* self) { return run<T>(self, [](T& object) { object.stop(); }); };
    if (BROCH_OVERRIDES(T, InputSource, set_towers))
      t.set_towers = [](void* self, uint32_t n) {
        return run<T>(self, [n](T& object) { object.set_towers(n); });
      };
    return t;
  }();
  return &table;
}

template <class T>
const broch_indexed* indexed_table(bool has_locate) {
  static const broch_indexed table = [] {
    broch_indexed t{};
    t.struct_size = sizeof t;
    if (BROCH_OVERRIDES(T, Indexed, reset_state))
      t.reset_state = [](void* self) {
        return run<T>(self, [](T& object) { object.reset_state(); });
      };
    t.size = [](void* self, int64_t* size) {
      return run<T>(self, [&](T& object) -> broch_status {
        const std::optional<int64_t> value = object.size();
        if (value) *size = *value;
        return value ? BROCH_OK : BROCH_NONE;
      });
    };
    if (BROCH_OVERRIDES(T, Indexed, describe))
      t.describe = [](void* self, uint64_t index, const broch_writer* text) {
        return run<T>(self, [&](T& object) -> broch_status {
          const std::string words = object.describe(index);
          return words.empty() ? BROCH_NONE
                               : text->write(text->context, words.data(), words.size());
        });
      };
    t.read = [](void* self, uint64_t round, uint64_t index, const broch_cancel* cancel,
                broch_point point) {
      auto* holder = static_cast<Self<T>*>(self);
      return run<T>(self, [&](T& object) -> broch_status {
        PointWriter writer(holder->host, holder->data, point);
        return object.read(Position{round, index}, Cancel(cancel), writer) ? BROCH_OK : BROCH_END;
      });
    };
    return t;
  }();
  static const broch_indexed locating = [] {
    broch_indexed t = table;
    t.locate = [](void* self, const void* cursor, uint64_t size, uint64_t* round, uint64_t* index) {
      return run<T>(self, [&](T& object) {
        const Position position =
            object.locate(std::string(static_cast<const char*>(cursor), size));
        *round = position.round;
        *index = position.index;
      });
    };
    return t;
  }();
  return has_locate ? &locating : &table;
}

// nullptr: this instance cannot be read by index, or one of its functions has thrown.
template <class T>
const broch_indexed* indexed_table_of(void* self) {
  const broch_indexed* table = nullptr;
  run<T>(self, [&](const T& object) {
    if (object.indexed()) table = indexed_table<T>(object.has_locate());
  });
  return table;
}

template <class T>
const broch_sink* sink_table() {
  static const broch_sink table = [] {
    broch_sink t{};
    t.struct_size = sizeof t;
    t.open = [](void* self, const char* path) {
      return run<T>(self, [&](T& object) { object.open(path); });
    };
    t.put = [](void* self, broch_point point) {
      auto* holder = static_cast<Self<T>*>(self);
      return run<T>(self, [&](T& object) {
        PointReader reader(holder->host, holder->data, point);
        object.put(reader);
      });
    };
    t.close = [](void* self) { return run<T>(self, [](T& object) { object.close(); }); };
    return t;
  }();
  return &table;
}

template <class T>
const broch_transform* transform_table() {
  static const broch_transform table = [] {
    broch_transform t{};
    t.struct_size = sizeof t;
    t.flags = std::is_base_of_v<ManyTransform, T> ? BROCH_TRANSFORM_MANY : 0;
    t.apply = [](void* self, uint64_t seed, broch_point in, broch_point out) {
      auto* holder = static_cast<Self<T>*>(self);
      return run<T>(self, [&](T& object) {
        PointReader reader(holder->host, holder->data, in);
        PointWriter writer(holder->host, holder->data, out);
        object.apply(reader, writer, Draws(seed));
      });
    };
    return t;
  }();
  return &table;
}

}  // namespace glue
}  // namespace v0
}  // namespace broch
