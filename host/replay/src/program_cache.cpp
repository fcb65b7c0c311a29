// program_cache.cpp: finds, adds and forgets recordings and their programs.
#include "program_cache.hpp"

#include <algorithm>
#include <sstream>

#include "base/log.hpp"
#include "compile_step.hpp"

namespace broch::replay {
namespace {

constexpr size_t kMaxCompiled = 8;  // per recording

// Keywords of a history in a checkpoint.
const std::string kShapes = "shapes:", kTrials = "comparisons:";

}  // namespace

RecordedStep* ProgramCache::use(const StepRequest& request) {
  RecordedStep* const recorded = find(request);
  if (!recorded) return nullptr;
  shapes_.meet(recorded->hash);
  ++recorded->runs;
  return recorded;
}

bool ProgramCache::last_fits(const StepRequest& request) const {
  return last_ && last_->key.fits(*tower_.context().backend, request);
}

RecordedStep* ProgramCache::find(const StepRequest& request) {
  if (last_fits(request)) return last_;
  for (const auto& recorded : recordings_)
    if (recorded->key.fits(*tower_.context().backend, request)) {
      last_compiled_ = nullptr;
      return last_ = recorded.get();
    }
  return nullptr;
}

bool ProgramCache::takes_new_shape(uint64_t key) {
  const bool was_open = shapes_.closed_because().empty();
  const bool records = shapes_.meet(key);
  if (was_open && !shapes_.closed_because().empty())
    base::warning(tower_.describe() + ": new shapes stay eager: " + shapes_.closed_because());
  return records;
}

RecordedStep& ProgramCache::add(std::unique_ptr<RecordedStep> recorded) {
  last_ = recordings_.emplace_back(std::move(recorded)).get();
  last_compiled_ = nullptr;
  shapes_.keep(0);
  forget_least_used();
  return *last_;
}

CompiledStep& ProgramCache::compiled_for(const Wanted& wanted, const KeepsUpdate& keeps) {
  if (last_compiled_ && last_compiled_->wanted == wanted) return *last_compiled_;
  auto& all = last_->compiled;
  const auto found =
      std::ranges::find_if(all, [&](const auto& compiled) { return compiled->wanted == wanted; });
  if (found == all.end())
    compile(wanted, keeps);
  else
    std::rotate(found, found + 1, all.end());
  last_compiled_ = all.back().get();
  return *last_compiled_;
}

void ProgramCache::compile(const Wanted& wanted, const KeepsUpdate& keeps) {
  auto& all = last_->compiled;
  if (all.size() == kMaxCompiled) all.erase(all.begin());
  auto compiled = compile_step(tower_, *last_, wanted, keeps, buffers_, workspace_);
  compiled->trial = &trials_.of(compiled->name(), last_->data);
  all.push_back(std::move(compiled));
  shapes_.keep(all.size() * last_->input_bytes);
  forget_least_used();
}

void ProgramCache::forget_least_used() {
  while (const std::optional<uint64_t> gone = shapes_.forget())
    std::erase_if(recordings_, [&](const auto& recorded) { return recorded->hash == *gone; });
}

void ProgramCache::clear() {
  recordings_.clear();
  last_ = nullptr;
  last_compiled_ = nullptr;
}

std::string ProgramCache::history() const {
  if (shapes_.runs() == 0) return "";
  std::ostringstream text;
  text << kShapes << ' ';
  shapes_.save(text);
  text << ' ' << kTrials << ' ';
  trials_.save(text);
  return text.str();
}

void ProgramCache::take_over(const std::string& history) {
  std::istringstream words(history);
  std::string word;
  if (!(words >> word) || word != kShapes || !shapes_.load(words)) return;
  if (words >> word && word == kTrials) trials_.load(words);
}

}  // namespace broch::replay
