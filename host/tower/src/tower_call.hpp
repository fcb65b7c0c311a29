// tower_call.hpp: one call of a tower function: what it may do, and what it has done so far.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "collected_tensors.hpp"
#include "definition.hpp"
#include "domain.hpp"
#include "draw_sites.hpp"
#include "scope_name.hpp"
#include "tower/call_tape.hpp"
#include "tower/names.hpp"
#include "tower/tower.hpp"
#include "used_variables.hpp"

namespace broch::tower {

class TowerCall final : public Draws {
 public:
  TowerCall(const Tower& tower, Definition& definition);

  // The call that runs on this thread; nullptr outside of calls and in custom functions.
  static TowerCall* current();
  // The call that a plugin's handle refers to. Throws abi::CallError.
  static TowerCall& at(broch_tower handle) {
    TowerCall* const call = current();
    if (!call || call->handle_ != handle) refuse_handle(handle);
    return *call;
  }

  // --- for Tower
  // Moves from inputs and fills result, which must stay in place until end.
  void begin(RunInputs& inputs, bool gradients, bool defining, TowerResult& result);
  broch_tower lend_handle();                         // REQUIRES: inside the call's Domain
  const std::vector<broch_tensor>& input_handles();  // the same
  void keep_cost(broch_tensor cost);
  void finish();  // throws base::Error if the call broke a rule
  void end();     // drops everything that is left
  bool used_grad() const { return used_grad_; }
  bool meets() const { return meets_; }
  // Whether it computes in mixed precision. A tape sees float32, whatever the run computes in: what
  // is made of it is used elsewhere.
  bool mixes() const { return mixes_; }
  void write_to(CallTape* tape) { tape_ = tape; }  // borrowed, until it is called with nullptr

  // --- for the extensions
  const Tower& tower() const { return tower_; }
  broch_tower handle() const { return handle_; }
  const std::string& scope() const { return scope_.text(); }
  CallTape* tape() const { return tape_; }  // nullptr: nobody wants to know
  void scope_push(std::string_view name);
  void scope_pop();
  Variable& get(std::string_view name, const broch_variable_spec& spec);
  const Valued& read(Variable& variable);
  // In order of creation.
  std::vector<Variable*> used_variables(uint32_t flags) const { return used_.with(flags); }
  // value: on return the value to continue with, which is the fed one if there is a feed.
  void publish(std::string_view name, Valued& value);
  void update(Variable& variable, const Valued& value, std::string_view anchor);
  void collect(std::string_view collection, Valued value);
  // nullptr: nothing.
  const std::vector<Valued>* collected(std::string_view collection) const {
    return collected_.find(collection);
  }
  void show(std::string_view name, const Tensor& tensor, uint32_t kinds);
  void average(std::string_view name, const Tensor& tensor, double decay,
               std::string_view collection);
  void will_use_grad() { used_grad_ = true; }
  // What leaves operators in mixed precision is float32: published values, updates, summaries, and
  // what kernels are given.
  Tensor widened(const Tensor& tensor) const { return mixes() ? backend_.widened(tensor) : tensor; }
  // Reduces over all towers that compute this step together.
  Valued all_reduce(bool mean, const Valued& value);
  // Throws abi::CallError if the memory belongs to an input of this call.
  void refuse_write_to_input(const char* operator_name, const void* data) const;
  // From now on foreign code handles LibTorch's tensors directly: its random draws get keys, and
  // its writes are detected.
  void watch();
  DrawKey next(std::string_view operator_name) override;
  Device device() const override { return tower_.spec().device; }

  [[noreturn]] void refuse(broch_status status, const std::string& what, const std::string& found,
                           const std::string& expected, const std::string& hint) const;

 private:
  [[noreturn]] static void refuse_handle(broch_tower handle);
  void check_part(std::string_view name) const;  // one part of a scope
  Variable& define_variable(const std::string& full, const broch_variable_spec& spec);
  Variable& repeat_variable(const std::string& full, const broch_variable_spec& spec);
  uint64_t publish_tag();
  void require_publishable(std::string_view name) const;
  void check_feed(std::string_view name, const Tensor& fed, const Tensor& own) const;
  bool freezes(std::string_view collection) const;
  bool is_collection(std::string_view anchor) const;
  void complete_definition();
  void settle_anchors();
  std::vector<Collection> collections() const;
  std::string published_as(const Tensor& tensor) const;
  std::string names_of(const std::vector<Tensor>& penalties) const;
  void warn_of_useless_penalties();
  void require_as_defined() const;
  void drop_frozen_updates();
  void give_collections();
  void check_cost() const;
  std::vector<uint64_t> count_writes() const;
  void check_writes() const;
  std::string failed_before() const;
  Event& note(const EventKey& key) { return follower_.note(key); }

  const Tower& tower_;
  Definition& definition_;
  Follower follower_;
  Backend& backend_;

  bool defining_ = false, gradients_ = false, mixes_ = false;
  bool used_grad_ = false, warned_of_moving_ = false;
  bool meets_ = false;  // set by define
  Tensor wide_;         // what was widened last
  CallTape* tape_ = nullptr;
  RunInputs inputs_;
  TowerResult* result_ = nullptr;
  broch_tower handle_ = 0;
  uint64_t messages_ = 0;  // number of error messages on this thread when the call began
  std::vector<broch_tensor> handles_;
  ScopeName scope_;
  UsedVariables used_;
  CollectedTensors collected_;
  std::vector<Event*> update_events_;
  DrawSites draws_;
  std::unique_ptr<StepGuard> watch_;
  std::vector<uint64_t> writes_;  // write counts when the watch began
};

inline TowerCall* TowerCall::current() {
  const Domain* domain = Domain::current();
  return domain ? domain->call() : nullptr;
}

}  // namespace broch::tower
