// dataflow.cpp: the role dataflow.
#include "abi/roles/dataflow.hpp"

#include "collector.hpp"

namespace broch::abi {

// A dataflow with a table of its own for this role.
class DataFlow::Stream : public RoleOf<broch_dataflow> {
 public:
  explicit Stream(Instance& instance) : RoleOf(instance, BROCH_ROLE_DATAFLOW) {
    require_entry(instance, BROCH_ROLE_DATAFLOW, "open", table_.open);
    require_entry(instance, BROCH_ROLE_DATAFLOW, "next", table_.next);
  }

  void reset_state() {
    if (instance_->was_reset()) return;
    call("reset_state", Role::main, kOnlyOk, BROCH_OK, table_.reset_state);
    instance_->note_reset();
  }

  void open(const void* cursor, uint64_t size) {
    invoke(*instance_, "open", Role::data, kOnlyOk,
           [&] { return table_.open(self_, cursor, size); });
  }

  std::optional<std::string> start_cursor() {
    if (!table_.start_cursor) return std::nullopt;
    TextCollector cursor;
    const broch_writer writer = cursor.writer();
    const broch_status status = invoke(*instance_, "start_cursor", Role::data, kMayBeNone, [&] {
      const broch_status own = table_.start_cursor(self_, &writer);
      return says_unimplemented(own) ? BROCH_NONE : cursor.end(own);
    });
    if (status == BROCH_NONE) return std::nullopt;
    const size_t size = cursor.list.size();
    if (size == 0 || size > BROCH_CURSOR_SIZE_MAX)
      throw violation(
          *instance_, "wrote " + std::to_string(size) + " bytes in start_cursor",
          "1 to " + std::to_string(BROCH_CURSOR_SIZE_MAX) + ", or the outcome NONE for no cursor");
    return std::move(cursor.list);
  }

  broch_status next(const broch_cancel* cancel, broch_point point) {
    const broch_status status = invoke(*instance_, "next", Role::data, kMayEnd | kMayCancel,
                                       [&] { return table_.next(self_, cancel, lend(point)); });
    if (status == BROCH_OK) instance_->count_point();
    return status;
  }

  bool size(int64_t* size) {
    *size = 0;
    const broch_status status = call("size", Role::main, kMayBeNone, BROCH_NONE, table_.size, size);
    return size_is_known(*instance_, status, *size);
  }
};

// A dataflow that is read by index, in the order of its indices.
class DataFlow::Sequence {
 public:
  explicit Sequence(Instance& instance) : indexed_(Indexed::make(instance)) {}

  void reset_state() { indexed_.reset_state(); }
  bool size(int64_t* size) { return indexed_.size(size); }

  void open(std::string_view cursor) {
    start_ = cursor;
    if (!cursor.empty())
      at_ = indexed_.locate(cursor);
    else
      at_ = {opened_ ? at_.round + 1 : 0, 0};
    opened_ = true;
  }

  std::string start_cursor() const { return start_.empty() ? cursor_of(at_) : start_; }

  broch_status next(const broch_cancel* cancel, broch_point point) {
    const Position after{at_.round, at_.index + 1};
    const broch_status status = indexed_.read(at_, cancel, point, cursor_of(after));
    if (status == BROCH_OK) at_ = after;
    return status;
  }

 private:
  Indexed indexed_;
  Position at_;        // of the next point
  std::string start_;  // the cursor with which it was opened
  bool opened_ = false;
};

DataFlow::DataFlow(Instance& instance) : instance_(&instance) {
  if (Indexed::plays(instance))
    sequence_ = std::make_shared<Sequence>(instance);
  else
    stream_ = std::make_shared<Stream>(instance);
}

void DataFlow::reset_state() { sequence_ ? sequence_->reset_state() : stream_->reset_state(); }

void DataFlow::open(const void* cursor, uint64_t size) {
  if (sequence_)
    sequence_->open({static_cast<const char*>(cursor), size});
  else
    stream_->open(cursor, size);
}

bool DataFlow::has_start_cursor() const { return sequence_ || stream_->table().start_cursor; }

std::optional<std::string> DataFlow::start_cursor() {
  return sequence_ ? sequence_->start_cursor() : stream_->start_cursor();
}

broch_status DataFlow::next(const broch_cancel* cancel, broch_point point) {
  return sequence_ ? sequence_->next(cancel, point) : stream_->next(cancel, point);
}

bool DataFlow::size(int64_t* size) {
  return sequence_ ? sequence_->size(size) : stream_->size(size);
}

}  // namespace broch::abi
