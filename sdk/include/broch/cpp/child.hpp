// child.hpp: components inside components, driven through the host.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "../role/input_source.h"
#include "data.hpp"
#include "host.hpp"

namespace broch {
inline namespace v0 {

// A child in one role: its table and the self that goes into it.
template <class Table>
struct Child {
  void* self = nullptr;
  const Table* table = nullptr;
  explicit operator bool() const { return table != nullptr; }
};

// Throws when the option is absent or the child does not play the role.
template <class Table>
Child<Table> child(const Host& host, const std::string& pointer, const char* interface_id) {
  const auto* instances = host.require<broch_instance>(BROCH_EXT_INSTANCE);
  Child<Table> child;
  const void* table = nullptr;
  host.check(instances->child(host.c(), pointer.c_str(), interface_id, &child.self, &table));
  child.table = static_cast<const Table*>(table);
  return child;
}

// A child dataflow with exceptions.
class ChildDataFlow {
 public:
  ChildDataFlow(const Host& host, const std::string& pointer)
      : host_(host), child_(child<broch_dataflow>(host, pointer, BROCH_ROLE_DATAFLOW)) {}
  void reset_state() const {
    if (child_.table->reset_state) host_.check(child_.table->reset_state(child_.self));
  }
  void open(const std::string& cursor) const {
    host_.check(
        child_.table->open(child_.self, cursor.empty() ? nullptr : cursor.data(), cursor.size()));
  }
  // False at the end; throws Cancelled.
  bool next(const broch_cancel* cancel, broch_point point) const {
    const broch_status status = host_.check(child_.table->next(child_.self, cancel, point));
    if (status == BROCH_CANCELLED) throw Cancelled();
    return status == BROCH_OK;
  }
  std::optional<int64_t> size() const {
    int64_t size = 0;
    if (!child_.table->size || host_.check(child_.table->size(child_.self, &size)) == BROCH_NONE)
      return std::nullopt;
    return size;
  }

 private:
  Host host_;
  Child<broch_dataflow> child_;
};

// A child input source with exceptions. What it leaves out is as role/input_source.h says.
class ChildInputSource {
 public:
  ChildInputSource(const Host& host, const std::string& pointer)
      : host_(host), child_(child<broch_input_source>(host, pointer, BROCH_ROLE_INPUT_SOURCE)) {}
  // BROCH_INPUT_…
  uint32_t flags() const { return child_.table->flags; }
  void setup(const broch_input_spec* inputs, uint32_t n) const {
    host_.check(child_.table->setup(child_.self, inputs, n));
  }
  void set_towers(uint32_t n) const {
    if (child_.table->set_towers) host_.check(child_.table->set_towers(child_.self, n));
  }
  void reset_state() const {
    if (child_.table->reset_state) host_.check(child_.table->reset_state(child_.self));
  }
  // Starts over where it cannot continue.
  void resume(const std::vector<std::string>& cursors) const {
    if (!child_.table->resume) return reset_state();
    std::vector<broch_bytes> bytes;
    for (const std::string& cursor : cursors) bytes.push_back({cursor.data(), cursor.size()});
    host_.check(child_.table->resume(child_.self, bytes.data(), uint32_t(bytes.size())));
  }
  // False at the end; throws Cancelled.
  bool next(uint32_t tower, const broch_cancel* cancel, broch_point point) const {
    const broch_status status = host_.check(child_.table->next(child_.self, tower, cancel, point));
    if (status == BROCH_CANCELLED) throw Cancelled();
    return status == BROCH_OK;
  }
  std::optional<int64_t> size() const {
    int64_t size = 0;
    if (!child_.table->size || host_.check(child_.table->size(child_.self, &size)) == BROCH_NONE)
      return std::nullopt;
    return size;
  }
  void stop() const {
    if (child_.table->stop) host_.check(child_.table->stop(child_.self));
  }

 private:
  Host host_;
  Child<broch_input_source> child_;
};

// An option that is a function: an expression or a component, which its user cannot tell.
class ChildFunction {
 public:
  ChildFunction(const Host& host, const std::string& pointer)
      : host_(host), child_(child<broch_function>(host, pointer, BROCH_ROLE_FUNCTION)) {}
  // value: what the result is about to replace. No value: change nothing. Throws StopTraining.
  std::optional<double> call(const broch_progress& now, double value) const {
    broch_function_args args{};
    args.struct_size = sizeof args;
    args.epoch_num = now.epoch_num;
    args.local_step = now.local_step;
    args.global_step = now.global_step;
    args.value = value;
    double result = 0;
    const broch_status status = host_.check(child_.table->call(child_.self, &args, &result));
    if (status == BROCH_STOP) throw StopTraining("a function asked for it");
    if (status == BROCH_NONE) return std::nullopt;
    return result;
  }

 private:
  Host host_;
  Child<broch_function> child_;
};

}  // namespace v0
}  // namespace broch
