// input.cpp: broch.input/1.
#include "runtime/point.hpp"
#include "tables.hpp"

namespace broch::train {

namespace {

constexpr const char* kNext = "broch.input/1 next";
constexpr const char* kConsumed = "broch.input/1 consumed";
constexpr const char* kSetTowers = "broch.input/1 set_towers";
constexpr const char* kFlags = "broch.input/1 flags";
constexpr const char* kSize = "broch.input/1 size";

constexpr uint32_t kMostTowers = 4096;

[[noreturn]] void refuse(const std::string& diagnostic) {
  throw abi::CallError{BROCH_E_FAILED_PRECONDITION, diagnostic};
}

// The trainer of the run, if the caller is the trainer's plugin or a component in it.
Trainer& trainer_for(Instance& instance, const char* function) {
  Trainer& trainer = trainer_of(instance);
  if (!contains(*trainer.parts().trainer, instance))
    refuse(std::string(function) + " is for the trainer, and " + abi::describe(instance) +
           " is not it");
  return trainer;
}

broch_status flags(const broch_host* host, uint32_t* flags) {
  return serve(host, kFlags, kAnyRole, [&](Instance& instance) {
    given(flags, kFlags, "flags");
    const Input* input = trainer_of(instance).input();
    *flags = input ? input->flags() : 0;
    return broch_status{input ? BROCH_OK : BROCH_NONE};
  });
}

broch_status size(const broch_host* host, int64_t* size) {
  return serve(host, kSize, Role::main, [&](Instance& instance) {
    given(size, kSize, "size");
    Input* input = trainer_of(instance).input();
    const std::optional<int64_t> found = input ? input->size() : std::nullopt;
    *size = found.value_or(0);
    return broch_status{found ? BROCH_OK : BROCH_NONE};
  });
}

broch_status consumed(const broch_host* host, uint32_t tower, uint64_t* points) {
  return serve(host, kConsumed, Role::main, [&](Instance& instance) {
    given(points, kConsumed, "points");
    const Input* input = trainer_of(instance).input();
    *points = input ? input->consumed(tower) : 0;
    return BROCH_OK;
  });
}

broch_status set_towers(const broch_host* host, uint32_t n) {
  return serve(host, kSetTowers, Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_for(instance, kSetTowers);
    require_setup(trainer, kSetTowers);
    if (n == 0 || n > kMostTowers)
      throw abi::CallError{BROCH_E_INVALID_ARGUMENT, std::string(kSetTowers) + ": " +
                                                         std::to_string(n) + ", expected 1 to " +
                                                         std::to_string(kMostTowers)};
    if (trainer.input()) trainer.input()->announce_towers(n);
    return BROCH_OK;
  });
}

broch_status next(const broch_host* host, uint32_t tower, broch_point point) {
  return serve(host, kNext, Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_for(instance, kNext);
    if (!trainer.may_take_points())
      refuse(std::string(kNext) +
             " outside of run_step, or inside a run\n  hint: take data points in run_step, "
             "before or after its runs");
    Input* const input = trainer.input();
    if (!input)
      refuse(std::string(kNext) +
             ": the run has no input\n  hint: name \"dataflow\" or \"data\" in the "
             "manifest");
    if (input->is_placeholder())
      refuse(std::string(kNext) + ": " + abi::describe(input->instance()) +
             " has no data of its own\n  hint: use another input source");
    if (tower >= input->towers())
      throw abi::CallError{BROCH_E_INVALID_ARGUMENT,
                           std::string(kNext) + ": tower " + std::to_string(tower) +
                               ", expected one below " + std::to_string(input->towers()) +
                               "\n  hint: say in setup_graph how many there are, with set_towers"};
    return trainer.next_for_plugin(tower, runtime::point_at(instance, point, kNext));
  });
}

}  // namespace

const broch_host_input kInputTable = {
    sizeof(broch_host_input), 0, flags, size, consumed, set_towers, next};

}  // namespace broch::train
