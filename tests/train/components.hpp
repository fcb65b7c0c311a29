// components.hpp: plugins made of functions of a test, behind the C tables a real one would have.
#pragma once
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "broch/broch.h"
#include "json_node.hpp"

namespace broch::test {

struct Component {
  virtual ~Component() = default;
  virtual const void* interface(const char* id) = 0;
  const broch_host* host = nullptr;
};

inline Component* being_created = nullptr;

inline const broch_component_vtable kVtable = {
    sizeof(broch_component_vtable), 0,
    [](const broch_host* host, const char*, void** self) {
      being_created->host = host;
      *self = being_created;
      return broch_status{BROCH_OK};
    },
    [](void* self, const char* id) -> const void* {
      return static_cast<Component*>(self)->interface(id);
    },
    [](void*) {}};

template <class Table>
const Table* extension(const broch_host* host, const char* id) {
  return static_cast<const Table*>(host->get_extension(host, id));
}
inline const broch_host_progress* run_ext(const broch_host* host) {
  return extension<broch_host_progress>(host, BROCH_EXT_PROGRESS);
}

struct Callback : Component {
  using Event = std::function<broch_status()>;
  Event setup_graph, before_train, after_train, before_epoch, after_epoch, trigger_step,
      trigger_epoch, trigger;
  std::function<broch_status(broch_run, uint64_t*)> before_run;
  std::function<broch_status(broch_run)> after_run;

  template <Event Callback::*member>
  static broch_status call(void* self) {
    return (static_cast<Callback*>(self)->*member)();
  }
  template <Event Callback::*member>
  auto entry() -> broch_status (*)(void*) {
    return this->*member ? call<member> : nullptr;
  }
  broch_callback table{};
  const void* interface(const char* id) override {
    if (std::strcmp(id, BROCH_ROLE_CALLBACK) != 0) return nullptr;
    table.struct_size = sizeof table;
    table.setup_graph = entry<&Callback::setup_graph>();
    table.before_train = entry<&Callback::before_train>();
    table.after_train = entry<&Callback::after_train>();
    table.before_epoch = entry<&Callback::before_epoch>();
    table.after_epoch = entry<&Callback::after_epoch>();
    table.trigger_step = entry<&Callback::trigger_step>();
    table.trigger_epoch = entry<&Callback::trigger_epoch>();
    table.trigger = entry<&Callback::trigger>();
    if (before_run)
      table.before_run = [](void* self, broch_run run, uint64_t* mask) {
        return static_cast<Callback*>(self)->before_run(run, mask);
      };
    if (after_run)
      table.after_run = [](void* self, broch_run run) {
        return static_cast<Callback*>(self)->after_run(run);
      };
    return &table;
  }
};

// One input "x", a float32 scalar; the cost is x, published as "cost". With rows, x has any number
// of them, and the cost is the weight.
struct Model : Component {
  bool rows = false;
  std::function<void(broch_tower, broch_tensor x)> body;  // besides
  std::string optimizer = R"({"use": "sgd", "with": {"learning_rate": 0.1}})";

  const broch_host_tower* towers() { return extension<broch_host_tower>(host, BROCH_EXT_TOWER); }
  const broch_host_variables* variables() {
    return extension<broch_host_variables>(host, BROCH_EXT_VARIABLES);
  }
  broch_variable variable(broch_tower tower, const char* name, double initial, uint32_t flags,
                          broch_tensor* value) {
    broch_variable_spec spec{};
    spec.struct_size = sizeof spec;
    spec.dtype = BROCH_FLOAT32;
    spec.flags = flags;
    spec.initializer = BROCH_INIT_CONSTANT;
    spec.a = initial;
    broch_variable made = 0;
    if (variables()->get(host, tower, name, &spec, &made, value) != BROCH_OK) return 0;
    return made;
  }

  broch_model table{};
  const void* interface(const char* id) override {
    if (std::strcmp(id, BROCH_ROLE_MODEL) != 0) return nullptr;
    table.struct_size = sizeof table;
    table.inputs = [](void* self, const broch_signature* signature) {
      const int64_t any = -1;
      const uint32_t rank = static_cast<Model*>(self)->rows ? 1 : 0;
      const broch_input_spec x = {"x", &any, nullptr, rank, BROCH_FLOAT32, 0, 0};
      return signature->add(signature->context, &x);
    };
    table.tower = [](void* self, broch_tower tower, const broch_tensor* inputs, uint32_t,
                     broch_tensor* cost) -> broch_status {
      auto* model = static_cast<Model*>(self);
      broch_tensor w = 0;
      if (!model->variable(tower, "w", 1, BROCH_VARIABLE_TRAINABLE, &w)) return BROCH_E_INTERNAL;
      if (model->body) model->body(tower, inputs[0]);
      broch_tensor published = 0;
      const broch_status status =
          model->towers()->publish(model->host, tower, "cost", inputs[0], &published);
      if (model->rows) return model->towers()->publish(model->host, tower, "weight", w, cost);
      *cost = published;
      return status;
    };
    table.optimizer = [](void* self, const broch_writer* entry) {
      const std::string& text = static_cast<Model*>(self)->optimizer;
      return entry->write(entry->context, text.data(), text.size());
    };
    return &table;
  }
};

// Yields 1, 2, 3, … as "x", with the number as cursor; ends after `points`.
struct Input : Component {
  bool rows = false;  // a row of one number
  int64_t points = 1 << 30;
  int64_t next_value = 1;
  int64_t resets = 0;
  bool cursors = true;
  std::optional<int64_t> size;  // what it says of a round
  uint32_t flags = 0;
  std::vector<std::string> resumed;
  std::function<broch_status(int64_t number, const broch_cancel*)> before_next;

  broch_status next(const broch_cancel* cancel, broch_point point) {
    if (before_next)
      if (const broch_status status = before_next(next_value, cancel)) return status;
    if (next_value > points) return BROCH_END;
    const auto* data = extension<broch_host_data_point>(host, BROCH_EXT_DATA_POINT);
    auto number = static_cast<float>(next_value);
    int64_t one = 1;
    const broch_dl_tensor view = {
        &number, {BROCH_DL_CPU, 0}, rows ? 1 : 0, {BROCH_DL_FLOAT, 32, 1}, &one, nullptr, 0};
    if (const broch_status status = data->add_copy(host, point, nullptr, &view)) return status;
    const std::string cursor = std::to_string(next_value++);
    return cursors ? data->set_cursor(host, point, cursor.data(), cursor.size()) : BROCH_OK;
  }

  broch_input_source table{};
  const void* interface(const char* id) override {
    if (std::strcmp(id, BROCH_ROLE_INPUT_SOURCE) != 0) return nullptr;
    table.struct_size = sizeof table;
    table.flags = flags;
    table.setup = [](void*, const broch_input_spec*, uint32_t) { return broch_status{BROCH_OK}; };
    table.reset_state = [](void* self) {
      auto* input = static_cast<Input*>(self);
      input->next_value = 1;
      ++input->resets;
      return broch_status{BROCH_OK};
    };
    table.resume = [](void* self, const broch_bytes* cursors, uint32_t n) {
      auto* input = static_cast<Input*>(self);
      for (uint32_t i = 0; i < n; ++i)
        input->resumed.emplace_back(static_cast<const char*>(cursors[i].data), cursors[i].size);
      const std::string& newest = input->resumed.back();
      input->next_value = newest.empty() ? 1 : std::stoll(newest) + 1;
      return broch_status{BROCH_OK};
    };
    table.next = [](void* self, uint32_t, const broch_cancel* cancel, broch_point point) {
      return static_cast<Input*>(self)->next(cancel, point);
    };
    table.size = [](void* self, int64_t* size) {
      const auto* input = static_cast<Input*>(self);
      *size = input->size.value_or(0);
      return broch_status(input->size ? BROCH_OK : BROCH_NONE);
    };
    return &table;
  }
};

// One plan over one tower that applies the default optimizer, unless setup says otherwise.
struct Trainer : Component {
  std::function<broch_status()> setup;
  std::function<broch_status()> step;
  broch_plan plan = 0;

  const broch_host_plan* plans() { return extension<broch_host_plan>(host, BROCH_EXT_PLAN); }
  broch_node add(const char* kind, std::vector<broch_node> inputs, const char* options = nullptr) {
    broch_node node = 0;
    const support::JsonNode json(kind, options ? options : "");
    status = plans()->add(host, plan, kind, inputs.data(), static_cast<uint32_t>(inputs.size()),
                          json.options(), &node);
    return node;
  }
  broch_status status = BROCH_OK;  // of the last add
  broch_status default_setup() {
    plans()->create(host, "main", &plan);
    const broch_node input = add("broch.plan.input/1", {});
    const broch_node tower = add("broch.plan.tower/1", {input});
    const broch_node gradients = add("broch.plan.gradients/1", {tower});
    add("broch.plan.apply/1", {gradients});
    return plans()->seal(host, plan);
  }
  broch_status run() { return plans()->run(host, plan, 1, nullptr); }

  broch_trainer table{};
  const void* interface(const char* id) override {
    if (std::strcmp(id, BROCH_ROLE_TRAINER) != 0) return nullptr;
    table.struct_size = sizeof table;
    table.setup_graph = [](void* self) {
      auto* trainer = static_cast<Trainer*>(self);
      return trainer->setup ? trainer->setup() : trainer->default_setup();
    };
    if (step) table.run_step = [](void* self) { return static_cast<Trainer*>(self)->step(); };
    return &table;
  }
};

struct Monitor : Component {
  std::string name;
  std::vector<std::string>* heard = nullptr;

  broch_monitor table{};
  const void* interface(const char* id) override {
    if (std::strcmp(id, BROCH_ROLE_MONITOR) != 0) return nullptr;
    table.struct_size = sizeof table;
    table.process_scalar = [](void* self, const char* tag, double) {
      auto* monitor = static_cast<Monitor*>(self);
      monitor->heard->push_back(monitor->name + ".scalar(" + tag + ")");
      return broch_status{BROCH_OK};
    };
    table.process_summary = [](void* self, const broch_summary_value* values, uint32_t n) {
      auto* monitor = static_cast<Monitor*>(self);
      std::string tags;
      for (uint32_t i = 0; i < n; ++i) tags += (i ? "," : "") + std::string(values[i].tag);
      monitor->heard->push_back(monitor->name + ".summary(" + tags + ")");
      return broch_status{BROCH_OK};
    };
    table.process_image = [](void* self, const char* tag, const broch_dl_tensor* image) {
      auto* monitor = static_cast<Monitor*>(self);
      std::string shape;
      for (int32_t i = 0; i < image->ndim; ++i)
        shape += (i ? "," : "") + std::to_string(image->shape[i]);
      monitor->heard->push_back(monitor->name + ".image(" + tag + " " + shape + ")");
      return broch_status{BROCH_OK};
    };
    return &table;
  }
};

}  // namespace broch::test
