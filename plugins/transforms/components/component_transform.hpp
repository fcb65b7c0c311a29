// component_transform.hpp: a transform that changes some components and passes the others on.
#pragma once
#include <string>
#include <vector>

#include "../../points/component_name.hpp"
#include "../../points/numbers.hpp"

namespace broch::transforms {

// A component that is to be changed.
struct Component {
  broch_dl_tensor view;
  const char* name;  // nullptr: none
  std::string what;  // for messages: component 'image'

  broch_dtype dtype() const { return dtype_of(view.dtype); }
  size_t rank() const { return size_t(view.ndim); }
  std::vector<int64_t> shape() const { return {view.shape, view.shape + view.ndim}; }
  size_t count() const { return points::element_count(view); }
  const char* bytes() const { return points::bytes_of(view, what); }
  template <class T>
  const T* data() const {
    return reinterpret_cast<const T*>(bytes());
  }
  [[noreturn]] void refuse(const std::string& expected) const {
    throw Error(BROCH_E_INVALID_ARGUMENT, what + ": found " + dtype_name(dtype()) +
                                              points::shape_text(view) + ", expected " + expected);
  }
};

// Of an option that counts dimensions from 0, or from the end with negative numbers: the dimension.
inline size_t dimension_of(int64_t dimension, const Component& component, size_t rank) {
  const int64_t found = dimension < 0 ? dimension + int64_t(rank) : dimension;
  if (found < 0 || found >= int64_t(rank))
    component.refuse("a dimension " + std::to_string(dimension));
  return size_t(found);
}

class ComponentTransform : public Transform {
 public:
  void apply(PointReader& in, PointWriter& out, Draws draws) override {
    const uint32_t n = in.size();
    std::vector<bool> changes(n, all_);
    for (const points::ComponentName& one : components_) changes[one.in(in)] = true;
    for (uint32_t i = 0; i < n; ++i) {
      if (!changes[i]) {
        in.move(i, out);
        continue;
      }
      const char* const name = in.name(i);
      const std::string what =
          "component " + (name ? "'" + std::string(name) + "'" : std::to_string(i));
      change({in.view(i), name, what}, out, draws);
    }
  }

 protected:
  // The components that are listed at this option; all, if it is null.
  ComponentTransform(const Host& host, const std::string& pointer) {
    const Config config(host);
    all_ = !config.has(pointer);
    if (!all_) components_ = points::component_names(config, pointer);
  }

  // Adds the changed component to out, under the same name.
  virtual void change(const Component& component, PointWriter& out, Draws& draws) = 0;

 private:
  bool all_ = false;
  std::vector<points::ComponentName> components_;
};

// The schema of the option that lists the components.
#define BROCH_COMPONENTS_SCHEMA \
  R"("type": ["array", "null"], "minItems": 1, "items": {)" BROCH_COMPONENT_NAME_SCHEMA "}"
// Of a ComponentTransform.
#define BROCH_COMPONENTS_APART_SCHEMA \
  R"("type": ["array", "null"], "minItems": 1, "items": {)" BROCH_COMPONENT_APART_SCHEMA "}"

// The dtypes that an option can name, in the order of its words.
enum class Dtype { float32, float64, int8, int16, int32, int64, uint8, boolean };
#define BROCH_DTYPE_WORDS "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"
inline broch_dtype dtype_of(Dtype dtype) {
  constexpr broch_dtype kDtypes[] = {BROCH_FLOAT32, BROCH_FLOAT64, BROCH_INT8,  BROCH_INT16,
                                     BROCH_INT32,   BROCH_INT64,   BROCH_UINT8, BROCH_BOOL};
  return kDtypes[size_t(dtype)];
}
using broch::dtype_of;

}  // namespace broch::transforms
