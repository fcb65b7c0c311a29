// variables.hpp: the variables of the run, outside tower functions.
#pragma once
#include <string>
#include <vector>

#include "host.hpp"
#include "init.hpp"
#include "view.hpp"

namespace broch {
inline namespace v0 {

// Makes, finds, reads and writes variables; see ext/variables.h.
class Variables {
 public:
  explicit Variables(const Host& host)
      : host_(host), table_(host.require<broch_host_variables>(BROCH_EXT_VARIABLES)) {}

  // In setup_graph: a new variable with this full name. flags: BROCH_VARIABLE_….
  broch_variable create(const std::string& name, const std::vector<int64_t>& shape,
                        const Init& init, uint32_t flags = 0,
                        broch_dtype dtype = BROCH_FLOAT32) const {
    const broch_variable_spec spec = init.spec(shape, flags, dtype);
    broch_variable variable = 0;
    host_.check(table_->create(host_.c(), name.c_str(), &spec, &variable));
    return variable;
  }
  // The variables that have all of flags (BROCH_VARIABLE_…), in the order of creation.
  std::vector<broch_variable> list(uint32_t flags = 0) const {
    uint32_t count = 0;
    host_.check(table_->list(host_.c(), 0, flags, nullptr, 0, &count));
    std::vector<broch_variable> handles(count);
    host_.check(table_->list(host_.c(), 0, flags, handles.data(), count, &count));
    return handles;
  }
  // By full name.
  broch_variable find(const std::string& name) const {
    broch_variable variable = 0;
    host_.check(table_->find(host_.c(), name.c_str(), &variable));
    return variable;
  }
  broch_variable_info info(broch_variable variable) const {
    broch_variable_info info{};
    info.struct_size = sizeof info;
    host_.check(table_->info(host_.c(), variable, &info));
    return info;
  }
  // A borrowed alias of the memory, not a copy; TensorData reads it.
  broch_tensor value(broch_variable variable) const {
    broch_tensor value = 0;
    host_.check(table_->value(host_.c(), variable, &value));
    return value;
  }
  // values: row-major, of the dtype of the variable. Throws Error if their number is wrong.
  template <class T>
  void assign(broch_variable variable, const std::vector<T>& values) const {
    const broch_variable_info is = info(variable);
    std::vector<int64_t> shape(is.shape, is.shape + is.rank);
    const int64_t elements = element_count(is.shape, is.rank);
    if (elements != int64_t(values.size()))
      throw Error(BROCH_E_INVALID_ARGUMENT, std::string(is.name) + " has " +
                                                std::to_string(elements) + " elements, not " +
                                                std::to_string(values.size()));
    const broch_dl_tensor view =
        dl_view(values.data(), dl_type(dtype_of(T{})), shape.data(), int32_t(is.rank));
    host_.check(table_->assign(host_.c(), variable, &view));
  }

 private:
  Host host_;
  const broch_host_variables* table_;
};

}  // namespace v0
}  // namespace broch
