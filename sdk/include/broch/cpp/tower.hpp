// tower.hpp: the context of a call of a tower function: variables, scopes, published names,
// updates.
#pragma once
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "init.hpp"
#include "kernel.hpp"
#include "ops.hpp"
#include "tensor_data.hpp"

namespace broch {
inline namespace v0 {

// A variable and its value, borrowed for this call of the tower function.
struct Variable {
  broch_variable handle = 0;
  Tensor value;
};

// Valid during the call of the tower function; see ext/tower.h. Failures throw Error.
class Tower {
 public:
  Tower(const Host& host, Ops& ops, broch_tower handle)
      : host_(host),
        ops_(ops),
        handle_(handle),
        tower_(host.require<broch_host_tower>(BROCH_EXT_TOWER)),
        variables_(host.require<broch_host_variables>(BROCH_EXT_VARIABLES)) {
    info_.struct_size = sizeof info_;
    host_.check(tower_->info(host_.c(), handle_, &info_));
  }

  Ops& ops() const { return ops_; }
  const Host& host() const { return host_; }
  broch_tower handle() const { return handle_; }
  bool is_training() const { return info_.is_training != 0; }
  bool is_main() const { return info_.is_main != 0; }
  const broch_tower_info& info() const { return info_; }

  // A scope. It is open as long as the object lives.
  class Scope {
   public:
    Scope(const Tower& tower, const std::string& name, bool again)
        : tower_(&tower), outer_(tower.open_) {
      tower.host_.check(tower.variables_->scope_push(tower.host_.c(), tower.handle_, name.c_str()));
      Open& open = tower.open_;
      open.variables += name + "/";
      open.names += name;
      if (again) {
        const int times = ++tower.times_again_[open.names];
        open.again = true;
        open.names += '_';
        open.names += std::to_string(times);
      }
      open.names += "/";
    }
    ~Scope() {
      tower_->open_ = std::move(outer_);
      tower_->variables_->scope_pop(tower_->host_.c(), tower_->handle_);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    friend class Tower;
    struct Open {
      std::string variables, names;  // each part followed by '/'
      bool again = false;
    };
    const Tower* tower_;
    Open outer_;
  };
  [[nodiscard]] Scope scope(const std::string& name) const { return Scope(*this, name, false); }
  // Opens a scope of this call again. In it and in the scopes inside it, variable() returns
  // existing variables, with what this call has already written to them, and throws Error for a new
  // name. What layers publish there is named "name_1/…", the next time "name_2/…". TensorFlow:
  // `tf.variable_scope(name, reuse=True)`.
  [[nodiscard]] Scope reuse(const std::string& name) const { return Scope(*this, name, true); }
  // As long as the object lives, values that variable() returns are first passed through map(full
  // name, value); of several maps, the last one made comes first. update() and read() are not
  // affected. tensorpack: `remap_variables`.
  using Map = std::function<Tensor(const std::string&, const Tensor&)>;
  class Remapped {
   public:
    Remapped(const Tower& tower, Map map, bool untrained) : tower_(tower) {
      tower_.remaps_.push_back({std::move(map), untrained});
    }
    ~Remapped() { tower_.remaps_.pop_back(); }
    Remapped(const Remapped&) = delete;
    Remapped& operator=(const Remapped&) = delete;

   private:
    const Tower& tower_;
  };
  [[nodiscard]] Remapped remap_variables(Map map) const {
    return Remapped(*this, std::move(map), false);
  }
  // As long as the object lives, values that variable() returns carry no gradient. Code that calls
  // read(), such as weight decay, can still give the variable one. untrained: variables are MODEL
  // instead of trainable, so that nothing changes them. tensorpack:
  // `freeze_variables(stop_gradient=True, skip_collection=untrained)`.
  [[nodiscard]] Remapped freeze_variables(bool untrained = false) const {
    const auto detached = [this](const std::string&, const Tensor& x) { return ops_.detach(x); };
    return Remapped(*this, detached, untrained);
  }

  // A name inside the open scopes, such as "block1/conv/output".
  std::string scoped(const std::string& name) const { return open_.names + name; }

  // The variable with this name in the open scopes; it is created if this tower owns its variables.
  // flags: BROCH_VARIABLE_….
  Variable variable(const std::string& name, const std::vector<int64_t>& shape, Init init,
                    uint32_t flags = BROCH_VARIABLE_TRAINABLE,
                    broch_dtype dtype = BROCH_FLOAT32) const {
    const std::string full = open_.variables + name;
    if (open_.again) return remapped(full, made(full, shape, dtype));
    if (flags & BROCH_VARIABLE_TRAINABLE)
      for (const Remap& remap : remaps_)
        if (remap.untrained)
          flags = (flags & ~uint32_t(BROCH_VARIABLE_TRAINABLE)) | BROCH_VARIABLE_MODEL;
    const broch_variable_spec spec = init.spec(shape, flags, dtype);
    Variable variable;
    broch_tensor value = 0;
    host_.check(variables_->get(host_.c(), handle_, name.c_str(), &spec, &variable.handle, &value));
    variable.value = Tensor(&ops_, value);
    made_[full] = variable.handle;
    return remapped(full, variable);
  }
  // The value, after the updates that this call has made.
  Tensor read(broch_variable variable) const {
    broch_tensor value = 0;
    host_.check(variables_->read(host_.c(), handle_, variable, &value));
    return Tensor(&ops_, value);
  }

  // Gives a tensor a name, under which it can be fetched and fed. Continue with the result, which
  // may be a value that is fed.
  Tensor publish(const std::string& name, const Tensor& tensor) const {
    broch_tensor published = 0;
    host_.check(tower_->publish(host_.c(), handle_, name.c_str(), tensor.handle(), &published));
    return Tensor(&ops_, published);
  }
  // Writes a variable when a run that contains the anchor ends: a published name or a collection.
  void update(broch_variable variable, const Tensor& value,
              const std::string& anchor = BROCH_UPDATE_OPS) const {
    host_.check(tower_->update(host_.c(), handle_, variable, value.handle(), anchor.c_str()));
  }
  void collect(const std::string& collection, const Tensor& tensor) const {
    host_.check(tower_->collection_add(host_.c(), handle_, collection.c_str(), tensor.handle()));
  }
  std::vector<Tensor> collection(const std::string& name) const {
    uint32_t count = 0;
    host_.check(tower_->collection_get(host_.c(), handle_, name.c_str(), nullptr, 0, &count));
    std::vector<broch_tensor> handles(count);
    host_.check(
        tower_->collection_get(host_.c(), handle_, name.c_str(), handles.data(), count, &count));
    return tensors_of(ops_, handles);
  }
  // A tensor with these values, which must be the same in every call.
  template <class T>
  Tensor constant(const std::vector<T>& values, std::vector<int64_t> shape) const {
    return constant(dl_view(values, shape));
  }
  Tensor constant(const broch_dl_tensor& data) const {
    broch_tensor tensor = 0;
    host_.check(tower_->constant(host_.c(), handle_, &data, &tensor));
    return Tensor(&ops_, tensor);
  }
  // The mean or sum over all towers that compute this step together, on all ranks; they wait for
  // each other here. mode: BROCH_REDUCE_…. See ext/tower.h.
  Tensor all_reduce(const Tensor& tensor, int32_t mode = BROCH_REDUCE_MEAN) const {
    broch_tensor reduced = 0;
    host_.check(tower_->all_reduce(host_.c(), handle_, tensor.handle(), mode, &reduced));
    return Tensor(&ops_, reduced);
  }
  // Code of the plugin as one operator with this number of outputs. code must live as long as the
  // instance, so keep it as a member.
  template <class Code>
  std::vector<Tensor> kernel(Code& code, const std::vector<Tensor>& inputs,
                             uint32_t outputs = 1) const {
    return kernel(glue::kKernel<Code>, static_cast<Kernel*>(&code), inputs, outputs);
  }
  // The same with a description in C; ext/kernel.h describes kernel and user.
  std::vector<Tensor> kernel(const broch_kernel& kernel, void* user,
                             const std::vector<Tensor>& inputs, uint32_t outputs) const {
    const std::vector<broch_tensor> in = handles_of(inputs);
    std::vector<broch_tensor> out(outputs);
    const auto* table = host_.require<broch_host_kernel>(BROCH_EXT_KERNEL);
    host_.check(table->call(host_.c(), handle_, &kernel, user, in.data(),
                            static_cast<uint32_t>(in.size()), out.data(), outputs));
    return tensors_of(ops_, out);
  }
  // A hyper-parameter, or "global_step" or "epoch_num", as a 0-dim tensor.
  Tensor hyper_param(const std::string& name) const {
    broch_tensor tensor = 0;
    const auto* table = host_.require<broch_host_hyper_param>(BROCH_EXT_HYPER_PARAM);
    host_.check(table->tensor(host_.c(), handle_, name.c_str(), &tensor));
    return Tensor(&ops_, tensor);
  }
  // A value that monitors show. kinds: BROCH_SHOW_…, combined with |.
  void summary(const std::string& name, const Tensor& tensor,
               uint32_t kinds = BROCH_SHOW_SCALAR) const {
    const auto* table = host_.require<broch_host_summary>(BROCH_EXT_SUMMARY);
    host_.check(table->add(host_.c(), handle_, name.c_str(), tensor.handle(), kinds));
  }
  // The moving average of a 0-dim tensor, which monitors show; see ext/summary.h. For another
  // collection there must be a moving-average-summary of it.
  void moving_summary(const std::string& name, const Tensor& tensor, double decay = 0.95,
                      const std::string& collection = BROCH_MOVING_SUMMARY_OPS) const {
    const auto* table = host_.require<broch_host_summary>(BROCH_EXT_SUMMARY);
    if (collection == BROCH_MOVING_SUMMARY_OPS) {
      host_.check(table->moving(host_.c(), handle_, name.c_str(), tensor.handle(), decay));
      return;
    }
    if (!BROCH_HAS(broch_host_summary, table, moving_in))
      throw Error(BROCH_E_UNIMPLEMENTED, "this host has moving averages in one collection only");
    host_.check(table->moving_in(host_.c(), handle_, name.c_str(), tensor.handle(), decay,
                                 collection.c_str()));
  }

  struct Trainable {
    std::string name;
    broch_variable handle;
    uint32_t rank;
  };
  // The trainable variables that this call has asked for so far.
  std::vector<Trainable> trainables() const {
    uint32_t count = 0;
    host_.check(variables_->list(host_.c(), handle_, BROCH_VARIABLE_TRAINABLE, nullptr, 0, &count));
    std::vector<broch_variable> handles(count);
    host_.check(variables_->list(host_.c(), handle_, BROCH_VARIABLE_TRAINABLE, handles.data(),
                                 count, &count));
    std::vector<Trainable> list;
    for (broch_variable handle : handles) {
      broch_variable_info info{};
      info.struct_size = sizeof info;
      host_.check(variables_->info(host_.c(), handle, &info));
      list.push_back({info.name, handle, info.rank});
    }
    return list;
  }
  // The size of a dimension; -1 is the last one. Throws Error if there is no such dimension. This
  // does not read values, so it does not prevent the tower from being recorded.
  int64_t size(const Tensor& tensor, int64_t dim) const {
    const std::vector<int64_t> all = shape(tensor);
    const int64_t rank = int64_t(all.size());
    if (dim < -rank || dim >= rank)
      throw Error(BROCH_E_INVALID_ARGUMENT, "size of dimension " + std::to_string(dim) + " of " +
                                                type_text(tensor) + ", which has " +
                                                std::to_string(rank) + " dimensions");
    return all[size_t(dim < 0 ? dim + rank : dim)];
  }
  broch_dtype dtype(const Tensor& tensor) const {
    return TensorData(host_).info(tensor.handle()).dtype;
  }
  std::vector<int64_t> shape(const Tensor& tensor) const {
    const broch_tensor_info info = TensorData(host_).info(tensor.handle());
    return {info.shape, info.shape + info.rank};
  }
  // For messages: "float32 (32, 64)".
  std::string type_text(const Tensor& tensor) const {
    return dtype_name(dtype(tensor)) + " " + shape_text(shape(tensor));
  }

 private:
  struct Remap {
    Map map;
    bool untrained;
  };

  Variable remapped(const std::string& name, Variable variable) const {
    for (size_t i = remaps_.size(); i-- > 0;) variable.value = remaps_[i].map(name, variable.value);
    return variable;
  }
  Variable made(const std::string& name, const std::vector<int64_t>& shape,
                broch_dtype dtype) const {
    const auto found = made_.find(name);
    if (found == made_.end())
      throw Error(BROCH_E_NOT_FOUND, "variable '" + name +
                                         "' is not there, and its scope is one that is used again: "
                                         "make it where the scope is opened first");
    broch_variable_info info{};
    info.struct_size = sizeof info;
    host_.check(variables_->info(host_.c(), found->second, &info));
    if (info.dtype != dtype ||
        !std::equal(shape.begin(), shape.end(), info.shape, info.shape + info.rank))
      throw Error(
          BROCH_E_INVALID_ARGUMENT,
          "variable '" + name + "' has another shape or dtype where its scope is used again");
    return {found->second, read(found->second)};
  }

  Host host_;
  Ops& ops_;
  broch_tower handle_;
  const broch_host_tower* tower_;
  const broch_host_variables* variables_;
  broch_tower_info info_{};
  mutable Scope::Open open_;
  mutable std::vector<Remap> remaps_;
  mutable std::map<std::string, int> times_again_;      // by prefix of the published names
  mutable std::map<std::string, broch_variable> made_;  // by full name, in this call
};

}  // namespace v0
}  // namespace broch
