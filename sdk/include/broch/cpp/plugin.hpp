// plugin.hpp: makes a component of a class: tables, create, get_interface, destroy, metadata.
//
//   class StopOnPlateau final : public broch::Callback {
//    public:
//     StopOnPlateau(const broch::Host& host, const Options& options);
//     …
//   };
//   BROCH_CALLBACK(StopOnPlateau, "org.example.stop-on-plateau", "1.0.0",
//                  "Ends training when a number stops getting smaller.", Options::schema)
//
// options.hpp shows Options, and metadata.hpp what else may stand after the summary and how to put
// several components into one library. The constructor may also take one of its arguments alone;
// broch::read<Options>(host) and Config read options at any time.
//
// A class may derive from several roles, and from Stateful, Adjustable and Service; the component
// then provides all of them.
//
// Metadata can also be a text that is written by hand:
//
//   static const broch_component components[] = {
//       broch::component<A>("org.example.a", "callback"), …};
//   BROCH_PLUGIN(components, "{\"components\": [" BROCH_META(…) ", " BROCH_META(…) "]}")
#pragma once
#include <algorithm>
#include <type_traits>

#include "../entry.h"
#include "data_tables.hpp"
#include "metadata.hpp"
#include "roles.hpp"
#include "table.hpp"

namespace broch {
inline namespace v0 {

namespace glue {

template <class T>
const broch_callback* callback_table() {
  static const broch_callback table = [] {
    broch_callback t{};
    t.struct_size = sizeof t;
#define BROCH_HOOK(method)                  \
  if (BROCH_OVERRIDES(T, Callback, method)) \
    t.method = [](void* self) { return run<T>(self, [](T& object) { object.method(); }); };
    // If T is a trainer as well, setup_graph is called once, through the table of the trainer.
    if constexpr (!std::is_base_of_v<Trainer, T>) {
      BROCH_HOOK(setup_graph)
    }
    BROCH_HOOK(before_train)
    BROCH_HOOK(after_train)
    BROCH_HOOK(before_epoch)
    BROCH_HOOK(after_epoch)
    BROCH_HOOK(trigger_step)
    BROCH_HOOK(trigger_epoch)
    BROCH_HOOK(trigger)
#undef BROCH_HOOK
    if (BROCH_OVERRIDES(T, Callback, before_run))
      t.before_run = [](void* self, broch_run handle, uint64_t* fetches) {
        return run<T>(self, [&](T& object) { *fetches = object.before_run(handle, *fetches); });
      };
    if (BROCH_OVERRIDES(T, Callback, after_run))
      t.after_run = [](void* self, broch_run handle) {
        return run<T>(self, [&](T& object) { object.after_run(handle); });
      };
    return t;
  }();
  return &table;
}

template <class T>
const broch_monitor* monitor_table() {
  static const broch_monitor table = [] {
    broch_monitor t{};
    t.struct_size = sizeof t;
    if (BROCH_OVERRIDES(T, Monitor, process_scalar))
      t.process_scalar = [](void* self, const char* name, double value) {
        return run<T>(self, [&](T& object) { object.process_scalar(name, value); });
      };
    if (BROCH_OVERRIDES(T, Monitor, process_summary))
      t.process_summary = [](void* self, const broch_summary_value* values, uint32_t n) {
        return run<T>(self, [&](T& object) { object.process_summary(values, n); });
      };
    if (BROCH_OVERRIDES(T, Monitor, process_image))
      t.process_image = [](void* self, const char* name, const broch_dl_tensor* image) {
        return run<T>(self, [&](T& object) { object.process_image(name, *image); });
      };
    if (BROCH_OVERRIDES(T, Monitor, process_event))
      t.process_event = [](void* self, const char* kind, const void* data, uint64_t size) {
        return run<T>(self, [&](T& object) {
          object.process_event(kind, std::string(static_cast<const char*>(data), size));
        });
      };
    t.queued = T::kQueued;
    return t;
  }();
  return &table;
}

inline broch_status add_input(const broch_signature* signature, const Input& input) {
  if (input.dims.size() > input.shape.size())
    throw Error(BROCH_E_INVALID_ARGUMENT,
                "input '" + input.name + "' has " + std::to_string(input.dims.size()) +
                    " names of dimensions, expected at most " + std::to_string(input.shape.size()) +
                    ", as many as it has sizes");
  std::vector<const char*> dims;
  for (const std::string& dim : input.dims) dims.push_back(dim.empty() ? nullptr : dim.c_str());
  if (!dims.empty()) dims.resize(input.shape.size());
  broch_input_spec spec{};
  spec.name = input.name.c_str();
  spec.shape = input.shape.data();
  spec.dims = dims.empty() ? nullptr : dims.data();
  spec.rank = uint32_t(input.shape.size());
  spec.dtype = input.dtype;
  return signature->add(signature->context, &spec);
}

template <class T>
const broch_model* model_table() {
  static const broch_model table = [] {
    broch_model t{};
    t.struct_size = sizeof t;
    t.inputs = [](void* self, const broch_signature* signature) {
      return run<T>(self, [&](T& object) -> broch_status {
        for (const Input& input : object.inputs())
          if (const broch_status status = add_input(signature, input); status < 0) return status;
        return BROCH_OK;
      });
    };
    t.tower = [](void* self, broch_tower handle, const broch_tensor* inputs, uint32_t n,
                 broch_tensor* cost) {
      return run<T>(self, [&](T& object) {
        std::vector<Tensor> tensors;
        for (uint32_t i = 0; i < n; ++i) tensors.emplace_back(&object.ops(), inputs[i]);
        Tower tower(object.host(), object.ops(), handle);
        *cost = object.tower(tower, tensors).handle();
      });
    };
    if (BROCH_OVERRIDES(T, Model, example))
      t.example = [](void* self, broch_point point) {
        return run<T>(self, [&](T& object) {
          const Host& host = object.host();
          PointWriter writer(host, host.find<broch_host_data_point>(BROCH_EXT_DATA_POINT), point);
          object.example(writer);
        });
      };
    if (BROCH_OVERRIDES(T, Model, optimizer))
      t.optimizer = [](void* self, const broch_writer* entry) {
        return run<T>(self, [&](T& object) {
          const std::string text = object.optimizer();
          return entry->write(entry->context, text.data(), text.size());
        });
      };
    return t;
  }();
  return &table;
}

template <class T>
const broch_trainer* trainer_table() {
  static const broch_trainer table = [] {
    broch_trainer t{};
    t.struct_size = sizeof t;
    t.setup_graph = [](void* self) {
      return run<T>(self, [](T& object) { object.setup_graph(); });
    };
    if constexpr (std::is_base_of_v<SteppingTrainer, T>)
      t.run_step = [](void* self) {
        return run<T>(self, [](T& object) { return object.run_step(); });
      };
    return t;
  }();
  return &table;
}

template <class T>
const broch_inferencer* inferencer_table() {
  static const broch_inferencer table = [] {
    broch_inferencer t{};
    t.struct_size = sizeof t;
    t.fetches = [](void* self, const broch_names* names) {
      return run<T>(self, [&](T& object) -> broch_status {
        for (const std::string& name : object.fetches())
          if (const broch_status status = names->add(names->context, name.c_str()); status < 0)
            return status;
        return BROCH_OK;
      });
    };
    if (BROCH_OVERRIDES(T, Inferencer, before_inference))
      t.before_inference = [](void* self) {
        return run<T>(self, [](T& object) { object.before_inference(); });
      };
    t.on_fetches = [](void* self, const broch_tensor* values, uint32_t n) {
      return run<T>(self, [&](T& object) { object.on_fetches(values, n); });
    };
    t.after_inference = [](void* self, const broch_scalars* scalars) {
      return run<T>(self, [&](T& object) -> broch_status {
        for (const auto& [name, value] : object.after_inference())
          if (const broch_status status = scalars->add(scalars->context, name.c_str(), value);
              status < 0)
            return status;
        return BROCH_OK;
      });
    };
    return t;
  }();
  return &table;
}

template <class T>
const broch_session_init* session_init_table() {
  static const broch_session_init table = [] {
    broch_session_init t{};
    t.struct_size = sizeof t;
    t.init = [](void* self) { return run<T>(self, [](T& object) { object.init(); }); };
    return t;
  }();
  return &table;
}

template <class T>
const broch_function* function_table() {
  static const broch_function table = [] {
    broch_function t{};
    t.struct_size = sizeof t;
    t.call = [](void* self, const broch_function_args* args, double* result) {
      return run<T>(self, [&](T& object) -> broch_status {
        const std::optional<double> value = object.call(*args);
        if (value) *result = *value;
        return value ? BROCH_OK : BROCH_NONE;
      });
    };
    return t;
  }();
  return &table;
}

inline std::string name_of(const Host& host, broch_variable variable) {
  broch_variable_info info{};
  info.struct_size = sizeof info;
  host.check(
      host.require<broch_host_variables>(BROCH_EXT_VARIABLES)->info(host.c(), variable, &info));
  return info.name;
}

template <class T>
const broch_gradient_processor* gradient_processor_table() {
  static const broch_gradient_processor table = [] {
    broch_gradient_processor t{};
    t.struct_size = sizeof t;
    t.keep = [](void* self, const broch_variable* variables, uint32_t n, int32_t* keep) {
      return run<T>(self, [&](T& object) {
        for (uint32_t i = 0; i < n; ++i)
          keep[i] = object.keeps(name_of(object.host(), variables[i]));
      });
    };
    if (BROCH_OVERRIDES(T, GradientProcessor, process))
      t.process = [](void* self, broch_tower scope, const broch_variable* variables,
                     const broch_tensor* given, uint32_t n, broch_tensor* results) {
        return run<T>(self, [&](T& object) {
          std::vector<Gradient> gradients;
          for (uint32_t i = 0; i < n; ++i)
            gradients.push_back({name_of(object.host(), variables[i]), variables[i],
                                 Tensor(&object.ops(), given[i])});
          Tower tower(object.host(), object.ops(), scope);
          object.process(tower, gradients);
          if (gradients.size() != n)
            throw Error(BROCH_E_INVALID_ARGUMENT,
                        "process left " + std::to_string(gradients.size()) + " of " +
                            std::to_string(n) + " gradients: drop some in keeps");
          for (uint32_t i = 0; i < n; ++i) results[i] = gradients[i].gradient.handle();
        });
      };
    return t;
  }();
  return &table;
}

inline std::vector<Parameter> parameters_of(const Host& host, Ops& ops, const broch_update& update,
                                            size_t slots) {
  std::vector<Parameter> parameters;
  for (uint32_t i = 0; i < update.n; ++i) {
    parameters.push_back({name_of(host, update.variables[i]),
                          update.variables[i],
                          Tensor(&ops, update.gradients[i]),
                          Tensor(&ops, update.values[i]),
                          {}});
    for (size_t k = 0; k < slots; ++k)
      parameters.back().slots.emplace_back(&ops, update.slots[k * update.n + i]);
  }
  return parameters;
}

template <class T>
const broch_optimizer* optimizer_table() {
  static const broch_optimizer table = [] {
    broch_optimizer t{};
    t.struct_size = sizeof t;
    if (BROCH_OVERRIDES(T, Optimizer, spec))
      t.spec = [](void* self, const broch_optimizer_spec* spec) {
        return run<T>(self, [&](T& object) -> broch_status {
          const Optimizer::Spec& wanted = object.fixed_spec();
          broch_status status = BROCH_OK;
          for (const auto& [name, initial] : wanted.hyper_params)
            if (status >= 0) status = spec->hyper_param(spec->context, name.c_str(), initial);
          for (const auto& [name, initial] : wanted.slots)
            if (status >= 0) status = spec->slot(spec->context, name.c_str(), initial);
          return status;
        });
      };
    if (BROCH_OVERRIDES(T, Optimizer, slot_shape))
      t.slot_shape = [](void* self, uint32_t slot, int64_t* shape, uint32_t* rank) {
        return run<T>(self, [&](T& object) {
          const std::vector<int64_t> wanted = object.slot_shape(slot, {shape, shape + *rank});
          if (wanted.size() > BROCH_RANK_MAX)
            throw Error(BROCH_E_INVALID_ARGUMENT, "slot_shape returned too many dimensions");
          *rank = static_cast<uint32_t>(wanted.size());
          std::copy(wanted.begin(), wanted.end(), shape);
        });
      };
    t.update = [](void* self, const broch_update* update) {
      return run<T>(self, [&](T& object) {
        const Optimizer::Spec& spec = object.fixed_spec();
        const size_t slots = spec.slots.size();
        Ops& ops = object.ops();
        std::vector<Parameter> parameters = parameters_of(object.host(), ops, *update, slots);
        std::vector<Tensor> hyper_params;
        for (size_t i = 0; i < spec.hyper_params.size(); ++i)
          hyper_params.emplace_back(&ops, update->hyper_params[i]);
        Tower scope(object.host(), ops, update->scope);
        object.update(scope, parameters, hyper_params, Tensor(&ops, update->number));
        for (const Parameter& one : parameters)
          if (parameters.size() != update->n || one.slots.size() != slots)
            throw Error(BROCH_E_INVALID_ARGUMENT, "update changed the length of a list");
        for (uint32_t i = 0; i < update->n; ++i) {
          update->new_values[i] = parameters.at(i).value.handle();
          for (size_t k = 0; k < slots; ++k)
            update->new_slots[k * update->n + i] = parameters.at(i).slots.at(k).handle();
        }
      });
    };
    return t;
  }();
  return &table;
}

template <class T>
const broch_plugin_state* state_table() {
  static const broch_plugin_state table = [] {
    broch_plugin_state t{};
    t.struct_size = sizeof t;
    t.version = T::kStateVersion;
    t.save = [](void* self, const broch_writer* writer) {
      return run<T>(self, [&](T& object) {
        const std::string bytes = object.save_state();
        return writer->write(writer->context, bytes.data(), bytes.size());
      });
    };
    t.load = [](void* self, uint32_t version, const void* bytes, uint64_t size) {
      return run<T>(self, [&](T& object) {
        object.load_state(version, std::string(static_cast<const char*>(bytes), size));
      });
    };
    return t;
  }();
  return &table;
}

template <class T>
const broch_plugin_options* options_table() {
  static constexpr broch_plugin_options table = {
      sizeof(broch_plugin_options), 0, [](void* self, const char* pointer) {
        return run<T>(self, [&](T& object) { object.options_changed(pointer); });
      }};
  return &table;
}

template <class T>
const broch_plugin_service* service_table() {
  static constexpr broch_plugin_service table = {
      sizeof(broch_plugin_service), 0,
      [](void* self) { return run<T>(self, [](T& object) { object.start_service(); }); },
      [](void* self) { return run<T>(self, [](T& object) { object.stop_service(); }); }};
  return &table;
}

template <class T>
const void* get_interface([[maybe_unused]] void* self, const char* id) {
  const std::string wanted = id;
  if constexpr (std::is_base_of_v<Callback, T>)
    if (wanted == BROCH_ROLE_CALLBACK) return callback_table<T>();
  if constexpr (std::is_base_of_v<Monitor, T>)
    if (wanted == BROCH_ROLE_MONITOR) return monitor_table<T>();
  if constexpr (std::is_base_of_v<Model, T>)
    if (wanted == BROCH_ROLE_MODEL) return model_table<T>();
  if constexpr (std::is_base_of_v<DataFlow, T>)
    if (wanted == BROCH_ROLE_DATAFLOW) return dataflow_table<T>();
  if constexpr (std::is_base_of_v<Indexed, T>)
    if (wanted == BROCH_ROLE_INDEXED) return indexed_table_of<T>(self);
  if constexpr (std::is_base_of_v<Transform, T>)
    if (wanted == BROCH_ROLE_TRANSFORM) return transform_table<T>();
  if constexpr (std::is_base_of_v<Sink, T>)
    if (wanted == BROCH_ROLE_SINK) return sink_table<T>();
  if constexpr (std::is_base_of_v<InputSource, T>)
    if (wanted == BROCH_ROLE_INPUT_SOURCE) return input_source_table<T>();
  if constexpr (std::is_base_of_v<Trainer, T>)
    if (wanted == BROCH_ROLE_TRAINER) return trainer_table<T>();
  if constexpr (std::is_base_of_v<Inferencer, T>)
    if (wanted == BROCH_ROLE_INFERENCER) return inferencer_table<T>();
  if constexpr (std::is_base_of_v<SessionInit, T>)
    if (wanted == BROCH_ROLE_SESSION_INIT) return session_init_table<T>();
  if constexpr (std::is_base_of_v<Function, T>)
    if (wanted == BROCH_ROLE_FUNCTION) return function_table<T>();
  if constexpr (std::is_base_of_v<GradientProcessor, T>)
    if (wanted == BROCH_ROLE_GRADIENT_PROCESSOR) return gradient_processor_table<T>();
  if constexpr (std::is_base_of_v<Optimizer, T>)
    if (wanted == BROCH_ROLE_OPTIMIZER) return optimizer_table<T>();
  if constexpr (std::is_base_of_v<Stateful, T>)
    if (wanted == BROCH_PLUGIN_STATE) return state_table<T>();
  if constexpr (std::is_base_of_v<Adjustable, T>)
    if (wanted == BROCH_PLUGIN_OPTIONS) return options_table<T>();
  if constexpr (std::is_base_of_v<Service, T>)
    if (wanted == BROCH_PLUGIN_SERVICE) return service_table<T>();
  return nullptr;
}

// Options: the struct that the schema was made of, or NoOptions.
template <class T, class Options>
T make(const Host& host) {
  if constexpr (std::is_constructible_v<T, const Host&, const Options&>) {
    return T(host, read<Options>(host));
  } else if constexpr (std::is_constructible_v<T, const Options&>) {
    return T(read<Options>(host));
  } else if constexpr (std::is_constructible_v<T, const Host&>) {
    return T(host);
  } else {
    static_assert(std::is_default_constructible_v<T>,
                  "the class needs a constructor without arguments or with (const broch::Host&), "
                  "or one with const Options& and Options::schema in its description");
    return T();
  }
}

template <class T, class Options>
broch_status create(const broch_host* host, const char*, void** self) {
  return at_border(host, [&]() -> broch_status {
    *self = new Self<T>(host, &make<T, Options>);
    return BROCH_OK;
  });
}

template <class T>
void destroy(void* self) {
  delete static_cast<Self<T>*>(self);
}

template <class T, class Options>
inline constexpr broch_component_vtable kVtable = {
    sizeof(broch_component_vtable), 0, &create<T, Options>, &get_interface<T>, &destroy<T>};

template <size_t N>
struct Components {
  broch_component list[N];
};

template <class... D>
constexpr Components<sizeof...(D)> components_of(const D&... described) {
  return {{{described.id, described.role, &kVtable<typename D::Class, typename D::Options>}...}};
}

}  // namespace glue

template <class T>
constexpr broch_component component(const char* id, const char* role) {
  return {id, role, &glue::kVtable<T, glue::NoOptions>};
}

}  // namespace v0
}  // namespace broch

// What follows the components in the metadata; torch.hpp defines it as the tag of its LibTorch.
#define BROCH_META_TORCH ""

// The components of a library, each made by broch::component (metadata.hpp). Use it once.
#define BROCH_COMPONENTS(...)                                                             \
  namespace {                                                                             \
  struct BrochPlugin {                                                                    \
    static constexpr const char* kMore = BROCH_META_TORCH;                                \
    template <class Visitor>                                                              \
    static constexpr auto describe(Visitor&& visitor) {                                   \
      return visitor(__VA_ARGS__);                                                        \
    }                                                                                     \
  };                                                                                      \
  constexpr auto broch_components = BrochPlugin::describe(                                \
      [](const auto&... described) { return broch::glue::components_of(described...); }); \
  }                                                                                       \
  BROCH_META_ATTRIBUTE static constexpr auto broch_meta_text =                            \
      broch::glue::constant_text<broch::glue::Metadata<BrochPlugin>>();                   \
  BROCH_ENTRY(broch_components.list, broch_meta_text.chars)

// One component. What follows the class: id, version, summary, and what metadata.hpp describes.
#define BROCH_COMPONENT(Class, id, role, ...) \
  BROCH_COMPONENTS(broch::component<Class>(id, role, __VA_ARGS__))
#define BROCH_CALLBACK(Class, id, ...) BROCH_COMPONENT(Class, id, "callback", __VA_ARGS__)
#define BROCH_MODEL(Class, id, ...) BROCH_COMPONENT(Class, id, "model", __VA_ARGS__)
#define BROCH_DATAFLOW(Class, id, ...) BROCH_COMPONENT(Class, id, "dataflow", __VA_ARGS__)
#define BROCH_TRANSFORM(Class, id, ...) BROCH_COMPONENT(Class, id, "transform", __VA_ARGS__)
#define BROCH_SINK(Class, id, ...) BROCH_COMPONENT(Class, id, "sink", __VA_ARGS__)
#define BROCH_INPUT_SOURCE(Class, id, ...) BROCH_COMPONENT(Class, id, "input_source", __VA_ARGS__)
#define BROCH_TRAINER(Class, id, ...) BROCH_COMPONENT(Class, id, "trainer", __VA_ARGS__)
#define BROCH_MONITOR(Class, id, ...) BROCH_COMPONENT(Class, id, "monitor", __VA_ARGS__)
#define BROCH_INFERENCER(Class, id, ...) BROCH_COMPONENT(Class, id, "inferencer", __VA_ARGS__)
#define BROCH_SESSION_INIT(Class, id, ...) BROCH_COMPONENT(Class, id, "session_init", __VA_ARGS__)
#define BROCH_FUNCTION(Class, id, ...) BROCH_COMPONENT(Class, id, "function", __VA_ARGS__)
#define BROCH_GRADIENT_PROCESSOR(Class, id, ...) \
  BROCH_COMPONENT(Class, id, "gradient_processor", __VA_ARGS__)
#define BROCH_OPTIMIZER(Class, id, ...) BROCH_COMPONENT(Class, id, "optimizer", __VA_ARGS__)

// The metadata of one component as a string literal, for metadata that is written by hand.
#define BROCH_META(id, role, version, summary, options)                  \
  "{\"id\": \"" id "\", \"role\": \"" role "\", \"version\": \"" version \
  "\", \"summary\": \"" summary "\", \"options\": " options "}"
