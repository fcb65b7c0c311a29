// tower.cpp: broch.tower/1: published names, updates, collections and constants of a tower.
#include "broch/ext/tower.h"

#include "serving.hpp"

namespace broch::tower {
namespace {

constexpr const char* kInfo = "broch.tower/1 info";
constexpr const char* kPublish = "broch.tower/1 publish";
constexpr const char* kUpdate = "broch.tower/1 update";
constexpr const char* kAdd = "broch.tower/1 collection_add";
constexpr const char* kGet = "broch.tower/1 collection_get";
constexpr const char* kConstant = "broch.tower/1 constant";
constexpr const char* kAllReduce = "broch.tower/1 all_reduce";

Backend& backend_of(const TowerCall& call) { return *call.tower().context().backend; }

Valued tensor_of(const TowerCall& call, broch_tensor handle, const char* function,
                 const char* argument) {
  return resolve(backend_of(call), nullptr, handle, {function, argument});
}

broch_status info(const broch_host* host, broch_tower tower, broch_tower_info* out) {
  return serve(host, kInfo, Role::step, [&](Instance&) {
    const TowerSpec& spec = TowerCall::at(tower).tower().spec();
    broch_tower_info full{};
    full.is_training = spec.training;
    full.is_main = spec.is_main();
    full.has_own_variables = spec.owns_variables;
    full.index = spec.index;
    full.total = spec.total;
    full.name = spec.name.c_str();
    full.vs_name = spec.vs_name.c_str();
    full.device = {spec.device.type, spec.device.index};
    write_struct(out, full, kInfo, "info");
    return BROCH_OK;
  });
}

broch_status publish(const broch_host* host, broch_tower tower, const char* name,
                     broch_tensor tensor, broch_tensor* published) {
  return serve(host, kPublish, Role::step, [&](Instance&) {
    TowerCall& call = TowerCall::at(tower);
    given(name, kPublish, "name");
    given(published, kPublish, "published");
    Valued value = tensor_of(call, tensor, kPublish, name);
    call.publish(name, value);
    *published = lend(std::move(value));
    return BROCH_OK;
  });
}

broch_status update(const broch_host* host, broch_tower tower, broch_variable variable,
                    broch_tensor value, const char* anchor) {
  return serve(host, kUpdate, Role::step, [&](Instance&) {
    TowerCall& call = TowerCall::at(tower);
    Variable& target = variable_at(*call.tower().context().variables, variable, kUpdate);
    call.update(target, tensor_of(call, value, kUpdate, target.name.c_str()),
                given(anchor, kUpdate, "anchor"));
    return BROCH_OK;
  });
}

broch_status collection_add(const broch_host* host, broch_tower tower, const char* collection,
                            broch_tensor tensor) {
  return serve(host, kAdd, Role::step, [&](Instance&) {
    TowerCall& call = TowerCall::at(tower);
    given(collection, kAdd, "collection");
    call.collect(collection, tensor_of(call, tensor, kAdd, collection));
    return BROCH_OK;
  });
}

broch_status collection_get(const broch_host* host, broch_tower tower, const char* collection,
                            broch_tensor* tensors, uint32_t capacity, uint32_t* count) {
  return serve(host, kGet, Role::step, [&](Instance&) {
    const TowerCall& call = TowerCall::at(tower);
    given(count, kGet, "count");
    const std::vector<Valued>* list = call.collected(given(collection, kGet, "collection"));
    *count = list ? static_cast<uint32_t>(list->size()) : 0;
    const uint32_t written = std::min(capacity, *count);
    if (written) given(tensors, kGet, "tensors");
    for (uint32_t i = 0; i < written; ++i) tensors[i] = lend((*list)[i]);
    return BROCH_OK;
  });
}

broch_status constant(const broch_host* host, broch_tower tower, const broch_dl_tensor* data,
                      broch_tensor* tensor) {
  return serve(host, kConstant, Role::step, [&](Instance&) {
    const TowerCall& call = TowerCall::at(tower);
    given(tensor, kConstant, "tensor");
    Tensor value =
        backend_of(call).copy_in(*given(data, kConstant, "data"), call.tower().spec().device);
    if (Recorder* recorder = Recording::current()) recorder->constant(value);
    if (call.tape()) call.tape()->constant(value);
    *tensor = lend(std::move(value), 0);
    return BROCH_OK;
  });
}

broch_status all_reduce(const broch_host* host, broch_tower tower, broch_tensor tensor,
                        int32_t mode, broch_tensor* reduced) {
  return serve(host, kAllReduce, Role::step, [&](Instance&) {
    TowerCall& call = TowerCall::at(tower);
    given(reduced, kAllReduce, "reduced");
    if (mode != BROCH_REDUCE_MEAN && mode != BROCH_REDUCE_SUM)
      refuse(BROCH_E_INVALID_ARGUMENT, {.where = kAllReduce,
                                        .found = "mode " + std::to_string(mode),
                                        .expected = "BROCH_REDUCE_SUM or BROCH_REDUCE_MEAN",
                                        .hint = "see ext/tower.h"});
    const Valued value = tensor_of(call, tensor, kAllReduce, "tensor");
    *reduced = lend(call.all_reduce(mode == BROCH_REDUCE_MEAN, value));
    return BROCH_OK;
  });
}

constexpr broch_host_tower kTable{
    sizeof(broch_host_tower), 0,        info,      publish, update, collection_add,
    collection_get,           constant, all_reduce};

}  // namespace

const void* tower_table() { return &kTable; }

}  // namespace broch::tower
