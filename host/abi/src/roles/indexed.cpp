// indexed.cpp: a dataflow that is read by index.
#include "abi/roles/indexed.hpp"

#include <charconv>

#include "abi/point_notes.hpp"
#include "base/text.hpp"
#include "collector.hpp"

namespace broch::abi {
namespace {

// Reads "ROUND:NEXT".
bool parse(std::string_view text, Position& position) {
  const char* const end = text.data() + text.size();
  const auto round = std::from_chars(text.data(), end, position.round);
  if (round.ec != std::errc() || round.ptr == end || *round.ptr != ':') return false;
  const auto index = std::from_chars(round.ptr + 1, end, position.index);
  return index.ec == std::errc() && index.ptr == end;
}

}  // namespace

std::string cursor_of(const Position& position) {
  return std::to_string(position.round) + ':' + std::to_string(position.index);
}

Indexed::Indexed(Instance& instance)
    : RoleOf(instance, BROCH_ROLE_INDEXED), notes_(instance.context().find<const PointNotes>()) {
  require_entry(instance, BROCH_ROLE_INDEXED, "size", table_.size);
  require_entry(instance, BROCH_ROLE_INDEXED, "read", table_.read);
}

bool Indexed::plays(Instance& instance) { return bool(instance.get_interface(BROCH_ROLE_INDEXED)); }

void Indexed::reset_state() {
  if (instance_->was_reset()) return;
  call("reset_state", Role::main, kOnlyOk, BROCH_OK, table_.reset_state);
  instance_->note_reset();
}

bool Indexed::size(int64_t* size) {
  *size = 0;
  const broch_status status = call("size", Role::any, kMayBeNone, BROCH_NONE, table_.size, size);
  return size_is_known(*instance_, status, *size);
}

broch_status Indexed::read(const Position& at, const broch_cancel* cancel, broch_point point,
                           std::string_view cursor) {
  return invoke(*instance_, "read", Role::any, kMayEnd | kMayCancel, [&] {
    const broch_point lent = lend(point);
    const broch_status status = table_.read(self_, at.round, at.index, cancel, lent);
    if (status != BROCH_OK) return status;
    instance_->count_point();
    if (!notes_) return status;
    notes_->after_read(*instance_, lent, at.round, at.index, table_.locate != nullptr);
    if (!cursor.empty()) notes_->set_cursor(*instance_, lent, cursor);
    return status;
  });
}

Position Indexed::locate(std::string_view cursor) {
  Position position;
  bool missing = !table_.locate;
  if (!missing)
    invoke(*instance_, "locate", Role::data, kOnlyOk, [&] {
      const broch_status status =
          table_.locate(self_, cursor.data(), cursor.size(), &position.round, &position.index);
      missing = says_unimplemented(status);
      return missing ? BROCH_OK : status;
    });
  if (missing && !parse(cursor, position)) {
    throw base::Error(base::Exit::data,
                      {.where = instance_->label(),
                       .found = "the cursor " + base::quoted(std::string(cursor)),
                       .expected = "ROUND:NEXT, two numbers",
                       .hint = "has the dataflow changed since the run was saved?"});
  }
  return position;
}

std::string Indexed::describe(uint64_t index) noexcept try {
  if (!table_.describe) return "";
  TextCollector text;
  const broch_writer writer = text.writer();
  invoke(*instance_, "describe", Role::any, kMayBeNone, [&] {
    const broch_status status = table_.describe(self_, index, &writer);
    return says_unimplemented(status) ? BROCH_NONE : text.end(status);
  });
  return std::move(text.list);
} catch (...) {
  return "";
}

}  // namespace broch::abi
