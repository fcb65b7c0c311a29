// faulty_tables.cpp: a wrapper around each function of each table.
#include "faulty_tables.hpp"

#include <atomic>
#include <map>

#include "abi/serve.hpp"
#include "broch/broch.h"

namespace broch::check {
namespace {

struct Faults {
  std::atomic<uint64_t> calls{0}, fail_at{0};
  std::mutex mutex;
  std::string failed;
  std::vector<std::string> resolved;
};

Faults& faults() {
  static Faults* const only = new Faults;
  return *only;
}

// The host's table of this type; there is only one of each.
template <class Table>
const Table* original = nullptr;
template <class Table>
const char* id_of = "";

bool strikes(const char* id) {
  Faults& state = faults();
  if (++state.calls != state.fail_at) return false;
  const std::lock_guard lock(state.mutex);
  state.failed = id;
  return true;
}

broch_status fail(const char* id) {
  return abi::set_error(BROCH_E_UNAVAILABLE,
                        std::string(id) + ": made to fail by broch plugin check");
}

template <auto Member>
struct Wrapper;
template <class Table, class... Args, broch_status (*Table::*Member)(const broch_host*, Args...)>
struct Wrapper<Member> {
  static broch_status call(const broch_host* host, Args... args) {
    if (strikes(id_of<Table>)) return fail(id_of<Table>);
    return (original<Table>->*Member)(host, args...);
  }
};

// These functions take over memory even if they fail, so it must be released here.
void give_back(broch_dl_managed* data) {
  if (data && data->deleter) data->deleter(data);
}

broch_status data_add(const broch_host* host, broch_point point, const char* name,
                      broch_dl_managed* data) {
  if (!strikes(BROCH_EXT_DATA_POINT))
    return original<broch_host_data_point>->add(host, point, name, data);
  give_back(data);
  return fail(BROCH_EXT_DATA_POINT);
}

broch_status from_dlpack(const broch_host* host, broch_dl_managed* data, broch_tensor* tensor) {
  if (!strikes(BROCH_EXT_TENSOR))
    return original<broch_host_tensor>->from_dlpack(host, data, tensor);
  give_back(data);
  return fail(BROCH_EXT_TENSOR);
}

broch_status apply(const broch_host* host, const broch_custom_function* function, void* user,
                   const broch_tensor* inputs, uint32_t n, broch_tensor* outputs) {
  if (!strikes(BROCH_EXT_AUTOGRAD))
    return original<broch_host_autograd>->apply(host, function, user, inputs, n, outputs);
  if (function->free_user) function->free_user(user);
  return fail(BROCH_EXT_AUTOGRAD);
}

broch_status resolve(const broch_host* host, const char* schema, broch_op* op) {
  {
    const std::lock_guard lock(faults().mutex);
    faults().resolved.emplace_back(schema);
  }
  return Wrapper<&broch_host_ops::resolve>::call(host, schema, op);
}

template <class Table, auto... Members>
struct Wrapped {
  static const void* make(const char* id, const void* table) {
    static Table copy;
    original<Table> = static_cast<const Table*>(table);
    id_of<Table> = id;
    copy = *original<Table>;
    ((copy.*Members = &Wrapper<Members>::call), ...);
    special(copy);
    return &copy;
  }
  static void special(broch_host_data_point& copy) { copy.add = &data_add; }
  static void special(broch_host_tensor& copy) { copy.from_dlpack = &from_dlpack; }
  static void special(broch_host_autograd& copy) { copy.apply = &apply; }
  static void special(broch_host_ops& copy) { copy.resolve = &resolve; }
  template <class Other>
  static void special(Other&) {}
};

using Make = const void* (*)(const char* id, const void* table);

const std::map<std::string, Make>& makers() {
  using A = broch_host_async_predict;
  using B = broch_host_autograd;
  using C = broch_host_checkpoint;
  using D = broch_host_data_point;
  using G = broch_host_operation;
  using H = broch_host_hyper_param;
  using M = broch_host_metrics;
  using P = broch_host_plan;
  using Q = broch_host_predict;
  using R = broch_host_progress;
  using S = broch_host_summary;
  using T = broch_host_tensor;
  using U = broch_host_ui;
  using V = broch_host_variables;
  using W = broch_host_tower;
  static const std::map<std::string, Make> all = {
      {BROCH_EXT_ASYNC_PREDICT, &Wrapped<A, &A::create, &A::call, &A::put>::make},
      {BROCH_EXT_AUTOGRAD,
       &Wrapped<B, &B::grad, &B::track, &B::save, &B::saved, &B::no_grad_push>::make},
      {BROCH_EXT_CHECKPOINT, &Wrapped<C, &C::retain, &C::save, &C::latest, &C::copy, &C::restore,
                                      &C::select, &C::retain_steps>::make},
      {BROCH_EXT_COLLECTIONS,
       &Wrapped<broch_host_collections, &broch_host_collections::list,
                &broch_host_collections::members, &broch_host_collections::fetch,
                &broch_host_collections::published>::make},
      {BROCH_EXT_DATA_POINT,
       &Wrapped<D, &D::add_copy, &D::set_cursor, &D::count, &D::view, &D::name, &D::cursor,
                &D::point_new, &D::point_clear, &D::point_move, &D::tensors, &D::allocate,
                &D::move_component, &D::key, &D::set_key, &D::emit, &D::emitted, &D::row_begin,
                &D::rows_end, &D::stage>::make},
      {BROCH_EXT_DEVICE,
       &Wrapped<broch_host_device, &broch_host_device::count, &broch_host_device::info,
                &broch_host_device::memory, &broch_host_device::reset_peak,
                &broch_host_device::synchronize>::make},
      {BROCH_EXT_DIST, &Wrapped<broch_host_dist, &broch_host_dist::ranks,
                                &broch_host_dist::all_reduce, &broch_host_dist::all_gather,
                                &broch_host_dist::broadcast, &broch_host_dist::barrier>::make},
      {BROCH_EXT_OPERATION, &Wrapped<G, &G::define, &G::run>::make},
      {BROCH_EXT_HYPER_PARAM, &Wrapped<H, &H::declare, &H::set, &H::get, &H::tensor>::make},
      {BROCH_EXT_INPUT, &Wrapped<broch_host_input, &broch_host_input::flags,
                                 &broch_host_input::size, &broch_host_input::consumed,
                                 &broch_host_input::set_towers, &broch_host_input::next>::make},
      {BROCH_EXT_INSTANCE, &Wrapped<broch_host_instance, &broch_host_instance::child,
                                    &broch_host_instance::child_id>::make},
      {BROCH_EXT_KERNEL, &Wrapped<broch_host_kernel, &broch_host_kernel::call>::make},
      {BROCH_EXT_LOG_DIR,
       &Wrapped<broch_host_log_dir, &broch_host_log_dir::path, &broch_host_log_dir::write_file,
                &broch_host_log_dir::read_file>::make},
      {BROCH_EXT_METRICS, &Wrapped<M, &M::put_scalar, &M::put_image, &M::put_summary, &M::put_event,
                                   &M::latest, &M::history, &M::prefix_push>::make},
      {BROCH_EXT_MODEL_GRAPH,
       &Wrapped<broch_host_model_graph, &broch_host_model_graph::of_model>::make},
      {BROCH_EXT_OPS, &Wrapped<broch_host_ops, &broch_host_ops::resolve, &broch_host_ops::call,
                               &broch_host_ops::schema>::make},
      {BROCH_EXT_PLAN, &Wrapped<P, &P::create, &P::add, &P::add_call, &P::add_operation, &P::seal,
                                &P::run, &P::run_empty>::make},
      {BROCH_EXT_PREDICT, &Wrapped<Q, &Q::signature, &Q::get_predictor, &Q::call,
                                   &Q::child_signature, &Q::get_child_predictor>::make},
      {BROCH_EXT_PROFILE, &Wrapped<broch_host_profile, &broch_host_profile::begin,
                                   &broch_host_profile::end, &broch_host_profile::counter>::make},
      {BROCH_EXT_RNG, &Wrapped<broch_host_rng, &broch_host_rng::bits, &broch_host_rng::uniform,
                               &broch_host_rng::normal, &broch_host_rng::below,
                               &broch_host_rng::permutation>::make},
      {BROCH_EXT_PROGRESS,
       &Wrapped<R, &R::fetch, &R::value, &R::scalar, &R::feed, &R::set_feed, &R::request_stop,
                &R::run_collection, &R::eval, &R::want_summaries, &R::evaluate_summaries>::make},
      {BROCH_EXT_SCOPE,
       &Wrapped<broch_host_scope, &broch_host_scope::push, &broch_host_scope::thread_enter>::make},
      {BROCH_EXT_SUMMARY, &Wrapped<S, &S::add, &S::moving, &S::moving_in>::make},
      {BROCH_EXT_TENSOR, &Wrapped<T, &T::info, &T::item, &T::view, &T::copy_out, &T::from_data,
                                  &T::to_dlpack, &T::retain>::make},
      {BROCH_EXT_TOWER, &Wrapped<W, &W::info, &W::publish, &W::update, &W::collection_add,
                                 &W::collection_get, &W::constant, &W::all_reduce>::make},
      {BROCH_EXT_UI, &Wrapped<U, &U::begin, &U::describe, &U::end>::make},
      {BROCH_EXT_VARIABLES, &Wrapped<V, &V::get, &V::read, &V::scope_push, &V::create, &V::find,
                                     &V::list, &V::info, &V::value, &V::assign>::make}};
  return all;
}

}  // namespace

FaultyTables::FaultyTables() { fail_at(0); }
FaultyTables::~FaultyTables() { fail_at(0); }

Watch::Filter FaultyTables::filter() {
  return [](const std::string& id, const void* table) -> const void* {
    const auto found = makers().find(id);
    if (!table || found == makers().end()) return table;
    static std::mutex mutex;
    static std::map<std::string, const void*> made;
    const std::lock_guard lock(mutex);
    const void*& copy = made[id];
    if (!copy) copy = found->second(found->first.c_str(), table);
    return copy;
  };
}

void FaultyTables::fail_at(uint64_t number) {
  Faults& state = faults();
  const std::lock_guard lock(state.mutex);
  state.failed.clear();
  state.fail_at = number;
  state.calls = 0;
}

uint64_t FaultyTables::calls() const { return faults().calls; }

std::string FaultyTables::failed() const {
  const std::lock_guard lock(faults().mutex);
  return faults().failed;
}

std::vector<std::string> FaultyTables::resolved() const {
  const std::lock_guard lock(faults().mutex);
  return faults().resolved;
}

}  // namespace broch::check
