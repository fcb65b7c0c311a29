// domain.hpp: what new handles belong to: a call of a tower function, of a custom function, or
// neither.
#pragma once
#include <memory>
#include <vector>

#include "abi/handle.hpp"
#include "abi/thread.hpp"
#include "runtime/backend.hpp"
#include "tower/call_tape.hpp"
#include "tower/names.hpp"

namespace broch::tower {

class TowerCall;

// One call of a tower function, or of the forward or backward of a custom function, on this
// thread. Its handles are refused in every other call. The destructor closes what the call left
// open.
class Domain {
 public:
  enum class Operators : uint8_t { allowed, refused };
  // call: nullptr in custom functions, which may call operators only, and in host code, which may
  // not even call those.
  explicit Domain(TowerCall* call, Operators operators = Operators::allowed);
  ~Domain();
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;

  static Domain* current() { return top_; }
  static uint64_t current_id() { return abi::thread_state().domain; }  // 0: outside of any call

  uint64_t id() const { return id_; }
  bool refuses_operators() const { return operators_ == Operators::refused; }
  TowerCall* call() const { return call_; }
  // The tower call around this one; nullptr in a derivative that is computed after the tower.
  TowerCall* tower_call() const { return call_ || !outer_ ? call_ : outer_->tower_call(); }
  // Of the tower call around this one, functions inside of it included; nullptr: nobody wants to
  // know.
  CallTape* tape() const;
  // The published names that tensors given to foreign code depend on.
  uint64_t foreign_tags() const { return foreign_tags_; }
  void add_foreign_tags(uint64_t tags) { foreign_tags_ |= tags; }
  void push_no_grad(Backend& backend);
  bool pop_no_grad();  // false: none is open
  // From now on gradients are recorded, except where a no_grad is open.
  void record_gradients(Backend& backend);

 private:
  static thread_local constinit Domain* top_;

  uint64_t id_;
  TowerCall* call_;
  Operators operators_;
  Domain* outer_;
  size_t mark_;
  uint64_t foreign_tags_ = 0;
  std::unique_ptr<StepGuard> recording_;
  std::vector<std::unique_ptr<StepGuard>> no_grad_;  // made after recording_
};

}  // namespace broch::tower
