// slot_names.cpp: looks through the callbacks that "when" stands for.
#include "train/slot_names.hpp"

#include <algorithm>

namespace broch::train {
namespace {

const std::string& triggered_name(const Listed& listed, const abi::Instance& callback) {
  const abi::Instance* one = &callback;
  while (one->component_id() == listed.when) {
    const abi::Instance::Child& child = one->child_at("/callback");
    if (!child.owned) break;  // a reference, which adds triggers to a callback
    one = child.owned.get();
  }
  return one->name();
}

bool lists(const Listed& listed, const std::string& name) {
  return std::ranges::any_of(listed.callbacks,
                             [&](const abi::Instance* one) { return one->name() == name; });
}

}  // namespace

std::string saved_name(const Listed& listed, const std::string& name) {
  for (const abi::Instance* callback : listed.callbacks)
    if (callback->name() == name && !lists(listed, triggered_name(listed, *callback)))
      return triggered_name(listed, *callback);
  return name;
}

std::string listed_name(const Listed& listed, const std::string& saved) {
  if (lists(listed, saved)) return saved;
  for (const abi::Instance* callback : listed.callbacks)
    if (triggered_name(listed, *callback) == saved) return callback->name();
  return saved;
}

}  // namespace broch::train
