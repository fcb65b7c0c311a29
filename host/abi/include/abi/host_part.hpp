// host_part.hpp: work that the host does inside a plugin's call, because it needs handles that end
// with the call. A failure of this work must not pass through the plugin's frames as an exception.
#pragma once
#include <exception>

#include "abi/serve.hpp"
#include "base/error.hpp"

namespace broch::abi {

class HostPart {
 public:
  // Runs the work inside the call and keeps its failure. A handle that is refused there is a
  // mistake of the plugin (CallError), hence Exit::training.
  template <class Work>
  void run(Work&& work) noexcept {
    try {
      work();
    } catch (const CallError& error) {
      failure_ = std::make_exception_ptr(base::Error(base::Exit::training, error.what()));
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  // Called after the plugin's call; throws the failure that was kept.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::exception_ptr failure_;
};

}  // namespace broch::abi
