// proxy.cpp: the tables through which a parent calls its child: the layout of a role, with the
// guard behind each entry.

#include "abi/roles.hpp"
#include "base/log.hpp"
#include "driven_callback.hpp"

namespace broch::abi {
namespace {

// What `self` of a proxy table points to.
template <class RoleClass, class Table>
struct Proxy {
  RoleClass role;
  Table table{};
};

template <class Body>
broch_status guarded(Body&& body) noexcept {
  try {
    return body();
  } catch (...) {
    return error_from_exception();
  }
}

// An entry that calls a member function with the same arguments.
template <auto Method>
struct ProxyEntry;
template <class RoleClass, class Result, class... Args, Result (RoleClass::*Method)(Args...)>
struct ProxyEntry<Method> {
  static broch_status call(void* self, Args... args) {
    return guarded([&] {
      auto* role = static_cast<RoleClass*>(self);
      if constexpr (std::is_void_v<Result>) {
        (role->*Method)(args...);
        return broch_status{BROCH_OK};
      } else {
        return (role->*Method)(args...);
      }
    });
  }
};
template <auto Method>
constexpr auto entry_of = &ProxyEntry<Method>::call;

// The entry if the child has it, otherwise NULL.
template <class Pointer>
Pointer where(bool there, Pointer entry) {
  return there ? entry : nullptr;
}

// Of a callback, or of one that somebody drives.
template <class RoleClass>
void fill_callback(const RoleClass& role, broch_callback& table) {
  const broch_callback& own = role.table();
  table.setup_graph = where(own.setup_graph, entry_of<&RoleClass::setup_graph>);
  table.before_train = where(own.before_train, entry_of<&RoleClass::before_train>);
  table.after_train = where(own.after_train, entry_of<&RoleClass::after_train>);
  table.before_epoch = where(own.before_epoch, entry_of<&RoleClass::before_epoch>);
  table.after_epoch = where(own.after_epoch, entry_of<&RoleClass::after_epoch>);
  table.before_run = where(own.before_run, entry_of<&RoleClass::before_run>);
  table.after_run = where(own.after_run, entry_of<&RoleClass::after_run>);
  table.trigger_step = where(own.trigger_step, entry_of<&RoleClass::trigger_step>);
  table.trigger_epoch =
      where(own.trigger_epoch || own.trigger, entry_of<&RoleClass::trigger_epoch>);
  table.trigger = where(own.trigger, entry_of<&RoleClass::trigger>);
}

void fill(const Callback& role, broch_callback& table) { fill_callback(role, table); }
void fill(const DrivenCallback& role, broch_callback& table) { fill_callback(role, table); }

template <class RoleClass>
broch_status size_of(void* self, int64_t* size) {
  return guarded([&] {
    return static_cast<RoleClass*>(self)->size(size) ? broch_status{BROCH_OK}
                                                     : broch_status{BROCH_NONE};
  });
}

void fill(const DataFlow& role, broch_dataflow& table) {
  table.reset_state = entry_of<&DataFlow::reset_state>;
  table.open = entry_of<&DataFlow::open>;
  const auto start_cursor = [](void* self, const broch_writer* writer) {
    return guarded([&] {
      const std::optional<std::string> cursor = static_cast<DataFlow*>(self)->start_cursor();
      if (!cursor) return broch_status{BROCH_NONE};
      return writer->write(writer->context, cursor->data(), cursor->size());
    });
  };
  table.start_cursor = where<decltype(table.start_cursor)>(role.has_start_cursor(), start_cursor);
  table.next = entry_of<&DataFlow::next>;
  table.size = size_of<DataFlow>;
}

void fill(const Indexed& role, broch_indexed& table) {
  table.reset_state = where(role.table().reset_state, entry_of<&Indexed::reset_state>);
  table.size = size_of<Indexed>;
  table.read = [](void* self, uint64_t round, uint64_t index, const broch_cancel* cancel,
                  broch_point point) {
    return guarded([&] {
      return static_cast<Indexed*>(self)->read({round, index}, cancel, point);
    });
  };
  const auto locate = [](void* self, const void* cursor, uint64_t size, uint64_t* round,
                         uint64_t* index) {
    return guarded([&] {
      const Position at =
          static_cast<Indexed*>(self)->locate({static_cast<const char*>(cursor), size});
      *round = at.round;
      *index = at.index;
      return broch_status{BROCH_OK};
    });
  };
  table.locate = where<decltype(table.locate)>(role.table().locate, locate);
  const auto describe = [](void* self, uint64_t index, const broch_writer* text) {
    return guarded([&] {
      const std::string words = static_cast<Indexed*>(self)->describe(index);
      return words.empty() ? broch_status{BROCH_NONE}
                           : text->write(text->context, words.data(), words.size());
    });
  };
  table.describe = where<decltype(table.describe)>(role.table().describe, describe);
}

void fill(const Transform& role, broch_transform& table) {
  table.flags = role.flags();
  table.apply = entry_of<&Transform::apply>;
}

void fill(const InputSource& role, broch_input_source& table) {
  const broch_input_source& own = role.table();
  table.flags = own.flags;
  table.setup = [](void* self, const broch_input_spec* inputs, uint32_t n) {
    return guarded([&] {
      std::vector<InputSpec> specs;
      for (uint32_t i = 0; i < n; ++i) specs.push_back(read_input_spec(inputs[i], specs));
      static_cast<InputSource*>(self)->setup(specs);
      return broch_status{BROCH_OK};
    });
  };
  table.reset_state = where(own.reset_state, entry_of<&InputSource::reset_state>);
  const auto resume = [](void* self, const broch_bytes* cursors, uint32_t towers) {
    return guarded([&] {
      std::vector<std::string> texts;
      for (uint32_t t = 0; t < towers; ++t)
        texts.emplace_back(static_cast<const char*>(cursors[t].data), cursors[t].size);
      auto* const source = static_cast<InputSource*>(self);
      if (source->can_resume()) source->resume(texts);
      if (!source->can_resume()) {
        base::warning(describe(source->instance()) +
                      " cannot continue after the data of the earlier run: it starts again");
        source->reset_state();
      }
      return broch_status{BROCH_OK};
    });
  };
  table.resume = where<decltype(table.resume)>(own.resume, resume);
  table.next = entry_of<&InputSource::next>;
  table.size = where(own.size, size_of<InputSource>);
  table.stop = where(own.stop, entry_of<&InputSource::stop>);
  table.set_towers = where(own.set_towers, entry_of<&InputSource::set_towers>);
}

void fill(const Monitor& role, broch_monitor& table) {
  const broch_monitor& own = role.table();
  const auto summary = [](void* self, const broch_summary_value* values, uint32_t n) {
    return guarded([&] {
      static_cast<Monitor*>(self)->process_summary({values, n});
      return broch_status{BROCH_OK};
    });
  };
  const auto image = [](void* self, const char* name, const broch_dl_tensor* image) {
    return guarded([&] {
      static_cast<Monitor*>(self)->process_image(name, *image);
      return broch_status{BROCH_OK};
    });
  };
  table.process_scalar = where(own.process_scalar, entry_of<&Monitor::process_scalar>);
  table.process_summary = where<decltype(table.process_summary)>(own.process_summary, summary);
  table.process_image = where<decltype(table.process_image)>(own.process_image, image);
  table.process_event = where(own.process_event, entry_of<&Monitor::process_event>);
}

void fill(const Inferencer& role, broch_inferencer& table) {
  table.fetches = [](void* self, const broch_names* names) {
    return guarded([&] {
      for (const std::string& name : static_cast<Inferencer*>(self)->fetches())
        if (const broch_status status = names->add(names->context, name.c_str())) return status;
      return broch_status{BROCH_OK};
    });
  };
  table.before_inference =
      where(role.table().before_inference, entry_of<&Inferencer::before_inference>);
  table.on_fetches = [](void* self, const broch_tensor* values, uint32_t n) {
    return guarded([&] {
      static_cast<Inferencer*>(self)->on_fetches({values, n});
      return broch_status{BROCH_OK};
    });
  };
  table.after_inference = [](void* self, const broch_scalars* scalars) {
    return guarded([&] {
      for (const auto& [name, value] : static_cast<Inferencer*>(self)->after_inference())
        if (const broch_status status = scalars->add(scalars->context, name.c_str(), value))
          return status;
      return broch_status{BROCH_OK};
    });
  };
}

void fill(const Function&, broch_function& table) {
  table.call = [](void* self, const broch_function_args* args, double* result) {
    return guarded([&] { return static_cast<Function*>(self)->call(*args, result); });
  };
}

void fill(const SessionInit&, broch_session_init& table) {
  table.init = entry_of<&SessionInit::init>;
}

void fill(const State& role, broch_plugin_state& table) {
  table.version = role.version();
  table.save = [](void* self, const broch_writer* writer) {
    return guarded([&] {
      const std::string bytes = static_cast<State*>(self)->save();
      return writer->write(writer->context, bytes.data(), bytes.size());
    });
  };
  table.load = [](void* self, uint32_t version, const void* bytes, uint64_t size) {
    return guarded([&] {
      static_cast<State*>(self)->load(version, {static_cast<const char*>(bytes), size});
      return broch_status{BROCH_OK};
    });
  };
}

template <class Table, class RoleClass>
Interface keep_proxy(Instance& child, const std::string& id, RoleClass role) {
  auto proxy =
      std::make_shared<Proxy<RoleClass, Table>>(Proxy<RoleClass, Table>{std::move(role), {}});
  proxy->table.struct_size = sizeof(Table);
  fill(proxy->role, proxy->table);
  const Interface interface { &proxy->role, &proxy->table };
  child.keep_proxy(id, interface, std::move(proxy));
  return interface;
}

template <class RoleClass, class Table>
Interface make_proxy(Instance& child, const char* id) {
  return keep_proxy<Table>(child, id, RoleClass::make(child));
}

using Maker = Interface (*)(Instance& child, const char* id);

constexpr std::pair<std::string_view, Maker> kMakers[] = {
    {BROCH_ROLE_DATAFLOW, make_proxy<DataFlow, broch_dataflow>},
    {BROCH_ROLE_INDEXED, make_proxy<Indexed, broch_indexed>},
    {BROCH_ROLE_TRANSFORM, make_proxy<Transform, broch_transform>},
    {BROCH_ROLE_INPUT_SOURCE, make_proxy<InputSource, broch_input_source>},
    {BROCH_ROLE_CALLBACK, make_proxy<Callback, broch_callback>},
    {BROCH_ROLE_MONITOR, make_proxy<Monitor, broch_monitor>},
    {BROCH_ROLE_INFERENCER, make_proxy<Inferencer, broch_inferencer>},
    {BROCH_ROLE_SESSION_INIT, make_proxy<SessionInit, broch_session_init>},
    {BROCH_ROLE_FUNCTION, make_proxy<Function, broch_function>},
    {BROCH_PLUGIN_STATE, make_proxy<State, broch_plugin_state>}};

Maker maker_of(std::string_view id) {
  for (const auto& [known, make] : kMakers)
    if (known == id) return make;
  return nullptr;
}

}  // namespace

std::vector<std::string> child_interfaces() {
  std::vector<std::string> ids;
  for (const auto& [id, make] : kMakers) ids.emplace_back(id);
  return ids;
}

Interface child_interface(Instance& child, const char* interface_id) {
  if (const Interface known = child.proxy(interface_id)) return known;
  const Maker make = maker_of(interface_id);
  if (!make || !child.get_interface(interface_id)) return {};
  return make(child, interface_id);
}

Interface interface_for(const Instance::Child& named, const Instance& parent,
                        const char* interface_id) {
  Instance& child = *named.get();
  const std::string_view role = interface_id;
  // What can be read by index can also be read point by point.
  const bool drives = role == BROCH_ROLE_CALLBACK && Callback::plays(child),
             by_index = role == BROCH_ROLE_DATAFLOW && Indexed::plays(child);
  if (!drives && !by_index) return child_interface(child, interface_id);
  // Names are unique in a run. A parent may read one dataflow under several options.
  const std::string id =
      interface_id + (" of " + parent.name()) + (by_index ? " at " + named.pointer : "");
  if (const Interface known = child.proxy(id)) return known;
  return drives ? keep_proxy<broch_callback>(child, id, DrivenCallback(child, parent))
                : keep_proxy<broch_dataflow>(child, id, DataFlow::make(child));
}

}  // namespace broch::abi
