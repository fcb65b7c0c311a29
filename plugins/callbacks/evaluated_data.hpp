// evaluated_data.hpp: a dataset that an inference runner reads once per round.
#pragma once
#include <broch/broch.hpp>

#include "endless.hpp"

namespace broch::callbacks {

// Where the data come from: one of the two.
struct DataOptions {
  std::optional<ChildDataFlow> dataflow;
  std::optional<ChildInputSource> data;

  static constexpr auto schema =
      options(option("dataflow", &DataOptions::dataflow, "The data, read once per round."),
              option("data", &DataOptions::data,
                     "Instead of dataflow: an input source that has a size, or that ends."));
};

class EvaluatedData {
 public:
  // at: the pointer of the object with the options. name: of the dataset; "": it has none.
  EvaluatedData(const Host& host, const DataOptions& options, const std::string& at,
                const std::string& name = "")
      : name_(name),
        pointer_(at + (options.data ? "/data" : "/dataflow")),
        dataflow_(options.dataflow),
        source_(options.data) {
    if (source_ && (source_->flags() & BROCH_INPUT_STAGED))
      throw Error(BROCH_E_INVALID_ARGUMENT, pointer_ + ": a staging input cannot serve inference");
    if (name_at(Config(host), pointer_) == "dummy-constant")
      refuse_endless(pointer_, "name another source, such as the dataflow fake");
    if (const std::string endless = endless_repeat(Config(host), pointer_); !endless.empty())
      refuse_endless(endless, "remove repeat, or set its option times");
  }

  const std::string& name() const { return name_; }
  void setup(const View<const broch_input_spec>& inputs) const {
    if (dataflow_)
      dataflow_->reset_state();
    else
      source_->setup(inputs.data(), uint32_t(inputs.size()));
  }
  // Before the first round.
  void check(const Host& host) const {
    const std::string of = name_.empty() ? "" : name_ + ": ";
    if (size() < 0 && source_ && begins_again(Config(host), pointer_))
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  pointer_ +
                      ": found an input source that begins again, around data that do not say "
                      "their size, expected an end, since each round reads them once; set its "
                      "option infinite to false, or use dataflow instead of data");
    if (size() < 0)
      host.warning(of + "the data does not say its size: each round lasts until the data ends");
    if (size() == 0)
      host.warning(of +
                   "the data has no point, so nothing is evaluated: use a smaller "
                   "batch_size, or more data");
  }
  void stop() const {
    if (source_) source_->stop();
  }

  // The number of data points of a round; -1: unknown.
  int64_t size() const { return (dataflow_ ? dataflow_->size() : source_->size()).value_or(-1); }
  void start_round() const {
    if (dataflow_)
      dataflow_->open("");
    else
      source_->reset_state();
  }
  // Rounds that are not kept, because a signal ended them, are read again when the run is resumed.
  void keep_round() { cursor_ = read_; }
  // The cursor of the last point of the rounds that were kept; "": none, or the datasets none.
  const std::string& cursor() const { return cursor_; }
  void set_cursor(std::string cursor) { cursor_ = std::move(cursor); }
  // Before the first round of a resumed run: that round is the one after the point of the cursor.
  void resume(const Host& host) {
    if (!dataflow_ || cursor_.empty()) return;
    read_ = cursor_;
    try {
      dataflow_->open(cursor_);
      read_remainder(host);
    } catch (const Error& error) {
      host.warning((name_.empty() ? "" : name_ + ": ") +
                   "the data begins again with its first round, since it cannot go on after the "
                   "last one of the checkpoint: " +
                   error.what());
    }
  }
  // done: the data points of this round so far. False: there is no other.
  bool next(const Cancel& cancel, int64_t done, Point& point) {
    if (dataflow_) {
      const bool found = dataflow_->next(cancel, point);
      if (found) read_ = point.cursor();
      return found;
    }
    if (const int64_t total = size(); total >= 0 && done >= total) return false;
    return source_->next(0, cancel, point);
  }

 private:
  [[noreturn]] static void refuse_endless(const std::string& at, const std::string& next) {
    throw Error(BROCH_E_INVALID_ARGUMENT,
                at +
                    ": found data that never end, expected an end, since each round reads them "
                    "once; " +
                    next);
  }

  // What the round has behind its last point, such as samples that do not fill a batch.
  void read_remainder(const Host& host) const {
    const Cancel cancel = Cancel::of_run(host);
    for (Point point(host); dataflow_->next(cancel, point);) point.clear();
  }

  std::string name_, pointer_;
  std::string read_;    // cursor of the last point that was read
  std::string cursor_;  // the same of the rounds that were kept
  std::optional<ChildDataFlow> dataflow_;
  std::optional<ChildInputSource> source_;
};

}  // namespace broch::callbacks
