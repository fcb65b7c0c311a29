// summary.cpp: broch.summary/1: what a tower shows to the monitors.
#include "broch/ext/summary.h"

#include "base/text.hpp"
#include "serving.hpp"

namespace broch::tower {
namespace {

constexpr const char* kAdd = "broch.summary/1 add";
constexpr const char* kMoving = "broch.summary/1 moving";
constexpr const char* kMovingIn = "broch.summary/1 moving_in";
constexpr uint32_t kAllKinds = BROCH_SHOW_SCALAR | BROCH_SHOW_HISTOGRAM | BROCH_SHOW_SPARSITY |
                               BROCH_SHOW_MEAN | BROCH_SHOW_RMS | BROCH_SHOW_IMAGE;

// Summaries become metrics, so the rules for their names are the same.
void check_name(const TowerCall& call, std::string_view name) {
  if (!base::is_printable(name))
    call.refuse(BROCH_E_INVALID_ARGUMENT, "summary " + base::quoted(name),
                "a name that monitors cannot show", "some UTF-8 text without control characters",
                "rename it");
}

void check_kinds(const TowerCall& call, const std::string& what, uint32_t kinds,
                 const Shape& shape) {
  if (!kinds || (kinds & ~kAllKinds))
    call.refuse(BROCH_E_INVALID_ARGUMENT, what, "kinds " + std::to_string(kinds),
                "BROCH_SHOW_… or-ed, at least one", "say what to show");
  if ((kinds & BROCH_SHOW_SCALAR) && shape.elements() != 1)
    call.refuse(BROCH_E_INVALID_ARGUMENT, what, "a scalar of shape " + to_string(shape),
                "one element", "reduce it, or show its mean or a histogram");
  if ((kinds & BROCH_SHOW_IMAGE) && (shape.rank != 4 || shape.dims[3] > 4))
    call.refuse(BROCH_E_INVALID_ARGUMENT, what, "an image of shape " + to_string(shape),
                "(N, height, width, channels) with 1, 3 or 4 channels", "permute it");
}

broch_status add(const broch_host* host, broch_tower tower, const char* name, broch_tensor tensor,
                 uint32_t kinds) {
  return serve(host, kAdd, Role::step, [&](Instance&) {
    TowerCall& call = TowerCall::at(tower);
    Backend& backend = *call.tower().context().backend;
    check_name(call, given(name, kAdd, "name"));
    const Valued value = resolve(backend, nullptr, tensor, {kAdd, name});
    check_kinds(call, std::string("summary '") + name + "'", kinds,
                backend.info(value.tensor).shape);
    call.show(name, value.tensor, kinds);
    return BROCH_OK;
  });
}

void average(const char* function, broch_tower tower, const char* name, broch_tensor tensor,
             double decay, const char* collection) {
  TowerCall& call = TowerCall::at(tower);
  check_name(call, given(name, function, "name"));
  given(collection, function, "collection");
  const Valued value = resolve(*call.tower().context().backend, nullptr, tensor, {function, name});
  call.average(name, value.tensor, decay, collection);
}

broch_status moving(const broch_host* host, broch_tower tower, const char* name,
                    broch_tensor tensor, double decay) {
  return serve(host, kMoving, Role::step, [&](Instance&) {
    average(kMoving, tower, name, tensor, decay, BROCH_MOVING_SUMMARY_OPS);
    return BROCH_OK;
  });
}

broch_status moving_in(const broch_host* host, broch_tower tower, const char* name,
                       broch_tensor tensor, double decay, const char* collection) {
  return serve(host, kMovingIn, Role::step, [&](Instance&) {
    average(kMovingIn, tower, name, tensor, decay, collection);
    return BROCH_OK;
  });
}

constexpr broch_host_summary kTable{sizeof(broch_host_summary), 0, add, moving, moving_in};

}  // namespace

const void* summary_table() { return &kTable; }

}  // namespace broch::tower
