// rank_cursors.hpp: the cursors of all ranks, for checkpoints.
//
// Rank 0 writes a checkpoint whenever a component asks for it, and the other ranks do not know of
// it. So they tell their cursors beforehand, after each step. If all dataflows are indexed and have
// the same size on all ranks, the cursors are equal anyway: then the ranks only compare them, after
// the first step and at the end of each epoch.
#pragma once
#include <string>
#include <vector>

#include "dist/group.hpp"
#include "plan/input.hpp"
#include "train/names.hpp"

namespace broch::train {

class RankCursors {
 public:
  // saved: those that the run continues from, by rank; a single element if they are equal on all
  // ranks, none at the beginning. REQUIRES: input and group outlive this object.
  RankCursors(const Input& input, dist::Group& group, std::vector<Cursors> saved);

  // All ranks call both, after the same step and at the end of the same epoch.
  void after_step();
  void after_epoch();

  // The cursors after the last step, in the form of `saved`.
  std::vector<Cursors> all();
  // Whether the sources of all ranks can continue exactly, as they said after the first step.
  bool all_resume_exactly() const { return all_resume_exactly_; }

 private:
  void exchange();
  bool counts_alike();

  const Input& input_;
  dist::Group& group_;
  bool by_index_;
  std::vector<Cursors> all_;     // by rank, or one element for all ranks
  Cursors told_;                 // of this rank, at the last exchange
  bool is_first_step_ = true;    // the next one
  bool equal_on_ranks_ = false;  // so that they need no exchange
  bool all_resume_exactly_ = true;
  bool warned_ = false;
};

}  // namespace broch::train
