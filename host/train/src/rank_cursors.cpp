// rank_cursors.cpp: exchanges cursors as text.
#include "train/rank_cursors.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"

namespace broch::train {
namespace {

const std::string kNone = "none";

// "LENGTH:CURSOR" of each tower.
std::string text_of(const Cursors& cursors) {
  std::string text;
  for (const std::string& cursor : cursors) text += std::to_string(cursor.size()) + ":" + cursor;
  return text;
}
Cursors cursors_of(const std::string& text) {
  Cursors cursors;
  for (size_t at = 0; at < text.size();) {
    size_t digits = 0;
    const size_t length = std::stoul(text.substr(at), &digits);
    at += digits + 1;
    cursors.push_back(text.substr(at, length));
    at += length;
  }
  return cursors;
}

bool all_equal(const auto& list) {
  return std::ranges::adjacent_find(list, std::ranges::not_equal_to()) == list.end();
}

// Whether the source reads dataflows, and all of them are indexed.
bool reads_by_index(const abi::Instance& source) {
  bool reads = false;
  for (const abi::Instance::Child& child : source.children()) {
    abi::Instance* const inner = child.get();
    if (!inner) continue;
    const bool is_source = bool(inner->get_interface(BROCH_ROLE_INPUT_SOURCE));
    if (!is_source && !inner->get_interface(BROCH_ROLE_DATAFLOW)) continue;
    if (is_source ? !reads_by_index(*inner) : !abi::Indexed::plays(*inner)) return false;
    reads = true;
  }
  return reads;
}

}  // namespace

RankCursors::RankCursors(const Input& input, dist::Group& group, plan::Interrupt& interrupt,
                         std::vector<Cursors> saved)
    : input_(input),
      group_(group),
      interrupt_(interrupt),
      by_index_(reads_by_index(input.instance())),
      all_(std::move(saved)) {}

// All ranks know of a difference after the same step.
void RankCursors::after_step() {
  if (equal_on_ranks_ && !interrupt_.data_differ()) return;
  equal_on_ranks_ = false;
  exchange();
  if (is_first_step_) equal_on_ranks_ = counts_alike() && all_equal(all_);
  is_first_step_ = false;
}

void RankCursors::after_epoch() {
  if (!equal_on_ranks_) return;
  exchange();
  equal_on_ranks_ = all_equal(all_);
}

// If all ranks have taken points since the last exchange, those of the others are not known.
void RankCursors::begin_alone() {
  const Cursors now = input_.cursors();
  if (equal_on_ranks_ && !own_) told_ = now;
  others_known_ = now == own_.value_or(told_);
}

void RankCursors::end_alone() {
  const Cursors now = input_.cursors();
  if (is_first_step_ || !others_known_ || now == told_) return;
  own_ = now;
  if (equal_on_ranks_) interrupt_.announce_data_differ();
}

void RankCursors::exchange() {
  own_.reset();
  told_ = input_.cursors();
  all_.clear();
  for (const std::string& text : group_.all_gather(text_of(told_)))
    all_.push_back(cursors_of(text));
  // A rank without a point is saved, too. Of others the newest cursor stays the last one.
  for (Cursors& cursors : all_)
    if (cursors.empty()) cursors.resize(input_.towers());
}

// Whether the cursors of each rank follow from the number of points that it has taken, by the same
// rule. Without cursors, nothing is lost. Without a size, rounds may end elsewhere on each rank.
bool RankCursors::counts_alike() {
  std::string rule;
  if (!input_.resumes_exactly()) {
    rule = kNone;
  } else if (by_index_) {
    if (const std::optional<int64_t> size = input_.size_at_start()) rule = std::to_string(*size);
  }
  const std::vector<std::string> rules = group_.all_gather(rule);
  all_resume_exactly_ = std::ranges::count(rules, kNone) == 0;
  return all_equal(rules) && !rule.empty();
}

std::vector<Cursors> RankCursors::all() {
  if ((equal_on_ranks_ && !own_) || all_.empty()) return {input_.cursors()};
  if (!is_first_step_ && input_.cursors() != own_.value_or(told_)) warn_of_other_points();
  std::vector<Cursors> all = all_;
  if (equal_on_ranks_) all.assign(group_.ranks().world, told_);
  if (own_) all.at(group_.ranks().rank) = *own_;
  if (all_equal(all)) return {all.front()};
  return all;
}

void RankCursors::warn_of_other_points() {
  if (std::exchange(warned_, true)) return;
  base::warning("data points were taken from " + input_.describe() +
                " after the last step, when the ranks told each other where they are in the "
                "data: a run that is resumed from here continues, but not with the same bits");
}

}  // namespace broch::train
