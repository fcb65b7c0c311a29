// misfit.cpp: finds the dataflow that data points come from.
#include "plan/misfit.hpp"

#include "abi/written.hpp"

namespace broch::plan {

namespace {

// The outermost dataflow behind a source, or the source itself.
const abi::Instance& origin_of(const abi::Instance& instance) {
  if (instance.spec().role == "dataflow") return instance;
  for (const abi::Instance::Child& child : instance.children()) {
    if (!child.owned && !child.instance) continue;  // a function, not an instance
    const abi::Instance& origin = origin_of(*child.get());
    if (origin.spec().role == "dataflow") return origin;
  }
  return instance;
}

}  // namespace

base::Error misfit(const base::Error& refused, const abi::Instance& source) {
  const abi::Instance& origin = origin_of(source);
  std::string text = refused.what() + ("\n  of " + origin.label());
  if (const auto* manifest = origin.context().find<abi::Written>()) {
    const abi::WrittenAt written = manifest->written_at(origin, "");
    if (!written.place.empty()) text += "\n  in the manifest: " + written.place + written.excerpt;
  }
  return {refused.exit(), text};
}

}  // namespace broch::plan
