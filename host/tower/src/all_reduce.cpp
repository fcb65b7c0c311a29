// all_reduce.cpp: a kernel that waits for the other towers. A step that is computed twice, to
// compare a program with it, exchanges values only once.
#include "all_reduce.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/dlpack.hpp"
#include "tower/kernel_tape.hpp"
#include "tower/shapes_only.hpp"
#include "tower/tower_meeting.hpp"

namespace broch::tower {
namespace {

using Tensors = std::vector<Tensor>;

template <class Number>
std::span<Number> numbers(const broch_dl_tensor& tensor) {
  return {static_cast<Number*>(tensor.data), dl_bytes(tensor) / sizeof(Number)};
}

// Calls `call` with a value of the tensor's element type.
template <class Call>
void with_type(const broch_dl_tensor& tensor, Call&& call) {
  tensor.dtype.bits == 64 ? call(double{}) : call(float{});
}

// Own memory with the dtype and shape of another tensor.
struct Twin {
  explicit Twin(const broch_dl_tensor& like) : bytes(dl_bytes(like)), tensor(like) {
    tensor.data = bytes.data();
  }
  std::vector<std::byte> bytes;
  broch_dl_tensor tensor;
};

class AllReduce final : public HostKernel {
 public:
  AllReduce(bool mean, uint32_t towers, bool exact) : mean_(mean), exact_(exact), towers_(towers) {
    name = mean ? "all_reduce mean" : "all_reduce sum";
    stateful = true;
    meets = true;
  }

  void run(std::span<const broch_dl_tensor> inputs, std::span<const broch_dl_tensor> outputs,
           DrawKey) const override {
    const broch_dl_tensor &mine = inputs[0], &result = outputs[0];
    if (ShapesOnly::active()) {
      std::ranges::fill(numbers<std::byte>(result), std::byte{});
      return;
    }
    KernelTape* const tape = KernelTape::current();
    if (!tape) {
      reduce(mine, result);
    } else if (tape->keeps()) {
      reduce(mine, result);
      tape->keep(name, std::array{result, mine});
    } else {
      const Twin before(mine);
      tape->give(name, std::array{result, before.tensor});
      if (exact_ && !std::ranges::equal(numbers<std::byte>(mine), before.bytes))
        tape->note(name + " is given something else");
      add_difference(before.tensor, mine, result);
    }
  }

 private:
  void reduce(const broch_dl_tensor& mine, const broch_dl_tensor& result) const {
    TowerMeeting* const meeting = TowerMeeting::current();
    if (meeting) {
      const uint32_t count = meeting->sum(name, mine, result);
      if (mean_) divide(result, count);
    } else {
      dl_copy(mine, result.data);
      if (!mean_) divide(result, 1.0 / towers_);
    }
  }

  static void divide(const broch_dl_tensor& tensor, double by) {
    with_type(tensor, [&](auto type) {
      for (auto& number : numbers<decltype(type)>(tensor)) number /= decltype(type)(by);
    });
  }

  // Adds what this tower's input changed since the first computation, instead of asking the other
  // towers again. So a wrong input from a program shows in everything computed from the result.
  void add_difference(const broch_dl_tensor& before, const broch_dl_tensor& now,
                      const broch_dl_tensor& result) const {
    with_type(now, [&](auto type) {
      using Number = decltype(type);
      const auto then = numbers<Number>(before), mine = numbers<Number>(now),
                 to = numbers<Number>(result);
      const auto weight = Number(share());
      for (size_t i = 0; i < to.size(); ++i)
        if (std::memcmp(&then[i], &mine[i], sizeof(Number)) != 0)
          to[i] += weight * (mine[i] - then[i]);
    });
  }

  // How much the result grows where this tower's input grows by 1.
  double share() const {
    const TowerMeeting* const meeting = TowerMeeting::current();
    if (!meeting) return mean_ ? 1 : towers_;
    return mean_ ? 1.0 / meeting->summands() : 1;
  }

  bool mean_, exact_;
  uint32_t towers_;
};

Tensor reduced(Backend& backend, const std::shared_ptr<const HostKernel>& kernel,
               const Tensor& tensor) {
  const auto function = std::make_shared<Backend::CustomFunction>();
  function->name = kernel->name;
  function->forward = [&backend, kernel](std::span<const Tensor> given, Tensors&) {
    const TensorInfo info = backend.info(given[0]);
    return backend.call(kernel, given, {&info, 1});
  };
  function->backward = [&backend, kernel](std::span<const Tensor> grads, std::span<const Tensor>) {
    return Tensors{reduced(backend, kernel, grads[0])};
  };
  return backend.apply(function, {&tensor, 1})[0];
}

}  // namespace

std::shared_ptr<const HostKernel> all_reduce_kernel(bool mean, uint32_t towers, bool exact) {
  return std::make_shared<AllReduce>(mean, towers, exact);
}

Tensor all_reduce(Backend& backend, bool mean, uint32_t towers, bool exact, const Tensor& tensor) {
  return reduced(backend, all_reduce_kernel(mean, towers, exact), tensor);
}

}  // namespace broch::tower
