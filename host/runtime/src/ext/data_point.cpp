// data_point.cpp: broch.data_point/1: fills and reads data points.
#include "broch/ext/data_point.h"

#include <chrono>
#include <thread>

#include "base/hash.hpp"
#include "origins.hpp"
#include "runtime/backend.hpp"
#include "runtime/dlpack.hpp"
#include "runtime/lend.hpp"
#include "runtime/point.hpp"
#include "serving.hpp"

namespace broch::runtime {

// Lent points belong to the host and to no tower call, hence domain 0.
Point& point_at(Instance& instance, broch_point handle, const char* function) {
  const char* why = "";
  void* point = abi::is_borrowed(handle)
                    ? abi::Arena::of_this_thread().find(handle, abi::Kind::point, 0, &why)
                    : instance.handles().find(handle, abi::Kind::point, &why);
  if (point) return *static_cast<Point*>(point);
  refuse(BROCH_E_INVALID_ARGUMENT,
         {.where = function,
          .found = abi::explain(handle, abi::Kind::point, why),
          .expected = "the point of the running call, or one that point_new answered",
          .hint = "do not keep a point beyond the call that it was given to"});
}

namespace {

constexpr const char* kAddCopy = "broch.data_point/1 add_copy";
constexpr const char* kAdd = "broch.data_point/1 add";
constexpr const char* kSetCursor = "broch.data_point/1 set_cursor";
constexpr const char* kCount = "broch.data_point/1 count";
constexpr const char* kView = "broch.data_point/1 view";
constexpr const char* kName = "broch.data_point/1 name";
constexpr const char* kCursor = "broch.data_point/1 cursor";
constexpr const char* kNew = "broch.data_point/1 point_new";
constexpr const char* kClear = "broch.data_point/1 point_clear";
constexpr const char* kMove = "broch.data_point/1 point_move";
constexpr const char* kFree = "broch.data_point/1 point_free";
constexpr const char* kTensors = "broch.data_point/1 tensors";
constexpr const char* kCancel = "broch.data_point/1 cancel";
constexpr const char* kAllocate = "broch.data_point/1 allocate";
constexpr const char* kMoveComponent = "broch.data_point/1 move_component";
constexpr const char* kKey = "broch.data_point/1 key";
constexpr const char* kSetKey = "broch.data_point/1 set_key";
constexpr const char* kEmit = "broch.data_point/1 emit";
constexpr const char* kEmitted = "broch.data_point/1 emitted";
constexpr const char* kRowBegin = "broch.data_point/1 row_begin";
constexpr const char* kRowsEnd = "broch.data_point/1 rows_end";
constexpr const char* kStage = "broch.data_point/1 stage";

const broch_dl_tensor& component(const Point& point, uint32_t index, const char* function) {
  if (index >= point.size() || point.taken(index))
    refuse(BROCH_E_OUT_OF_RANGE, {.where = function,
                                  .found = "component " + std::to_string(index),
                                  .expected = "a number below " + std::to_string(point.size()),
                                  .hint = "ask count first"});
  return point.tensor(index);
}

broch_status add_copy(const broch_host* host, broch_point point, const char* name,
                      const broch_dl_tensor* data) {
  return serve(host, kAddCopy, kAnyRole, [&](Instance& instance) {
    point_at(instance, point, kAddCopy).add_copy(name, *given(data, kAddCopy, "data"));
    return BROCH_OK;
  });
}

broch_status add(const broch_host* host, broch_point point, const char* name,
                 broch_dl_managed* data) {
  DlpackOwner owner(data);
  return serve(host, kAdd, kAnyRole, [&](Instance& instance) {
    Point& target = point_at(instance, point, kAdd);
    given(data, kAdd, "data");
    target.add(name, owner.release());
    return BROCH_OK;
  });
}

broch_status set_cursor(const broch_host* host, broch_point point, const void* cursor,
                        uint64_t size) {
  return serve(host, kSetCursor, kAnyRole, [&](Instance& instance) {
    Point& target = point_at(instance, point, kSetCursor);
    if (size > BROCH_CURSOR_SIZE_MAX)
      refuse(BROCH_E_INVALID_ARGUMENT,
             {.where = kSetCursor,
              .found = "a cursor of " + std::to_string(size) + " bytes",
              .expected = "at most " + std::to_string(BROCH_CURSOR_SIZE_MAX),
              .hint = "say where the point is, not what is in it"});
    if (size) given(cursor, kSetCursor, "cursor");
    const std::string_view text(size ? static_cast<const char*>(cursor) : "", size);
    note_cursor_set(instance, target, text);
    target.cursor.assign(text);
    target.has_cursor = size > 0;
    target.any_rank = false;
    return BROCH_OK;
  });
}

broch_status count(const broch_host* host, broch_point point, uint32_t* count) {
  return serve(host, kCount, kAnyRole, [&](Instance& instance) {
    *given(count, kCount, "count") =
        static_cast<uint32_t>(point_at(instance, point, kCount).size());
    return BROCH_OK;
  });
}

broch_status view(const broch_host* host, broch_point point, uint32_t index,
                  broch_dl_tensor* view) {
  return serve(host, kView, kAnyRole, [&](Instance& instance) {
    const Point& source = point_at(instance, point, kView);
    const broch_dl_tensor& found = component(source, index, kView);
    if (found.device.device_type == BROCH_DL_CUDA)
      need<Backend>(instance, kView).await_staged(source.data(index));
    *given(view, kView, "view") = found;
    return BROCH_OK;
  });
}

broch_status name(const broch_host* host, broch_point point, uint32_t index, const char** name) {
  return serve(host, kName, kAnyRole, [&](Instance& instance) {
    const Point& source = point_at(instance, point, kName);
    component(source, index, kName);
    *given(name, kName, "name") = source.name(index);
    return BROCH_OK;
  });
}

broch_status cursor(const broch_host* host, broch_point point, const void** cursor,
                    uint64_t* size) {
  return serve(host, kCursor, kAnyRole, [&](Instance& instance) {
    const Point& source = point_at(instance, point, kCursor);
    *given(cursor, kCursor, "cursor") = source.cursor.data();
    *given(size, kCursor, "size") = source.has_cursor ? source.cursor.size() : 0;
    note_cursor_read(instance, source);
    return BROCH_OK;
  });
}

broch_status point_new(const broch_host* host, broch_point* point) {
  return serve(host, kNew, kAnyRole, [&](Instance& instance) {
    given(point, kNew, "point");
    *point = instance.handles().add(
        abi::Kind::point, {new Point, [](void* object) { delete static_cast<Point*>(object); }});
    return BROCH_OK;
  });
}

broch_status point_clear(const broch_host* host, broch_point point) {
  return serve(host, kClear, kAnyRole, [&](Instance& instance) {
    point_at(instance, point, kClear).clear();
    return BROCH_OK;
  });
}

broch_status point_move(const broch_host* host, broch_point from, broch_point to) {
  return serve(host, kMove, kAnyRole, [&](Instance& instance) {
    Point& source = point_at(instance, from, kMove);
    note_moved(source);
    point_at(instance, to, kMove).take_all(source);
    return BROCH_OK;
  });
}

broch_status point_free(const broch_host* host, broch_point point) {
  return serve(host, kFree, kNoScope, [&](Instance& instance) {
    if (!point) return BROCH_OK;
    if (!abi::is_borrowed(point) && abi::handle_kind(point) == abi::Kind::point &&
        instance.handles().remove(point))
      return BROCH_OK;
    refuse(BROCH_E_INVALID_ARGUMENT,
           {.where = kFree,
            .found = abi::explain(point, abi::Kind::point, "it is not this instance's own"),
            .expected = "a point that point_new answered and that was not freed yet",
            .hint = "leave the points of next and example to the host"});
  });
}

broch_status tensors(const broch_host* host, broch_point point, broch_tensor* tensors, uint32_t n) {
  return serve(host, kTensors, Role::main | Role::step, [&](Instance& instance) {
    Point& source = point_at(instance, point, kTensors);
    source.drop_taken();
    const SignatureHolder& holder = need<SignatureHolder>(instance, kTensors);
    Backend& backend = need<Backend>(instance, kTensors);
    if (n != holder.signature->size())
      refuse(BROCH_E_INVALID_ARGUMENT,
             {.where = kTensors,
              .found = "n = " + std::to_string(n),
              .expected = std::to_string(holder.signature->size()) + ", the model's inputs",
              .hint = "pass room for one tensor per input"});
    if (n) given(tensors, kTensors, "tensors");
    std::vector<Tensor> made = point_tensors(backend, source, *holder.signature, holder.device);
    for (uint32_t i = 0; i < n; ++i) tensors[i] = lend(std::move(made[i]), 0);
    return BROCH_OK;
  });
}

int32_t wait_in_vain(void*, int64_t timeout) {
  while (timeout < 0) std::this_thread::sleep_for(std::chrono::hours(1));
  std::this_thread::sleep_for(std::chrono::nanoseconds(timeout));
  return 0;
}

// Outside of a run, where nothing asks to give up. poll ignores the descriptor -1.
constexpr broch_cancel kNever{nullptr, [](void*) { return int32_t{0}; }, wait_in_vain,
                              [](void*) { return int32_t{-1}; }};

const broch_cancel* cancel(const broch_host* host) {
  const broch_cancel* found = nullptr;
  serve(host, kCancel, kNoScope, [&](Instance& instance) {
    found = instance.context().find<broch_cancel>();
    return BROCH_OK;
  });
  return found ? found : &kNever;
}

broch_status allocate(const broch_host* host, broch_point point, const char* name,
                      const broch_dl_tensor* like, void** data) {
  return serve(host, kAllocate, kAnyRole, [&](Instance& instance) {
    given(data, kAllocate, "data");
    broch_dl_tensor wanted = *given(like, kAllocate, "like");
    wanted.data = &wanted;  // there is none yet
    wanted.device = {BROCH_DL_CPU, 0};
    const TensorInfo info = describe_dl(wanted);
    *data = point_at(instance, point, kAllocate).allocate(name, info.dtype, info.shape);
    return BROCH_OK;
  });
}

broch_status move_component(const broch_host* host, broch_point from, uint32_t index,
                            broch_point to) {
  return serve(host, kMoveComponent, kAnyRole, [&](Instance& instance) {
    Point& source = point_at(instance, from, kMoveComponent);
    Point& target = point_at(instance, to, kMoveComponent);
    component(source, index, kMoveComponent);
    if (&source == &target)
      refuse(BROCH_E_INVALID_ARGUMENT, {.where = kMoveComponent,
                                        .found = "one point as from and as to",
                                        .expected = "two points",
                                        .hint = "it is where it should be already"});
    target.move_component(source, index);
    return BROCH_OK;
  });
}

broch_status key(const broch_host* host, broch_point point, uint64_t* key) {
  return serve(host, kKey, kAnyRole, [&](Instance& instance) {
    *given(key, kKey, "key") = point_at(instance, point, kKey).key;
    return BROCH_OK;
  });
}

broch_status set_key(const broch_host* host, broch_point point, uint64_t key) {
  return serve(host, kSetKey, kAnyRole, [&](Instance& instance) {
    point_at(instance, point, kSetKey).key = key;
    return BROCH_OK;
  });
}

// The first point of a transform keeps the key of what it was made of, the others get their own.
broch_status emit(const broch_host* host, broch_point out) {
  return serve(host, kEmit, kAnyRole, [&](Instance& instance) {
    Point& point = point_at(instance, out, kEmit);
    if (!point.may_emit)
      refuse(BROCH_E_FAILED_PRECONDITION,
             {.where = kEmit,
              .found = "a point that is not out of a transform which makes many points",
              .expected = "out, within apply",
              .hint = "set BROCH_TRANSFORM_MANY in the flags of the table; in C++ derive from "
                      "ManyTransform"});
    const uint64_t key = point.key;
    Point made;
    made.take_all(point);
    if (!point.emitted.empty()) made.key = base::hash64(point.emitted.size(), key);
    point.emitted.push_back(std::move(made));
    point.key = key;
    return BROCH_OK;
  });
}

broch_status emitted(const broch_host* host, broch_point out, broch_point to) {
  return serve(host, kEmitted, kAnyRole, [&](Instance& instance) {
    Point& point = point_at(instance, out, kEmitted);
    Point& target = point_at(instance, to, kEmitted);
    if (point.emitted_taken == point.emitted.size()) return broch_status{BROCH_NONE};
    target.take_all(point.emitted[point.emitted_taken++]);
    return broch_status{BROCH_OK};
  });
}

broch_status row_begin(const broch_host* host, broch_point batch, uint64_t index, uint64_t n,
                       broch_point row) {
  return serve(host, kRowBegin, kAnyRole, [&](Instance& instance) {
    if (abi::is_borrowed(row))
      refuse(BROCH_E_INVALID_ARGUMENT, {.where = kRowBegin,
                                        .found = "a borrowed point as row",
                                        .expected = "a point that point_new answered",
                                        .hint = "make one and use it for all rows"});
    point_at(instance, batch, kRowBegin).begin_row(index, n, point_at(instance, row, kRowBegin));
    return BROCH_OK;
  });
}

broch_status rows_end(const broch_host* host, broch_point batch, uint64_t count) {
  return serve(host, kRowsEnd, kAnyRole, [&](Instance& instance) {
    point_at(instance, batch, kRowsEnd).end_rows(count);
    return BROCH_OK;
  });
}

broch_status stage(const broch_host* host, broch_point point, uint32_t tower) {
  return serve(host, kStage, kAnyRole, [&](Instance& instance) {
    Point& staged = point_at(instance, point, kStage);
    if (staged.is_row())
      refuse(BROCH_E_FAILED_PRECONDITION, {.where = kStage,
                                           .found = "a row of a batch",
                                           .expected = "a point whose memory is its own",
                                           .hint = "stage the batch when it is complete"});
    const auto* const devices = instance.context().find<TowerDevices>();
    const Device device = devices ? devices->of(tower) : Device{};
    if (device.type != BROCH_DL_CPU) staged.stage(need<Backend>(instance, kStage), device);
    return BROCH_OK;
  });
}

constexpr broch_host_data_point kTable{sizeof(broch_host_data_point),
                                       0,
                                       add_copy,
                                       add,
                                       set_cursor,
                                       count,
                                       view,
                                       name,
                                       cursor,
                                       point_new,
                                       point_clear,
                                       point_move,
                                       point_free,
                                       tensors,
                                       cancel,
                                       allocate,
                                       move_component,
                                       key,
                                       set_key,
                                       emit,
                                       emitted,
                                       row_begin,
                                       rows_end,
                                       stage};

}  // namespace

const void* data_point_table() { return &kTable; }

}  // namespace broch::runtime
