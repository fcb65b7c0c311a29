// kernel_tape.cpp: stores outputs as bytes and compares the order of calls.
#include "tower/kernel_tape.hpp"

#include <cstring>
#include <utility>

#include "base/text.hpp"
#include "runtime/dlpack.hpp"
#include "tower/shapes_only.hpp"

namespace broch::tower {
namespace {

thread_local constinit KernelTape* innermost = nullptr;
thread_local constinit bool shapes_only = false;

std::vector<std::byte> bytes_of(const broch_dl_tensor& tensor) {
  std::vector<std::byte> bytes(dl_bytes(tensor));
  if (!bytes.empty()) std::memcpy(bytes.data(), tensor.data, bytes.size());
  return bytes;
}

}  // namespace

KernelTape::KernelTape() : outer_(std::exchange(innermost, this)) {}
KernelTape::~KernelTape() { innermost = outer_; }
KernelTape* KernelTape::current() { return innermost; }

void KernelTape::begin_step() {
  if (!innermost) return;
  ++innermost->times_;
  innermost->next_ = 0;
  innermost->difference_.clear();
}

int64_t KernelTape::counter(uint32_t slot, int64_t now) {
  return counters_.emplace(slot, now).first->second;
}

void KernelTape::keep(const std::string& name, std::span<const broch_dl_tensor> outputs) {
  Call& call = calls_.emplace_back();
  call.name = name;
  for (const broch_dl_tensor& output : outputs) call.outputs.push_back(bytes_of(output));
  ++next_;
}

bool KernelTape::agrees(const std::string& name, const std::string& given,
                        const std::string& gave) {
  const auto [first, is_new] = gave_.try_emplace({name, given}, gave);
  return is_new || first->second == gave || !warned_.insert(name).second;
}

void KernelTape::give(const std::string& name, std::span<const broch_dl_tensor> outputs) {
  const auto differ = [&](const std::string& what) {
    if (difference_.empty()) difference_ = "kernel " + base::quoted(name) + " " + what;
  };
  if (next_ == calls_.size()) return differ("is called once more");
  const Call& call = calls_[next_++];
  if (call.name != name) return differ("is called and not kernel " + base::quoted(call.name));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (i >= call.outputs.size() || call.outputs[i].size() != dl_bytes(outputs[i]))
      return differ("gives other shapes");
    if (!call.outputs[i].empty())
      std::memcpy(outputs[i].data, call.outputs[i].data(), call.outputs[i].size());
  }
}

void KernelTape::note(const std::string& difference) {
  if (difference_.empty()) difference_ = difference;
}

std::string KernelTape::difference() const {
  if (!difference_.empty() || next_ == calls_.size()) return difference_;
  return "kernel " + base::quoted(calls_[next_].name) + " is not called";
}

ShapesOnly::ShapesOnly(bool active) : outer_(std::exchange(shapes_only, active || shapes_only)) {}
ShapesOnly::~ShapesOnly() { shapes_only = outer_; }
bool ShapesOnly::active() { return shapes_only; }

}  // namespace broch::tower
