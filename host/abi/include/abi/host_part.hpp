// host_part.hpp: what the host does with a plugin's answer while its handles are alive, that is
// inside the plugin's call, whose border no failure of the host's may cross.
#pragma once
#include <exception>

#include "abi/serve.hpp"
#include "base/error.hpp"

namespace broch::abi {

class HostPart {
 public:
  // Inside the call. A refusal of a handle is the plugin's mistake in a training.
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
  // After it.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::exception_ptr failure_;
};

}  // namespace broch::abi
