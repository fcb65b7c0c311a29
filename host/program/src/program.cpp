// program.cpp: views and buffers.
#include "program/program.hpp"

#include <algorithm>

namespace broch::program {

void append_new(std::vector<int>& list, int buffer) {
  if (std::ranges::find(list, buffer) == list.end()) list.push_back(buffer);
}

int64_t View::elements() const {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return count;
}

bool View::contiguous() const {
  if (conjugate || negative) return false;
  int64_t expected = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 0) return true;
    if (sizes[i] != 1 && strides[i] != expected) return false;
    expected *= sizes[i];
  }
  return true;
}

int Program::view_number(const View& view) {
  const auto found = std::ranges::find(views, view);
  if (found != views.end()) return static_cast<int>(found - views.begin());
  views.push_back(view);
  return static_cast<int>(views.size() - 1);
}

int Program::new_value(std::vector<int64_t> sizes, at::ScalarType dtype) {
  View view;
  view.buffer = static_cast<int>(buffers.size());
  view.sizes = std::move(sizes);
  view.strides.resize(view.sizes.size());
  int64_t stride = 1;
  for (size_t i = view.sizes.size(); i-- > 0;) {
    view.strides[i] = stride;
    stride *= std::max<int64_t>(view.sizes[i], 1);
  }
  view.dtype = dtype;
  buffers.emplace_back().bytes = static_cast<size_t>(view.elements()) * c10::elementSize(dtype);
  views.push_back(std::move(view));
  return static_cast<int>(views.size() - 1);
}

std::vector<bool> Program::wanted_buffers() const {
  std::vector<bool> found(buffers.size());
  for (const uint32_t output : wanted)
    if (outputs[output] != kNoView) found[views[outputs[output]].buffer] = true;
  for (const Rows& of : rows) found[views[of.indices].buffer] = true;
  return found;
}

const Program::Rows* Program::rows_of(uint32_t output) const {
  const auto found = std::ranges::find(rows, output, &Rows::output);
  return found == rows.end() ? nullptr : &*found;
}

std::vector<bool> Program::used_buffers() const {
  std::vector<bool> used = wanted_buffers();
  const auto look = [&](const std::vector<Argument>& arguments) {
    for (const Argument& argument : arguments)
      for (const int view : argument.views)
        if (view != kNoView) used[views[view].buffer] = true;
  };
  for (const std::vector<Node>* list : {&nodes, &once})
    for (const Node& node : *list) {
      look(node.arguments);
      look(node.results);
      for (const int buffer : node.writes) used[buffer] = true;
    }
  return used;
}

}  // namespace broch::program
