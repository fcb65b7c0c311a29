// own_data.cpp: goes through the dataflows of the training, and through all that refer to them.
#include "own_data.hpp"

#include <set>

#include "abi/roles.hpp"
#include "base/error.hpp"

namespace broch::session {
namespace {

using Child = abi::Instance::Child;
using Set = std::set<const abi::Instance*>;

bool is_read(const Child& child) {
  return child.get() && (child.role == "dataflow" || child.role == "input_source");
}

// Whether it knows which of its data points is the next one.
bool has_place(const Child& child) {
  return child.role == "input_source" || !abi::Indexed::plays(*child.get());
}

void add_read(const abi::Instance& instance, Set& all) {
  if (!all.insert(&instance).second) return;
  for (const Child& child : instance.children())
    if (is_read(child)) add_read(*child.get(), all);
}

[[noreturn]] void refuse(const Instances& instances, const abi::Instance& reader,
                         const Child& child) {
  const abi::WrittenAt at = instances.written_at(reader, child.pointer);
  base::fail(base::Exit::manifest, at.place.empty() ? reader.label() : at.place,
             abi::describe(*child.get()) + ", which the training reads in another place as well",
             "data of its own, or a dataflow that is read by index",
             "write an entry with the same options instead of the reference" + at.excerpt);
}

}  // namespace

void require_own_data(const Instances& instances, abi::Instance& input) {
  Set of_training, have_reader = {&input};
  add_read(input, of_training);
  // The training is the first reader, also where it refers to what stands in a callback.
  for (const bool is_of_training : {true, false})
    for (const abi::Instance* reader : instances.all()) {
      if (of_training.contains(reader) != is_of_training) continue;
      for (const Child& child : reader->children())
        if (is_read(child) && of_training.contains(child.get()) && has_place(child) &&
            !have_reader.insert(child.get()).second)
          refuse(instances, *reader, child);
    }
}

}  // namespace broch::session
