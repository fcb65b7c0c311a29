// split.hpp: a part of the points of a dataflow that is read by index. PyTorch: `random_split`,
// `Subset`; scikit-learn: `train_test_split`, `KFold`, `StratifiedKFold`.
//
// Which points are in a part depends only on the options, the number of points and, with `by`,
// their classes. So it is the same in each round, on each rank and in each run, and instances that
// differ in the option `part` alone have no point in common.
#pragma once
#include <algorithm>
#include <bit>
#include <broch/broch.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "../permutation.hpp"
#include "dealing.hpp"
#include "early_end.hpp"
#include "index_set.hpp"
#include "parts.hpp"
#include "scan.hpp"

namespace broch::dataflows {

struct SplitOptions {
  ChildDataFlow dataflow;
  JsonText parts;
  uint64_t part;
  bool keep, shuffle;
  int64_t seed;
  std::optional<JsonText> by;
  std::optional<ChildDataFlow> labels;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &SplitOptions::dataflow,
                    "The dataflow to split; it must be indexed and have the same points in the "
                    "same order in each round."),
      broch::option("parts", &SplitOptions::parts,
                    "The share of each part, such as [0.8, 0.2], with the sum 1; or the number of "
                    "points of each, such as [5000, 500]; or the number of equal parts, such as 5.")
          .schema(BROCH_PARTS_SCHEMA),
      broch::option("part", &SplitOptions::part,
                    "The part to yield: its index in parts, counted from 0.")
          .minimum(0),
      broch::option("keep", &SplitOptions::keep,
                    "true: the points of this part are yielded; false: all others.")
          .by_default(true),
      broch::option("shuffle", &SplitOptions::shuffle,
                    "true: the points of a part are chosen at random; false: the first part has "
                    "the first points, and so on. They are yielded in their order in the dataflow "
                    "in both cases.")
          .by_default(true),
      broch::option("seed", &SplitOptions::seed,
                    "The seed of the choice, which does not depend on the run's seed.")
          .by_default(0),
      broch::option(
          "by", &SplitOptions::by,
          "A component with a whole number, such as the class: its name or index (from 0). Each "
          "part then has its share of the points of each class. null: points are not "
          "looked at.")
          .schema(R"("type": ["integer", "string", "null"], "minimum": 0, "minLength": 1)"),
      broch::option("labels", &SplitOptions::labels,
                    "For by: a dataflow that yields only this component of the same points and is "
                    "faster to read; absent: the dataflow itself is read once."));
};

class Split final : public Indexed {
 public:
  Split(const Host& host, const SplitOptions& options)
      : host_(host),
        child_(options.dataflow),
        labels_(options.labels),
        parts_(Config(host), "/parts"),
        part_(options.part),
        keep_(options.keep),
        shuffle_(options.shuffle),
        seed_(uint64_t(options.seed)) {
    if (options.by) by_.emplace(Config(host), "/by");
    if (part_ >= parts_.count())
      refuse("/part: found " + std::to_string(part_) + ", expected at most " +
             std::to_string(parts_.count() - 1) + ", the last of " +
             std::to_string(parts_.count()) + " parts");
    if (by_ && !shuffle_)
      refuse(
          "/shuffle: found false, expected true, since with the option by no part has points that "
          "follow each other");
    if (labels_ && !by_) refuse("/labels: found a dataflow, expected the option by beside it");
    refuse_child();
  }

  void reset_state() override {
    child_.reset_state();
    require_end(child_, "/dataflow");
    points_ = uint64_t(child_.size().value_or(0));
    chosen_ = IndexSet(points_);
    by_ ? choose_by(classes()) : choose();
    chosen_.count();
    if (chosen_.size() == 0)
      refuse("/part: found no point " + std::string(keep_ ? "in part " : "outside of part ") +
             std::to_string(part_) + ", expected at least one: the dataflow has " +
             std::to_string(points_) + " points");
  }
  std::optional<int64_t> size() override { return int64_t(chosen_.size()); }

  bool read(const Position& position, const Cancel& cancel, PointWriter& point) override {
    if (position.index >= chosen_.size()) return false;
    const uint64_t index = chosen_[position.index];
    if (!child_.read({position.round, index}, cancel, point)) refuse_early_end(index, points_);
    return true;
  }

 private:
  [[noreturn]] static void refuse(const std::string& why) {
    throw Error(BROCH_E_INVALID_ARGUMENT, why);
  }
  void refuse_child() const {
    if (!child_.indexed())
      refuse(
          "/dataflow: found a stream, expected an indexed dataflow, such as arrays: split reads "
          "the points of a part by their index");
    if (child_.has_locate())
      refuse(
          "/dataflow: found a dataflow that has other points on each rank, such as 'shard', "
          "expected the same points on all: put 'shard' around 'split'");
  }

  // part: of the next point to decide on.
  void decide(uint64_t index, size_t part) {
    if ((part == part_) == keep_) chosen_.insert(index);
  }
  void choose() {
    const ::dataflows::Permutation order(points_, seed_);
    uint64_t place = 0;
    const std::vector<uint64_t> sizes = parts_.sizes(points_);
    for (size_t part = 0; part < sizes.size(); ++part)
      for (const uint64_t end = place + sizes[part]; place < end; ++place)
        decide(shuffle_ ? order(place) : place, part);
  }
  // The points of a class are next to each other when they are dealt, in random order; so are the
  // classes.
  void choose_by(const std::vector<uint64_t>& classes) {
    const ::dataflows::Permutation shuffled(points_, seed_);
    std::vector<uint64_t> order(points_);
    for (uint64_t place = 0; place < points_; ++place) order[place] = shuffled(place);
    std::ranges::stable_sort(order, {}, [&](uint64_t index) { return classes[index]; });
    Dealing parts(parts_.sizes(points_));
    for (const uint64_t index : order) decide(index, parts.next());
  }

  // A random number for the class of each point, the same for the same class.
  std::vector<uint64_t> classes() {
    if (labels_) labels_->reset_state();
    const std::string where = labels_ ? "/labels" : "/dataflow";
    const std::vector<double> values = scan(host_, labels_ ? *labels_ : child_, *by_, where);
    if (values.size() != points_)
      refuse(where + ": found " + std::to_string(values.size()) + " points, expected " +
             std::to_string(points_) + ", the size of the dataflow to split");
    std::vector<uint64_t> classes;
    for (const double value : values) {
      if (value != std::floor(value))
        refuse(where + ", point " + std::to_string(classes.size()) + ", component " + by_->text() +
               ": found " + std::to_string(value) + ", expected a whole number, such as a class");
      classes.push_back(mixed(seed_, std::bit_cast<uint64_t>(value + 0.0)));  // -0 is 0
    }
    return classes;
  }

  Host host_;
  ChildDataFlow child_;
  std::optional<ChildDataFlow> labels_;
  Parts parts_;
  size_t part_;
  bool keep_, shuffle_;
  uint64_t seed_;
  std::optional<points::ComponentName> by_;
  uint64_t points_ = 0;  // of a round of the child
  IndexSet chosen_;      // the points of the part, since reset_state
};

}  // namespace broch::dataflows
