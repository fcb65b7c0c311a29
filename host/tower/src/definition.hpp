// definition.hpp: what a tower function does call after call, and how a call is held against it.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/placement.hpp"
#include "tower/names.hpp"
#include "tower/tower.hpp"

namespace broch::tower {

enum class EventKind : uint8_t { get, publish, collect, update, summary, moving };

// One registration.
struct Event {
  EventKind kind;
  std::string name;              // variable, published name, collection, anchor, summary
  Variable* variable = nullptr;  // get, update
  broch_dtype dtype = 0;         // publish
  Shape shape;                   // publish; compared by rank
  uint32_t kinds = 0;            // summary
  bool frozen = false;           // collect, update: the tower drops it
  bool to_collection = false;    // update: the anchor is a collection; known when define ends
};

// An event before it has a place of its own.
struct EventKey {
  EventKind kind;
  std::string_view name;
  Variable* variable = nullptr;
  const TensorInfo* published = nullptr;
  uint32_t kinds = 0;

  bool matches(const Event& event) const {
    if (published && (published->dtype != event.dtype || published->shape.rank != event.shape.rank))
      return false;
    return kind == event.kind && variable == event.variable && kinds == event.kinds &&
           name == event.name;
  }
};

// Each has an address for as long as the tower.
using Events = std::vector<std::unique_ptr<Event>>;

class Definition {
 public:
  explicit Definition(Placement of_variables) : placement(std::move(of_variables)) {}

  Events events;
  bool has_cost = false;
  bool names_cost = false;  // the cost has no published name of its own and gets one
  std::vector<Collection> collections;
  Placement placement;

  Registration registration() const;
};

// Goes along the definition during a call, or writes it during define.
class Follower {
 public:
  explicit Follower(Definition& definition) : definition_(definition) {}

  void begin(bool defining);
  // The event of the definition if it is the next one; else one that is remembered as different.
  Event& note(const EventKey& key);
  // The next event of the definition if it is a get of this name; nullptr otherwise.
  const Event* next_get(std::string_view name) const;
  // "" when everything was as defined, else the first difference.
  std::string difference(bool has_cost) const;

 private:
  bool follows() const { return !defining_ && other_.empty(); }

  Definition& definition_;
  bool defining_ = false;
  size_t next_ = 0;  // so many came as defined …
  Events other_;     // … before these
};

}  // namespace broch::tower
