// rank_cursors.hpp: the cursors of all ranks, for checkpoints.
//
// Rank 0 writes a checkpoint whenever a component asks for it, and the other ranks do not know of
// it. So they tell their cursors beforehand, after each step. If all dataflows are indexed and have
// the same size on all ranks, the cursors are equal anyway: then the ranks only compare them, after
// the first step and at the end of each epoch, until a rank takes points for itself, as an
// evaluation on rank 0 does.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "dist/group.hpp"
#include "plan/input.hpp"
#include "plan/interrupt.hpp"
#include "train/names.hpp"

namespace broch::train {

class RankCursors {
 public:
  // saved: those that the run continues from, by rank; a single element if they are equal on all
  // ranks, none at the beginning. REQUIRES: input, group and interrupt outlive this object.
  RankCursors(const Input& input, dist::Group& group, plan::Interrupt& interrupt,
              std::vector<Cursors> saved);

  // All ranks call both, after the same step and at the end of the same epoch.
  void after_step();
  void after_epoch();

  // Around what only this rank does, and which may take points.
  void begin_alone();
  void end_alone();

  // The cursors after the last step, in the form of `saved`, and after what this rank did alone.
  std::vector<Cursors> all();
  // Whether the sources of all ranks can continue exactly, as they said after the first step.
  bool all_resume_exactly() const { return all_resume_exactly_; }

 private:
  void exchange();
  bool counts_alike();
  void warn_of_other_points();

  const Input& input_;
  dist::Group& group_;
  plan::Interrupt& interrupt_;
  bool by_index_;
  std::vector<Cursors> all_;     // by rank, or one element for all ranks
  Cursors told_;                 // of this rank, when those of the others were last known
  std::optional<Cursors> own_;   // of this rank, after points since then that it took alone
  bool others_known_ = false;    // at begin_alone
  bool is_first_step_ = true;    // the next one
  bool equal_on_ranks_ = false;  // so that they need no exchange
  bool all_resume_exactly_ = true;
  bool warned_ = false;
};

}  // namespace broch::train
