// world.cpp: tables of the probe and short forms.
#include "world.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "replay/extensions.hpp"
#include "tower/extensions.hpp"

namespace broch::test {
namespace {

Probe* next_probe = nullptr;  // create takes it

template <class Table>
void fill(const broch_host* host, const char* id, const Table*& table) {
  table = static_cast<const Table*>(host->get_extension(host, id));
}

broch_status create(const broch_host* host, const char*, void** self) {
  Probe& probe = *next_probe;
  probe.host = host;
  fill(host, BROCH_EXT_TENSOR, probe.tensor);
  fill(host, BROCH_EXT_DATA_POINT, probe.data);
  fill(host, BROCH_EXT_OPS, probe.ops);
  fill(host, BROCH_EXT_AUTOGRAD, probe.autograd);
  fill(host, BROCH_EXT_KERNEL, probe.kernel);
  fill(host, BROCH_EXT_TOWER, probe.tower);
  fill(host, BROCH_EXT_VARIABLES, probe.variables);
  fill(host, BROCH_EXT_HYPER_PARAM, probe.hyper);
  fill(host, BROCH_EXT_SUMMARY, probe.summary);
  fill(host, BROCH_EXT_OPERATION, probe.graph);
  *self = &probe;
  return BROCH_OK;
}

broch_status no_inputs(void*, const broch_signature*) { return BROCH_OK; }

broch_status run_tower(void* self, broch_tower tower, const broch_tensor* inputs, uint32_t,
                       broch_tensor* cost) {
  Probe& probe = *static_cast<Probe*>(self);
  try {
    return probe.body(probe, tower, inputs, cost);
  } catch (const Failed& failed) {
    return failed.status;
  }
}

constexpr broch_model kModel{sizeof(broch_model), 0, no_inputs, run_tower, nullptr, nullptr};

const void* get_interface(void*, const char* id) {
  return std::string_view(id) == BROCH_ROLE_MODEL ? &kModel : nullptr;
}

void destroy(void*) {}

constexpr broch_component_vtable kVtable{sizeof(broch_component_vtable), 0, create, get_interface,
                                         destroy};

}  // namespace

void Probe::need(broch_status status) {
  if (status != BROCH_OK) throw Failed{status};
}

broch_tensor Probe::constant(broch_tower at, double value) {
  float element = static_cast<float>(value);
  const broch_dl_tensor data{&element, {BROCH_DL_CPU, 0}, 0, runtime::to_dl(BROCH_FLOAT32),
                             nullptr,  nullptr,           0};
  broch_tensor result = 0;
  need(tower->constant(host, at, &data, &result));
  return result;
}

broch_tensor Probe::get(broch_tower at, const char* name, uint32_t flags,
                        std::vector<int64_t> shape, double initial) {
  broch_variable_spec spec{};
  spec.struct_size = sizeof spec;
  spec.dtype = BROCH_FLOAT32;
  spec.rank = static_cast<uint32_t>(shape.size());
  spec.flags = flags;
  spec.shape = shape.data();
  spec.initializer = BROCH_INIT_CONSTANT;
  spec.a = initial;
  broch_variable variable = 0;
  broch_tensor value = 0;
  need(variables->get(host, at, name, &spec, &variable, &value));
  return value;
}

broch_tensor Probe::publish(broch_tower at, const char* name, broch_tensor value) {
  broch_tensor published = 0;
  need(tower->publish(host, at, name, value, &published));
  return published;
}

broch_tensor Probe::call(const char* schema, std::vector<broch_tensor> arguments) {
  broch_op op = 0;
  need(ops->resolve(host, schema, &op));
  std::vector<broch_value> values(arguments.size());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i].tag = BROCH_TAG_TENSOR;
    values[i].u.tensor = arguments[i];
  }
  broch_value result{};
  need(ops->call(host, op, values.data(), static_cast<uint32_t>(values.size()), &result, 1));
  return result.u.tensor;
}

broch_variable Probe::find(const char* name) {
  broch_variable variable = 0;
  need(variables->find(host, name, &variable));
  return variable;
}

double Probe::item(broch_tensor value) {
  double number = 0;
  need(tensor->item(host, value, &number));
  return number;
}

World::World() {
  towers.backend = backend.get();
  towers.variables = &variables;
  towers.hypers = &hypers;
  towers.root_seed = 7;
  towers.global_step = [] { return 41; };
  towers.epoch_num = [] { return 3; };
  abi::register_extensions(context);
  runtime::register_extensions(context);
  tower::register_extensions(context);
  replay::register_extensions(context);
  context.provide(backend.get());
  context.provide(&variables);
  context.provide(&hypers);
  context.provide(&towers);
  context.provide(&signature);
  next_probe = &probe;
  abi::InstanceSpec spec;
  spec.name = "net";
  spec.component_id = "test.model";
  spec.file = "/plugins/net.so";
  spec.role = "model";
  spec.vtable = &kVtable;
  instance = std::make_unique<abi::Instance>(context, spec, std::vector<abi::Instance::Child>{});
}

World::~World() = default;

std::unique_ptr<tower::Tower> World::tower(tower::TowerSpec spec) {
  abi::Model model = abi::Model::make(*instance);
  return std::make_unique<tower::Tower>(towers, std::move(spec), inputs,
                                        tower::model_function(model), *instance);
}

std::unique_ptr<tower::Tower> World::defined(Probe::Body body, tower::TowerSpec spec) {
  probe.body = std::move(body);
  std::unique_ptr<tower::Tower> made = tower(std::move(spec));
  made->define({});
  return made;
}

void World::main(const std::function<broch_status()>& body) {
  abi::invoke(*instance, "trigger", abi::Role::main, abi::kOnlyOk, [&]() -> broch_status {
    try {
      return body();
    } catch (const Failed& failed) {
      return failed.status;
    }
  });
}

abi::InputSpec input(std::string name, std::vector<int64_t> shape, std::vector<std::string> dims,
                     broch_dtype dtype) {
  abi::InputSpec spec;
  spec.name = std::move(name);
  spec.dtype = dtype;
  dims.resize(shape.size());
  spec.shape = std::move(shape);
  spec.dims = std::move(dims);
  return spec;
}

tower::TowerSpec prediction() {
  tower::TowerSpec spec;
  spec.name = "tower-pred-0";
  spec.training = false;
  spec.owns_variables = false;
  return spec;
}

tower::TowerSpec second_training() {
  tower::TowerSpec spec;
  spec.name = "tower1";
  spec.index = 1;
  spec.total = 2;
  spec.owns_variables = false;
  return spec;
}

runtime::Tensor filled(runtime::Backend& backend, std::vector<int64_t> shape, double value,
                       broch_dtype dtype) {
  double one = value;
  runtime::Tensor number = backend.copy_in(
      {&one, {BROCH_DL_CPU, 0}, 0, runtime::to_dl(BROCH_FLOAT64), nullptr, nullptr, 0}, {});
  std::vector<std::byte> bytes(runtime::dtype_size(dtype));
  backend.copy_out(number, dtype, bytes.data(), bytes.size());
  const std::vector<int64_t> same(shape.size(), 0);
  return backend.copy_in({bytes.data(),
                          {BROCH_DL_CPU, 0},
                          static_cast<int32_t>(shape.size()),
                          runtime::to_dl(dtype),
                          shape.data(),
                          const_cast<int64_t*>(same.data()),
                          0},
                         {});
}

std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const base::Error& error) {
    return std::to_string(static_cast<int>(error.exit())) + ": " + error.what();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return true;
  fprintf(stderr, "not in the text below: %s\n  %s\n", part.c_str(), text.c_str());
  return false;
}

}  // namespace broch::test
