// pool.cpp: a list, since there are few programs.
#include "pool.hpp"

#include <algorithm>

namespace broch::graph {

ProgramPtr Pool::find(const std::vector<int64_t>& sizes) {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_)
    if (entry.program->sizes() == sizes) {
      entry.last_use = ++uses_;
      return entry.program;
    }
  return nullptr;
}

void Pool::add(ProgramPtr program) {
  const std::lock_guard lock(mutex_);
  const auto is_equal = [&](const Entry& one) { return one.program->sizes() == program->sizes(); };
  if (std::ranges::any_of(entries_, is_equal)) return;  // another thread was faster
  if (entries_.size() >= most_)
    entries_.erase(std::ranges::min_element(entries_, {}, &Entry::last_use));
  entries_.push_back({std::move(program), ++uses_});
}

std::string Pool::text(const std::vector<std::string>& symbols) const {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const Entry& entry : entries_) {
    const Program& program = *entry.program;
    for (size_t i = 0; i < symbols.size(); ++i)
      text += symbols[i] + " = " + std::to_string(program.sizes()[i]) + "\n";
    if (program.recorded()) text += program.recorded()->text();
  }
  return text;
}

}  // namespace broch::graph
