// domain.hpp: where the handles made now belong: a tower call, a custom function's call, or
// outside.
#pragma once
#include <memory>
#include <vector>

#include "abi/handle.hpp"
#include "abi/thread.hpp"
#include "runtime/backend.hpp"
#include "tower/names.hpp"

namespace broch::tower {

class TowerCall;

// One call of a tower function, of a custom function's forward or of its backward on this thread.
// Handles made in it are refused in every other. Closes what the call left open.
class Domain {
 public:
  enum class Operators : uint8_t { allowed, refused };
  // call: nullptr in custom functions, which call operators and nothing else, and in host code,
  // which calls none.
  explicit Domain(TowerCall* call, Operators operators = Operators::allowed);
  ~Domain();
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;

  static Domain* current() { return top_; }
  static uint64_t current_id() { return abi::thread_state().domain; }  // 0: there is none

  uint64_t id() const { return id_; }
  bool refuses_operators() const { return operators_ == Operators::refused; }
  TowerCall* call() const { return call_; }
  // The tower call around it; nullptr in a derivative that is computed after the tower.
  TowerCall* tower_call() const { return call_ || !outer_ ? call_ : outer_->tower_call(); }
  // Published names behind what foreign code has got here.
  uint64_t foreign_tags() const { return foreign_tags_; }
  void add_foreign_tags(uint64_t tags) { foreign_tags_ |= tags; }
  void push_no_grad(std::unique_ptr<StepGuard> guard) { no_grad_.push_back(std::move(guard)); }
  bool pop_no_grad();  // false: none is open

 private:
  static thread_local constinit Domain* top_;

  uint64_t id_;
  TowerCall* call_;
  Operators operators_;
  Domain* outer_;
  size_t mark_;
  uint64_t foreign_tags_ = 0;
  std::vector<std::unique_ptr<StepGuard>> no_grad_;
};

}  // namespace broch::tower
