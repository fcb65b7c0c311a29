// lend.cpp: adds lent tensors to the arena of this thread.
#include "runtime/lend.hpp"

#include "abi/handle.hpp"
#include "abi/thread.hpp"

namespace broch::runtime {

broch_tensor lend(Tensor tensor, uint64_t tags) {
  if (!tensor) return 0;
  const Counting& counting = *tensor.counting();
  return abi::Arena::of_this_thread().add(abi::Kind::tensor,
                                          {tensor.take(), counting.release, counting.retain},
                                          abi::thread_state().domain, tags);
}

}  // namespace broch::runtime
